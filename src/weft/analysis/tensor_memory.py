"""Where each buffer lies in tensor memory: 128 rows of 512 columns of 32 bits, per multiprocessor.

    %d = ttng.tmem_alloc : 128x128xf32      all rows, 128 columns
    %e = ttng.tmem_alloc : 64x128xf32       rows 0–15, 32–47, …: every other 16, 128 columns
    %f = ttng.tmem_alloc : 64x128xf32       may take the rows that %e leaves free

Buffers that are live at the same time share neither columns nor rows. A product of 64 rows reads a
left operand in tensor memory from the rows that it writes, so those two lie in the same half. The
block allocates as many columns as all take together, a power of two and at least 32.
Source: PTX ISA 9.0, tcgen05 tensor memory, its allocation and its layouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from weft.analysis.allocation import live_ranges
from weft.analysis.buffer_aliases import buffer_aliases
from weft.errors import CodegenError
from weft.ir import locations, tt, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import walk
from weft.ir.ttg import MemDescType
from weft.ir.ttng import TensorMemoryAttr
from weft.layouts import TensorMemoryEncoding, TensorMemoryScalesEncoding

__all__ = [
    "TensorMemory",
    "TensorPlace",
    "columns_of",
    "in_halves",
    "in_tensor_memory",
    "own_shape",
    "part_of_block",
    "tensor_memory",
]

_PRODUCTS = ("ttng.tc_gen5_mma", "ttng.tc_gen5_mma_scaled")
_LEAST, _WORD = 32, 32
_HALF_ROWS = 16
_HALF_OF_PAIRS = 64
_ALIGNMENT = 4  # columns: scales of a tile of 128 rows


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """Columns of tensor memory, from the first row of all or of the upper half.

    halves: of each group of 32 rows, the first 16, the others, or both.
    """

    column: int
    columns: int
    halves: tuple[int, ...]

    @property
    def address(self) -> int:
        """The place's start, as instructions write it: row, column."""
        return self.halves[0] * _HALF_ROWS << 16 | self.column

    def meets(self, other: TensorPlace) -> bool:
        """Tell whether two places have a word in common."""
        apart = self.column >= other.column + other.columns
        return not (apart or other.column >= self.column + self.columns) and not set(
            self.halves
        ).isdisjoint(other.halves)


@dataclass(frozen=True, slots=True)
class TensorMemory:
    """The tensor memory of a function.

    places: of the results of allocations.  columns: that the block allocates, 0 for none.
    may_be: which buffers a value may lie in.  pairs: whether two blocks multiply as one.
    """

    places: Mapping[SSAValue, TensorPlace]
    columns: int
    may_be: Mapping[SSAValue, frozenset[SSAValue]]
    pairs: bool = False

    def of(self, values: Iterable[SSAValue]) -> frozenset[TensorPlace]:
        """Return where values may lie."""
        return frozenset(
            self.places[buffer] for value in values for buffer in self.may_be.get(value, ())
        )


@dataclass(slots=True)
class _Buffer:
    value: SSAValue
    columns: int
    half: bool
    first: int
    last: int


def in_tensor_memory(value: SSAValue) -> bool:
    """Tell whether a value means a buffer of tensor memory."""
    type_ = value.type
    return isinstance(type_, MemDescType) and isinstance(type_.memory_space, TensorMemoryAttr)


def part_of_block(type_: MemDescType) -> MemDescType:
    """Return the type of what one block of a cluster holds of a buffer.

    Of pairs that hold 64 rows each it is the type itself: columns and rows of one are mixed there
    as no layout of a block alone has them. The other blocks' columns come behind.
    """
    encoding = type_.encoding
    if not isinstance(encoding, TensorMemoryEncoding | TensorMemoryScalesEncoding):
        return type_
    if (encoding.cta_split_m, encoding.cta_split_n) == (1, 1) or in_halves(type_):
        return type_
    own: TensorMemoryEncoding | TensorMemoryScalesEncoding = TensorMemoryScalesEncoding()
    if isinstance(encoding, TensorMemoryEncoding):
        own = TensorMemoryEncoding(encoding.block_m, encoding.block_n, encoding.col_stride)
    return MemDescType.of(
        (*type_.shape[:-2], *own_shape(type_)),
        type_.element_type,
        own,
        type_.memory_space,
        mutable=type_.is_mutable,
    )


def own_shape(type_: MemDescType) -> tuple[int, int]:
    """Return the rows and columns that one block of a cluster holds of a buffer."""
    rows, columns = type_.shape[-2:]
    encoding = type_.encoding
    if not isinstance(encoding, TensorMemoryEncoding | TensorMemoryScalesEncoding):
        return rows, columns
    return rows // encoding.cta_split_m, columns // encoding.cta_split_n


