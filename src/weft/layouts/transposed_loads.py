"""What lanes load so that a transposing load leaves them an operand of a matrix instruction.

ds_read_b64_tr_b16 lets each lane load four neighbouring elements, and hands them round among 16
lanes. To leave lane l row l, registers along K (the left operand of a 16x16 MFMA), the lanes load
along the rows instead:

    operand     register: K 1, 2, 4, …      lane: row 1, 2, 4, 8; K 8, 16
    loaded      register: row 1, 2; K 4, …  lane: row 4, 8; K 1, 2; K 8, 16

The bits within a loaded row come first, then the registers that the instruction leaves alone;
the lane is the one that names the row (`weft.layouts.instruction_tiles`). Of 4 bits, two elements
are a byte: in shared memory neighbours of a column, in the operand neighbours along K.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError, did_you_mean
from weft.layouts.encodings import DotOperandEncoding
from weft.layouts.instruction_tiles import TILES, InstructionTile
from weft.layouts.linear import LinearLayout

__all__ = ["loaded_rows", "transposing_load"]


def transposing_load(
    operand: DotOperandEncoding, shape: Sequence[int], instruction: str
) -> LinearLayout:
    """Return the elements that each lane of each warp loads.

    Args: operand: what the registers hold afterwards; of 4 bits, its kWidth counts bytes.
    shape: of the tensor in shared memory; of 4 bits, in bytes of two neighbours of a row or column.
    instruction: such as "ds_read_b64_tr_b16", "ds_load_tr8_b64", "ds_read_b64_tr_b4".
    Returns: register, lane, warp, block -> the tensor in shared memory.
    Raises: LayoutError where the instruction does not lead to the operand.
    """
    tile = _tile(instruction)
    if tile.element_bits != (4,):
        return loaded_rows(operand.linear(tuple(shape)), tile)
    across = len(shape) - (2 if operand.op_idx == 0 else 1)
    elements = tuple(2 * size if dim == across else size for dim, size in enumerate(shape))
    nibbles = DotOperandEncoding(operand.op_idx, operand.parent, 2 * operand.k_width)
    return _in_bytes(loaded_rows(nibbles.linear(elements), tile), across)


def _tile(instruction: str) -> InstructionTile:
    transposing = {name: tiles[0] for name, tiles in TILES.items() if name.startswith("ds_")}
    found = transposing.get(instruction)
    if found is None:
        raise LayoutError(
            f"unknown transposing load {instruction}",
            accepted=transposing,
            hint=did_you_mean(instruction, transposing),
        )
    return found


def loaded_rows(layout: LinearLayout, tile: InstructionTile) -> LinearLayout:
    """Return what each address lane loads, for a layout that the instruction leaves.

    Args: layout: from register, lane, … to a tensor.  tile: an instruction; the first registers
    are its own.
    Raises: LayoutError where the layout has too few registers or other lanes, or the elements of
    a row are no neighbours.
    """
    registers, lanes = layout.images("register"), layout.images("lane")
    if len(registers) < tile.registers:
        raise LayoutError(
            f"{tile.name} leaves {1 << tile.registers} registers", found=1 << len(registers)
        )
    if len(tile.address) != len(lanes):
        raise LayoutError(f"{tile.name} is for {1 << len(tile.address)} lanes", found=len(lanes))
    slots = {"r": registers, "l": lanes}
    row = [slots[slot[0]][int(slot[1:])] for slot in tile.offset]
    rows = [slots[slot[0]][int(slot[1:])] for slot in tile.address]
    units = [1 << start for start in layout.starts.values()]
    if row[0] not in units or any(vector != row[0] << bit for bit, vector in enumerate(row)):
        raise LayoutError(
            f"{tile.name} needs neighbouring lanes along one dimension",
            found=[list(layout.unpack(vector)) for vector in row],
        )
    moved = {"register": (*row, *registers[tile.registers :]), "lane": tuple(rows)}
    ins = tuple((name, moved.get(name, images)) for name, images in layout.ins)
    return LinearLayout(ins, layout.outs)


def _in_bytes(layout: LinearLayout, across: int) -> LinearLayout:
    """Return the layout of bytes, of a layout of nibbles that are neighbours along a dimension."""
    bases = {name: [list(v) for v in vectors] for name, vectors in layout.bases.items()}
    bases["register"].pop(0)  # lane 0 of an operand is its next row, here within a byte
    for vectors in bases.values():
        for vector in vectors:
            vector[across] //= 2
    name = list(layout.out_dims)[across]
    outs = {n: size // 2 if n == name else size for n, size in layout.out_dims.items()}
    return LinearLayout.from_bases(bases, outs, surjective=False)
