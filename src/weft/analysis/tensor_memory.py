"""Allocation of tensor memory: 128 rows of 512 columns of 32 bits per multiprocessor.

    %d = ttng.tmem_alloc : 128x128xf32      all rows, 128 columns
    %e = ttng.tmem_alloc : 64x128xf32       rows 0–15, 32–47, …: the lower half of each 32 rows
    %f = ttng.tmem_alloc : 64x128xf32       the upper half of the same columns

Buffers that are live at the same time overlap in columns or in rows, but not in both. An MMA of 64
rows with a left operand in tensor memory reads it from the rows that it writes, so both have to be
in the same half. A block allocates as many columns as all its buffers span: a power of two, and at
least 32.

Source: PTX ISA 9.0, tcgen05: tensor memory, allocation, data path layouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from msgspec import Struct

from weft.analysis.block_liveness import BlockLiveness
from weft.analysis.buffer_aliases import Aliases, buffer_aliases
from weft.analysis.liveness import Liveness, LiveRange
from weft.errors import CodegenError
from weft.ir import locations, tt, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import walk
from weft.ir.ttg import MemDescType
from weft.ir.ttng import TensorMemoryAttr
from weft.layouts import TensorMemoryEncoding, TensorMemoryScalesEncoding

__all__ = [
    "TensorMemory",
    "TensorMemoryRange",
    "columns_of",
    "cta_shape",
    "cta_type",
    "is_folded",
    "is_in_tensor_memory",
    "columns_to_allocate",
    "ranges_in_program_order",
    "tensor_memory",
]

_MIN_COLUMNS, _COLUMN_BITS = 32, 32
_HALF_ROWS = 16
_FOLDED_ROWS = 64
_COLUMN_ALIGNMENT = 4  # the columns of the scales of a tile of 128 rows
_BOTH_HALVES = (0, 1)


class TensorMemoryRange(Struct, frozen=True):
    """A rectangle of tensor memory.

    Attributes:
        column: The first column.
        columns: The number of columns.
        halves: Which rows of each group of 32: 0 for the first 16, 1 for the others.
    """

    column: int
    columns: int
    halves: tuple[int, ...]

    @property
    def first_row(self) -> int:
        """The first row: 0 or 16."""
        return self.halves[0] * _HALF_ROWS

    @property
    def address(self) -> int:
        """The address of the first element as instructions encode it: row << 16 | column."""
        return self.first_row << 16 | self.column

    def overlaps(self, other: TensorMemoryRange) -> bool:
        """Check whether both contain some element."""
        if self.column >= other.column + other.columns:
            return False
        if other.column >= self.column + self.columns:
            return False
        return not set(self.halves).isdisjoint(other.halves)


class TensorMemory(Struct, frozen=True):
    """The tensor memory of a function.

    Attributes:
        ranges: The rectangle of each buffer, by the result of its allocation.
        columns: The number of columns that the block allocates, 0 for none.
        aliases: The buffers that each value may refer to.
        two_ctas: Whether two blocks of a cluster work on the buffers as one.
    """

    ranges: Mapping[SSAValue, TensorMemoryRange]
    columns: int
    aliases: Aliases
    two_ctas: bool = False

    def ranges_of(self, values: Iterable[SSAValue]) -> frozenset[TensorMemoryRange]:
        """Collect the rectangles that some values may refer to."""
        return frozenset(
            self.ranges[buffer] for value in values for buffer in self.aliases.get(value, ())
        )


class _Request(Struct):
    """A buffer to place: its result, columns, rows (a half of them or all), and live range."""

    buffer: SSAValue
    columns: int
    is_half: bool
    live: LiveRange

    def is_live_with(self, other: _Request) -> bool:
        return self.live.overlaps(other.live)


def is_in_tensor_memory(value: SSAValue) -> bool:
    """Check whether a value refers to a buffer of tensor memory."""
    type_ = value.type
    return isinstance(type_, MemDescType) and isinstance(type_.memory_space, TensorMemoryAttr)


def cta_type(type_: MemDescType) -> MemDescType:
    """Compute the type of the part of a buffer that one block of a cluster holds.

    A folded buffer keeps its type: its rows and columns are mixed as in no layout of one
    block has.
    """
    encoding = type_.encoding
    if not isinstance(encoding, TensorMemoryEncoding | TensorMemoryScalesEncoding):
        return type_
    if (encoding.cta_split_m, encoding.cta_split_n) == (1, 1) or is_folded(type_):
        return type_
    own: TensorMemoryEncoding | TensorMemoryScalesEncoding = TensorMemoryScalesEncoding()
    if isinstance(encoding, TensorMemoryEncoding):
        own = TensorMemoryEncoding(encoding.block_m, encoding.block_n, encoding.col_stride)
    return MemDescType.of(
        (*type_.shape[:-2], *cta_shape(type_)),
        type_.element_type,
        own,
        type_.memory_space,
        mutable=type_.is_mutable,
    )


def cta_shape(type_: MemDescType) -> tuple[int, int]:
    """Compute the rows and columns of a buffer that one block of a cluster holds."""
    rows, columns = type_.shape[-2:]
    encoding = type_.encoding
    if not isinstance(encoding, TensorMemoryEncoding | TensorMemoryScalesEncoding):
        return rows, columns
    return rows // encoding.cta_split_m, columns // encoding.cta_split_n


def is_folded(type_: MemDescType) -> bool:
    """Check whether the left half of the columns is in rows 0–63, the right half in rows 64–127.

    That is the layout of two blocks that work as one on 64 rows each.

    Raises:
        CodegenError: A block has several such tiles.
    """
    encoding = type_.encoding
    if (
        not isinstance(encoding, TensorMemoryEncoding)
        or not encoding.two_ctas
        or encoding.block_m != _FOLDED_ROWS
        or encoding.cta_split_m == 1
    ):
        return False
    if cta_shape(type_) != (encoding.block_m, encoding.block_n):
        raise CodegenError(
            "a pair of blocks that hold 64 rows each has one tile",
            found=f"{cta_shape(type_)} in a block, blockN = {encoding.block_n}",
            accepted=[f"({encoding.block_m}, {encoding.block_n})"],
        )
    return True


def columns_of(type_: MemDescType) -> tuple[int, bool]:
    """Compute the columns of one buffer, and whether it has only half of the rows.

    Raises:
        CodegenError: The buffer has no layout; or as for `is_folded`.
    """
    if type_.encoding is None:
        raise CodegenError("the buffer has no layout", found=type_)
    type_ = cta_type(type_)
    assert type_.encoding is not None
    layout = type_.encoding.linear(tuple(type_.shape[-2:]))
    rows = layout.images("row")
    # 128 rows of which bit 4 leads to no other element: the second 16 of each 32 are not used.
    is_half = len(rows) == 7 and not rows[4] and bool(rows[5])
    columns = layout.in_size("col") * types.bit_width(type_.element_type)
    if is_folded(type_):  # the layout has the columns of both blocks
        columns = columns * prod(cta_shape(type_)) // prod(type_.shape[-2:])
    return max(1, columns // _COLUMN_BITS), is_half


def tensor_memory(function: tt.FuncOp, available: int) -> TensorMemory:
    """Allocate the tensor memory of a function.

    Args:
        function: A function with a body.
        available: The number of columns that the chip has.

    Raises:
        CodegenError: The function needs more columns.
    """
    aliases = buffer_aliases(function, ttng.TMEMAllocOp)
    mbarriers = buffer_aliases(function, ttg.LocalAllocOp)
    live_ranges = Liveness(function).of_buffers(ttng.TMEMAllocOp, aliases, mbarriers)
    requests = _requests(live_ranges)
    if not requests:
        return TensorMemory({}, 0, aliases)
    largest_first = sorted(requests, key=lambda one: (-one.columns, one.is_half, one.live.first))
    ranges = _first_fit(largest_first, _same_half_groups(function, aliases))
    used = max(range_.column + range_.columns for range_ in ranges.values())
    if used > available:
        _raise_out_of_memory(function, requests, used, available)
    two_ctas = any(_has_two_ctas(request.buffer) for request in requests)
    return TensorMemory(ranges, columns_to_allocate(used), aliases, two_ctas)


def ranges_in_program_order(function: tt.FuncOp) -> dict[SSAValue, TensorMemoryRange]:
    """Place the buffers of a function as Triton does: first fit in the order of the allocations.

    The function may have several blocks.

    Returns:
        The rectangle of each buffer, whether or not the chip has that many columns.
    """
    aliases = buffer_aliases(function, ttng.TMEMAllocOp)
    live_ranges = BlockLiveness(function).of_buffers(ttng.TMEMAllocOp, aliases)
    return _first_fit(_requests(live_ranges), _same_half_groups(function, aliases))


def columns_to_allocate(used: int) -> int:
    """Round a number of columns up to what tcgen05.alloc takes."""
    return max(_MIN_COLUMNS, 1 << (used - 1).bit_length())


def _requests(live_ranges: Mapping[SSAValue, LiveRange]) -> list[_Request]:
    """List the buffers of a function with the rectangles that they need."""
    requests: list[_Request] = []
    for buffer, live in live_ranges.items():
        type_ = buffer.type
        assert isinstance(type_, MemDescType)
        columns, is_half = columns_of(type_)
        requests.append(_Request(buffer, columns * prod(type_.shape[:-2]), is_half, live))
    return requests


def _has_two_ctas(buffer: SSAValue) -> bool:
    encoding = buffer.type.encoding if isinstance(buffer.type, MemDescType) else None
    return isinstance(encoding, TensorMemoryEncoding) and encoding.two_ctas


def _same_half_groups(function: tt.FuncOp, aliases: Aliases) -> Mapping[SSAValue, set[SSAValue]]:
    """Find for each buffer those that have to be in the same rows: operands of one MMA."""
    groups: dict[SSAValue, set[SSAValue]] = {}
    for op in walk(function):
        if not isinstance(op, ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp):
            continue
        group = {*aliases.get(op.a, ()), *aliases.get(op.d, ())}
        for buffer in tuple(group):
            group |= groups.get(buffer, set())
        for buffer in group:
            groups[buffer] = group
    return groups


def _first_fit(
    requests: Sequence[_Request], groups: Mapping[SSAValue, set[SSAValue]]
) -> dict[SSAValue, TensorMemoryRange]:
    """Place each buffer at the lowest column where it overlaps none that is live with it."""
    ranges: dict[SSAValue, TensorMemoryRange] = {}
    for number, request in enumerate(requests):
        others = [
            ranges[other.buffer] for other in requests[:number] if request.is_live_with(other)
        ]
        halves: list[tuple[int, ...]] = [_BOTH_HALVES]
        if request.is_half:
            group = [ranges[other] for other in groups.get(request.buffer, ()) if other in ranges]
            halves = [other.halves for other in group if len(other.halves) == 1] or [(0,), (1,)]
        starts = {0, *(_align(other.column + other.columns) for other in others)}
        candidates = (
            TensorMemoryRange(start, request.columns, half)
            for start in sorted(starts)
            for half in halves
        )
        ranges[request.buffer] = next(
            candidate
            for candidate in candidates
            if not any(candidate.overlaps(other) for other in others)
        )
    return ranges


def _align(column: int) -> int:
    return -(-column // _COLUMN_ALIGNMENT) * _COLUMN_ALIGNMENT


def _raise_out_of_memory(
    function: tt.FuncOp, requests: Sequence[_Request], used: int, available: int
) -> None:
    largest = max(requests, key=lambda request: request.columns)
    owner = largest.buffer.owner
    raise CodegenError(
        f"{function.symbol} needs more tensor memory than a multiprocessor has",
        location=locations.position(owner.location) if isinstance(owner, Operation) else None,
        found=f"{used} columns, of which {largest.buffer.type} takes {largest.columns}",
        accepted=[f"{available} columns"],
    )