def in_halves(type_: MemDescType) -> bool:
    """Tell whether a block has the left half of its columns in rows 0-63, the right in 64-127.

    So do pairs of blocks that hold 64 rows each.
    Raises: CodegenError: several such tiles in a block.
    """
    encoding = type_.encoding
    if (
        not isinstance(encoding, TensorMemoryEncoding)
        or not encoding.two_ctas
        or encoding.block_m != _HALF_OF_PAIRS
        or encoding.cta_split_m == 1
    ):
        return False
    if own_shape(type_) != (encoding.block_m, encoding.block_n):
        raise CodegenError(
            "a pair of blocks that hold 64 rows each has one tile",
            found=f"{own_shape(type_)} in a block, blockN = {encoding.block_n}",
            accepted=[f"({encoding.block_m}, {encoding.block_n})"],
        )
    return True


def _in_pairs(value: SSAValue) -> bool:
    """Tell whether pairs of blocks work on a buffer as one."""
    encoding = value.type.encoding if isinstance(value.type, MemDescType) else None
    return isinstance(encoding, TensorMemoryEncoding) and encoding.two_ctas


def columns_of(type_: MemDescType) -> tuple[int, bool]:
    """Return the columns of one buffer, and whether it takes only every other 16 rows.

    Raises: CodegenError: a layout that is not one of tensor memory; as of `in_halves`.
    """
    if type_.encoding is None:
        raise CodegenError("the buffer has no layout", found=type_)
    type_ = part_of_block(type_)
    assert type_.encoding is not None
    layout = type_.encoding.linear(tuple(type_.shape[-2:]))
    rows = layout.images("row")
    half = len(rows) == 7 and not rows[4] and bool(rows[5])
    columns = layout.in_size("col") * types.bit_width(type_.element_type)
    if in_halves(type_):  # the columns are those of all blocks
        columns = columns * prod(own_shape(type_)) // prod(type_.shape[-2:])
    return max(1, columns // _WORD), half


def tensor_memory(function: tt.FuncOp, available: int) -> TensorMemory:
    """Return where every buffer of a function lies.

    Args: available: columns that the chip has.
    Raises: CodegenError: it has too few, with what takes them.
    """
    may_be = buffer_aliases(function, ttng.TMEMAllocOp)
    lives = live_ranges(function, may_be, ttng.TMEMAllocOp)
    buffers = []
    for value, (first, last) in lives.items():
        type_ = value.type
        assert isinstance(type_, MemDescType)
        columns, half = columns_of(type_)
        buffers.append(_Buffer(value, columns * prod(type_.shape[:-2]), half, first, last))
    if not buffers:
        return TensorMemory({}, 0, may_be)
    together = _same_half(function, may_be)
    places = _place(sorted(buffers, key=lambda one: (-one.columns, one.half, one.first)), together)
    used = max(place.column + place.columns for place in places.values())
    if used > available:
        _refuse(function, buffers, used, available)
    columns = max(_LEAST, 1 << (used - 1).bit_length())
    return TensorMemory(places, columns, may_be, any(map(_in_pairs, lives)))


def _same_half(
    function: tt.FuncOp, may_be: Mapping[SSAValue, frozenset[SSAValue]]
) -> Mapping[SSAValue, set[SSAValue]]:
    """Return for each buffer all that must lie in the same rows."""
    groups: dict[SSAValue, set[SSAValue]] = {}
    for op in walk(function):
        if op.name not in _PRODUCTS:
            continue
        tied = {*may_be.get(op.operands[0], ()), *may_be.get(op.operands[2], ())}
        for value in tuple(tied):
            tied |= groups.get(value, set())
        for value in tied:
            groups[value] = tied
    return groups


def _place(
    buffers: Sequence[_Buffer], together: Mapping[SSAValue, set[SSAValue]]
) -> dict[SSAValue, TensorPlace]:
    """Put each at the lowest column where nothing lies that is live with it."""
    placed: dict[SSAValue, TensorPlace] = {}
    done: list[_Buffer] = []
    for one in buffers:
        others = [
            placed[other.value]
            for other in done
            if other.first <= one.last and one.first <= other.last
        ]
        halves: list[tuple[int, ...]] = [(0, 1)]
        if one.half:
            tied = [placed[each] for each in together.get(one.value, ()) if each in placed]
            halves = [each.halves for each in tied if len(each.halves) == 1] or [(0,), (1,)]
        starts = {0, *(-(-(o.column + o.columns) // _ALIGNMENT) * _ALIGNMENT for o in others)}
        free = (
            TensorPlace(start, one.columns, half) for start in sorted(starts) for half in halves
        )
        placed[one.value] = next(
            place for place in free if not any(place.meets(other) for other in others)
        )
        done.append(one)
    return placed


def _refuse(function: tt.FuncOp, buffers: Sequence[_Buffer], used: int, available: int) -> None:
    largest = max(buffers, key=lambda one: one.columns)
    owner = largest.value.owner
    raise CodegenError(
        f"{function.symbol} needs more tensor memory than a multiprocessor has",
        location=locations.position(owner.location) if isinstance(owner, Operation) else None,
        found=f"{used} columns, of which {largest.value.type} takes {largest.columns}",
        accepted=[f"{available} columns"],
    )
