"""The layout of registers that an instruction loads from tensor memory, and stores to it.

An instruction reaches 16 or 32 rows; each of four warps has its own 32 of the 128 rows.

    32x32b     lane l has row l                          its registers: columns
    16x64b     a lane has one of two columns of a row    its registers: pairs of columns
    16x128b    lanes 1 and 2 are columns                 a register is row 8
    16x256b    lanes 1 and 2 are pairs of columns        a register is row 8

Row 16, which three of them leave out, is then a register, or with eight warps a warp. The other
warps split the columns. The layout of registers is that of the instruction's rows and columns,
composed with the layout of the memory. Elements narrower than 32 bits are packed first.

Source: PTX ISA, tcgen05.ld and tcgen05.st; Triton, lib/Dialect/TritonNvidiaGPU/IR/Dialect.cpp
(getDistributedLayoutForTmemLdSt).
"""

from __future__ import annotations

from weft.errors import LayoutError
from weft.layouts.encodings.base import Vectors
from weft.layouts.linear_layout import LinearLayout

__all__ = ["ACCESS_SHAPES", "tensor_memory_access_layout"]

_Bases = dict[str, list[list[int]]]

# The row and column of each bit of the lane, and of the register.
ACCESS_SHAPES: dict[str, tuple[list[list[int]], list[list[int]]]] = {
    "32x32b": ([[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], []),
    "16x64b": ([[8, 0], [0, 1], [1, 0], [2, 0], [4, 0]], []),
    "16x128b": ([[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], [[8, 0]]),
    "16x256b": ([[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], [[0, 1], [8, 0]]),
}
_WORD_BITS, _ROWS = 32, 128
_ALL_ROWS = "32x32b"


def tensor_memory_access_layout(
    memory: LinearLayout, shape: str, warps: int, bits: int, cga: Vectors | None = None
) -> LinearLayout | None:
    """Compute the layout from register, lane, warp and block of a load from tensor memory.

    Args:
        memory: the layout of the buffer, from row and col.
        shape: a key of ACCESS_SHAPES.
        warps: the number of warps, a power of two from 4.
        bits: the bits of an element.
        cga: basis vectors over the CTAs of a cluster; None for none.

    Returns:
        The layout, None if the instruction does not fit the memory.
    """
    if cga is not None:
        return _with_ctas(memory, shape, warps, bits, cga)
    if bits != _WORD_BITS:
        return _packed(memory, shape, warps, bits)
    return _of_words(memory, shape, warps)


def _with_ctas(
    memory: LinearLayout, shape: str, warps: int, bits: int, cga: Vectors
) -> LinearLayout | None:
    """Compute the layout of a CTA, and add the CTAs, which are the last columns."""
    rows, columns = (name for name, _ in memory.outs)
    ctas = LinearLayout.from_bases({"block": [list(v) for v in cga]}, [rows, columns])
    sizes = ctas.out_size(rows), ctas.out_size(columns)
    per_cta = memory.divide_right(_cta_columns(sizes, (rows, columns)))
    if per_cta is not None:
        layout = tensor_memory_access_layout(per_cta, shape, warps, bits)
        return None if layout is None else layout * ctas
    # Two CTAs share blocks of 64 rows: a bit of the row is a CTA, and one of the column a row.
    bases = memory.bases
    column = len(bases["col"]) - 1 - (sizes[0] * sizes[1] * warps // 4).bit_length() + 1
    bases["row"][-1], bases["col"][column] = bases["col"][column], bases["row"][-1]
    swapped = LinearLayout.from_bases(bases, memory.out_dims, surjective=False)
    per_pair = swapped.divide_right(_cta_columns((sizes[0] // 2, sizes[1]), (rows, columns)))
    if per_pair is None:
        return None
    layout = tensor_memory_access_layout(per_pair, shape, warps, bits)
    rest = ctas.divide_left(LinearLayout.identity_1d(2, "block", rows))
    if layout is None or rest is None:
        return None
    moved = layout.bases
    first = moved["register"].pop()
    first, moved["warp"][1] = moved["warp"][1], first
    moved["block"] = [*moved.get("block", []), first]
    return LinearLayout.from_bases(moved, layout.out_dims, surjective=False) * rest


def _cta_columns(sizes: tuple[int, int], outs: tuple[str, str]) -> LinearLayout:
    identity = LinearLayout.identity_1d
    return identity(sizes[0], "col", outs[0]) * identity(sizes[1], "col", outs[1])


def _packed(memory: LinearLayout, shape: str, warps: int, bits: int) -> LinearLayout | None:
    """Pack elements to words: neighbours in a row, else one element to a word."""
    columns = memory.outs[1][0]
    packed, words = 1, memory
    while bits * packed * 2 <= _WORD_BITS:
        pair = LinearLayout.identity_1d(2 * packed, "col", columns)
        quotient = memory.divide_left(pair)
        if quotient is None:
            break
        packed, words = 2 * packed, quotient
    registers = LinearLayout.identity_1d(packed, "register", columns)
    if packed > 1:
        return _times(registers, tensor_memory_access_layout(words, shape, warps, bits * packed))
    gap = LinearLayout.zeros_1d(_WORD_BITS // bits, "col", columns)
    if bits == _WORD_BITS // 2:
        pairs = memory.divide_left(gap * LinearLayout.identity_1d(2, "col", columns))
        if pairs is not None:
            registers = LinearLayout.identity_1d(2, "register", columns)
            return _times(registers, _of_words(pairs, shape, warps))
    spread = memory.divide_left(gap)
    return _of_words(memory if spread is None else spread, shape, warps)


def _times(registers: LinearLayout, layout: LinearLayout | None) -> LinearLayout | None:
    return None if layout is None else registers * layout


def _of_words(memory: LinearLayout, shape: str, warps: int) -> LinearLayout | None:
    lanes, registers = ACCESS_SHAPES[shape]
    width = 1 + max([0, *(column for _, column in (*lanes, *registers))])
    width = 1 << (width - 1).bit_length()
    missing = memory.in_size("col") // width
    if missing == 0:
        return None
    has_16_rows = not any(memory.basis("row", 4))
    covers_rows = shape == _ALL_ROWS
    used = lanes[:-1] if covers_rows else lanes
    if not _is_injective(memory, [*used, *registers]):
        return None
    tile: _Bases = {"register": list(registers), "lane": list(lanes), "warp": [[32, 0], [64, 0]]}
    row_16 = None if covers_rows or has_16_rows else "warp" if warps > 4 else "register"
    columns = warps // (8 if row_16 == "warp" else 4)
    repeated = columns // min(missing, columns)
    columns //= repeated
    missing //= columns
    if missing > 1 and covers_rows and has_16_rows:
        # Row 16 is that of lane 0: the upper lanes take half of the columns instead.
        tile["lane"][-1] = [0, width * missing // 2]
        missing_registers = missing // 2
    else:
        missing_registers = missing
    tile["register"] += _steps(width, missing_registers)
    if row_16 is not None:
        tile[row_16].append([16, 0])
    tile["warp"] += _steps(width * missing, columns)
    tile["warp"] += [[0, 0]] * (repeated.bit_length() - 1)
    places = LinearLayout.from_bases(
        tile, {"row": _ROWS, "col": memory.in_size("col")}, surjective=False
    )
    return places.compose(memory)


def _steps(first: int, size: int) -> list[list[int]]:
    """List the columns first, 2 * first, … below first * size."""
    return [[0, first << bit] for bit in range(size.bit_length() - 1)]


def _is_injective(memory: LinearLayout, places: list[list[int]]) -> bool:
    """Check whether rows and columns hold different elements."""
    try:
        tile = LinearLayout.from_bases(
            {"place": places},
            {"row": memory.in_size("row"), "col": memory.in_size("col")},
            surjective=False,
        )
    except LayoutError:
        return False
    return tile.compose(memory).is_injective
