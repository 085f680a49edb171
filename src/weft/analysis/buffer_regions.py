"""Which bytes of shared memory, or columns of tensor memory, a memory descriptor may refer to.

    %a = ttg.local_alloc {allocation.offset = 4096} : 2x32x32xf32        [4096, 8192]
    %b = ttg.memdesc_index %a[%i]                                        [4096, 4096], [8192, 4096]
    %c = scf.if … %b … %other                                            those of both

A lattice element is a set of (offset, length), the join is the union. The index of a
`ttg.memdesc_index` is not known, so the result may be any buffer. A region of tensor memory is
given by its first column and row, column | row << 16, and the number of columns.

Needs the offsets that the allocation passes write. Triton has the same analysis for its concurrency
sanitizer (Analysis/BufferRegion.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from math import prod

from msgspec import Struct
from typing_extensions import override

from weft.analysis.dataflow import SparseForwardAnalysis
from weft.analysis.shared_memory_effects import is_in_shared_memory
from weft.analysis.tensor_memory import columns_of, is_in_tensor_memory
from weft.errors import PassError
from weft.ir import locations, tt, ttg, ttng, types
from weft.ir.attributes import array_values, number
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.rewriting import walk
from weft.ir.ttg import MemDescType
from weft.layouts import PaddedSharedEncoding

__all__ = ["BufferRegion", "BufferRegions", "Memory", "buffer_regions", "is_memory_access"]


class Memory(Enum):
    """What a region is part of, by its name in triton-opt's remarks."""

    SHARED = "Shared"
    TENSOR = "Tensor"
    BARRIER = "Barrier"  # mbarriers, in shared memory


class BufferRegion(Struct, frozen=True, order=True):
    """A region of memory.

    Attributes:
        offset: The first byte, or the first column and row of tensor memory.
        length: The number of bytes, or of columns.
    """

    offset: int
    length: int

    def __str__(self) -> str:
        return f"[{self.offset}, {self.length}]"


_Regions = frozenset[BufferRegion]

_ACCESSES = (
    tt.DotOp,
    tt.DotScaledOp,
    ttg.AsyncCopyGlobalToLocalOp,
    ttg.LocalLoadOp,
    ttg.LocalStoreOp,
    ttng.AsyncTMACopyGlobalToLocalOp,
    ttng.AsyncTMACopyLocalToGlobalOp,
    ttng.AsyncTMAGatherOp,
    ttng.AsyncTMAScatterOp,
    ttng.BarrierExpectOp,
    ttng.InitBarrierOp,
    ttng.InvalBarrierOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
    ttng.TMEMLoadOp,
    ttng.TMEMStoreOp,
    ttng.WaitBarrierOp,
    ttng.WarpGroupDotOp,
)
_ALLOCATIONS = (ttg.LocalAllocOp, ttng.TMEMAllocOp)
_SAME_BYTES = (ttg.MemDescReinterpretOp, ttg.MemDescReshapeOp, ttg.MemDescTransOp)


class BufferRegions(Struct, frozen=True):
    """The regions of the values of a module.

    Attributes:
        module: The module.
        states: The regions of each memory descriptor.
    """

    module: ModuleOp
    states: dict[SSAValue, _Regions]

    def __getitem__(self, value: SSAValue) -> list[BufferRegion]:
        return sorted(self.states.get(value, ()))

    def accessed(self, memory: Memory) -> list[BufferRegion]:
        """List the regions of one kind of memory that operations access, in order."""
        regions: set[BufferRegion] = set()
        for op in walk(self.module):
            if is_memory_access(op):
                for value in _accessed_values(op):
                    if _memory_of(value) is memory:
                        regions.update(self.states.get(value, ()))
        return sorted(regions)


def buffer_regions(module: ModuleOp) -> BufferRegions:
    """Find the regions that each memory descriptor of a module may refer to.

    Raises:
        PassError: An allocation has no offset, or an operation uses memory in an unknown way.
    """
    analysis = _BufferRegionAnalysis()
    analysis.run(module)
    return BufferRegions(module, analysis.states)


def is_memory_access(op: Operation) -> bool:
    """Check whether an operation accesses shared or tensor memory."""
    return isinstance(op, _ACCESSES) or (isinstance(op, _ALLOCATIONS) and bool(op.operands))


def _accessed_values(op: Operation) -> Iterator[SSAValue]:
    """Yield the values through which an operation may access memory."""
    if isinstance(op, _ALLOCATIONS):
        yield op.results[0]
    yield from op.operands


