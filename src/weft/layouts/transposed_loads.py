"""What lanes load so that a transposing load gives them an operand of a matrix instruction.

With ds_read_b64_tr_b16 each lane loads four neighbouring elements of a row, and 16 lanes exchange
them, so that each lane receives a column of four. To give lane l four elements along K of row l
(the left operand of a 16x16 MFMA) from a buffer whose rows are contiguous along M, the lanes load:

    operand     register: K 1, 2, 4, …      lane: row 1, 2, 4, 8; K 8, 16
    loaded      register: row 1, 2; K 4, …  lane: row 4, 8; K 1, 2; K 8, 16

In the loaded layout, the bits within a loaded row come first, then the registers that the
instruction does not permute, and the lane is the one that gives the address of the row
(`weft.layouts.instruction_tiles`). Two elements of 4 bits share a byte: neighbours of a column in
shared memory, neighbours along K in the operand.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError, did_you_mean
from weft.layouts.encodings import DotOperandEncoding
from weft.layouts.instruction_tiles import TILES, InstructionTile
from weft.layouts.linear_layout import LinearLayout

__all__ = ["loaded_rows", "transposing_load"]


def transposing_load(
    operand: DotOperandEncoding, shape: Sequence[int], instruction: str
) -> LinearLayout:
    """Compute the elements that each lane of each warp loads.

    Args:
        operand: what the registers hold after the load; for 4-bit elements, kWidth counts bytes.
        shape: the shape of the tensor in shared memory; for 4-bit elements in bytes, each of two
            adjacent elements of a row of A or column of B.
        instruction: the name: "ds_read_b64_tr_b16", "ds_load_tr8_b64", "ds_read_b64_tr_b4", ….

    Returns:
        A layout from register, lane, warp and block to the tensor in shared memory.

    Raises:
        LayoutError: the instruction cannot load the operand.
    """
    tile = _instruction_tile(instruction)
    if tile.element_bits != (4,):
        return loaded_rows(operand.linear(shape), tile)
    # The operand packs two elements along K into a byte, the memory two along the other dimension.
    # So compute in elements, and pack the result along the memory's dimension.
    packed_dim = len(shape) - (2 if operand.op_idx == 0 else 1)
    elements = tuple(2 * size if dim == packed_dim else size for dim, size in enumerate(shape))
    in_elements = DotOperandEncoding(operand.op_idx, operand.parent, 2 * operand.k_width)
    return _in_bytes(loaded_rows(in_elements.linear(elements), tile), packed_dim)


def _instruction_tile(instruction: str) -> InstructionTile:
    loads = {name: tiles[0] for name, tiles in TILES.items() if name.startswith("ds_")}
    tile = loads.get(instruction)
    if tile is None:
        raise LayoutError(
            f"unknown transposing load {instruction}",
            accepted=loads,
            hint=did_you_mean(instruction, loads),
        )
    return tile


def loaded_rows(layout: LinearLayout, tile: InstructionTile) -> LinearLayout:
    """Compute the rows that address lanes load so that an instruction produces a layout.

    Args:
        layout: a layout from register, lane, … to a tensor.
        tile: the instruction; the lowest register bits of the layout are its own.

    Raises:
        LayoutError: the layout has too few registers or another number of lanes, or the elements
            of a row are not neighbours.
    """
    registers, lanes = layout.images("register"), layout.images("lane")
    if len(registers) < tile.registers:
        raise LayoutError(
            f"{tile.name} produces {1 << tile.registers} registers", found=1 << len(registers)
        )
    if len(tile.address) != len(lanes):
        raise LayoutError(f"{tile.name} is for {1 << len(tile.address)} lanes", found=len(lanes))
    # Exchange the bits: those within a row become registers, those that address a row become lanes.
    by_letter = {"r": registers, "l": lanes}
    within_row = [by_letter[bit[0]][int(bit[1:])] for bit in tile.offset]
    rows = [by_letter[bit[0]][int(bit[1:])] for bit in tile.address]
    first = within_row[0]
    if first not in [1 << shift for shift in layout.out_shifts.values()] or any(
        vector != first << bit for bit, vector in enumerate(within_row)
    ):
        raise LayoutError(
            f"{tile.name} needs neighbouring lanes along one dimension",
            found=[list(layout.unpack(vector)) for vector in within_row],
        )
    loaded = {"register": (*within_row, *registers[tile.registers :]), "lane": tuple(rows)}
    ins = tuple((name, loaded.get(name, images)) for name, images in layout.ins)
    return LinearLayout(ins, layout.outs)


def _in_bytes(layout: LinearLayout, packed_dim: int) -> LinearLayout:
    """Compute the layout of bytes of a layout of 4-bit elements.

    Args:
        layout: the layout of the elements; its first register bit is the element within a byte.
        packed_dim: the dimension in which a byte holds two neighbours.
    """
    bases = layout.bases
    bases["register"].pop(0)  # the element within a byte
    for vectors in bases.values():
        for vector in vectors:
            vector[packed_dim] //= 2
    name = list(layout.out_dims)[packed_dim]
    outs = {n: size // 2 if n == name else size for n, size in layout.outs}
    return LinearLayout.from_bases(bases, outs, surjective=False)