def _memory_of(value: SSAValue) -> Memory | None:
    """Find the memory that a value refers to, None for other values."""
    if any(value in _mbarriers_of(use.operation) for use in value.uses):
        return Memory.BARRIER
    if is_in_shared_memory(value):
        return Memory.SHARED
    return Memory.TENSOR if is_in_tensor_memory(value) else None


def _mbarriers_of(op: Operation) -> tuple[SSAValue, ...]:
    """List the mbarriers that an operation initializes, invalidates, or expects to arrive."""
    if isinstance(op, ttng.InitBarrierOp | ttng.BarrierExpectOp | ttng.InvalBarrierOp):
        return (op.alloc,)
    if isinstance(op, ttng.AsyncTMACopyGlobalToLocalOp | ttng.AsyncTMAGatherOp):
        return (op.barrier,)
    if isinstance(op, ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp):
        return tuple(op.barriers)
    return ()


class _BufferRegionAnalysis(SparseForwardAnalysis[_Regions]):
    @override
    def join(self, first: _Regions, second: _Regions) -> _Regions:
        return first | second

    @override
    def entry_state(self, value: SSAValue) -> _Regions | None:
        return frozenset() if isinstance(value.type, MemDescType) else None

    @override
    def visit_operation(self, op: Operation) -> None:
        if isinstance(op, _ALLOCATIONS):
            region = BufferRegion(_offset_of(op), _length(op.results[0]))
            self.update(op.results[0], frozenset({region}))
        elif isinstance(op, ttg.MemDescIndexOp):
            source, length = op.operands[0], _length(op.results[0])
            self._update_parts(op, [n * length for n in range(_memdesc(source).shape[0])])
        elif isinstance(op, ttg.MemDescSubsliceOp):
            self._update_parts(op, [_subslice_bytes(op)])
        elif isinstance(op, ttng.TMEMSubSliceOp):
            self._update_parts(op, [int(number(op.N) or 0)])
        elif isinstance(op, _SAME_BYTES):
            self.update(op.results[0], self.states.get(op.operands[0]))
        elif not is_memory_access(op) and any(map(_is_memory, op.operands)):
            raise PassError(
                "Operation accessing memory unaccounted for in buffer region analysis",
                location=locations.position(op.location),
                found=op.name,
            )

    def _update_parts(self, op: Operation, distances: list[int]) -> None:
        """Set the regions of a view, given its distances from the start of its source."""
        regions, length = self.states.get(op.operands[0]), _length(op.results[0])
        if regions is not None:
            parts = {
                BufferRegion(one.offset + step, length) for one in regions for step in distances
            }
            self.update(op.results[0], frozenset(parts))


def _is_memory(value: SSAValue) -> bool:
    return is_in_shared_memory(value) or is_in_tensor_memory(value)


def _memdesc(value: SSAValue) -> MemDescType:
    assert isinstance(value.type, MemDescType)
    return value.type


def _offset_of(op: Operation) -> int:
    """Read the offset that an allocation pass wrote."""
    names = ("allocation.offset",)
    if isinstance(op, ttng.TMEMAllocOp):
        names = ("tensor_memory_col_offset", "tensor_memory_row_offset")
    offsets = [number(op.attributes.get(name)) for name in names]
    for name, offset in zip(names, offsets, strict=True):
        if offset is None:
            raise PassError(
                f"the allocation has no {name}",
                location=locations.position(op.location),
                hint="run allocate-shared-memory and triton-tensor-memory-allocation first",
            )
    return sum(int(offset or 0) << 16 * n for n, offset in enumerate(offsets))


def _length(value: SSAValue) -> int:
    """Count the bytes of a memory descriptor, or its columns of tensor memory."""
    type_ = _memdesc(value)
    if is_in_tensor_memory(value):
        columns, _ = columns_of(type_)
        return columns * prod(type_.shape[:-2])
    return prod(type_.shape) * types.bit_width(type_.element_type) // 8


def _subslice_bytes(op: ttg.MemDescSubsliceOp) -> int:
    """Compute the distance of a slice from the start of the buffer."""
    source = _memdesc(op.operands[0])
    encoding, start = source.encoding, array_values(op.offsets)
    assert encoding is not None
    layout = encoding.linear(tuple(source.shape))
    names = [name for name, _ in layout.outs]
    offsets = layout.sublayout(["offset"], names).invert()
    elements = offsets.apply(dict(zip(names, start, strict=True)))["offset"]
    if isinstance(encoding, PaddedSharedEncoding):
        elements = encoding.padded(elements)
    return elements * types.bit_width(source.element_type) // 8
