"""Effects of operations on tensor memory, and which of them need a barrier in between.

    ttng.tmem_store %x, %a          threads write
    ── barrier ──                   the MMA reads what all threads wrote
    ttng.tc_gen5_mma %a, %b, %d     the tensor cores read and write
    ttng.wait_barrier               every thread waits for itself
    %y = ttng.tmem_load %d          threads read
    ── barrier ──                   the MMA writes what some threads may still read
    ttng.tc_gen5_mma %a, %b, %d

A warp reaches a quarter of the rows only, and its accesses complete in order. So accesses by
threads need no barrier in between as long as one warp does both: with at most 4 warps, or with the
same layout.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from weft.analysis.shared_memory_effects import FORWARDING, declared_effects
from weft.analysis.tensor_memory import TensorMemory, TensorMemoryRange, is_in_tensor_memory
from weft.ir import ttng, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.layouts import Encoding

__all__ = ["TensorMemoryAccess", "tensor_memory_accesses"]

_WARPS_FOR_ALL_ROWS = 4


class _Declared(Struct, frozen=True):
    """The effects of a class of operations, by the names of operands and results.

    Attributes:
        reads: The buffers that are read.
        writes: The buffers that are written.
        tensor: The tensor in registers that threads load or store; "" if the tensor cores access
            the buffers.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    tensor: str = ""


_DECLARED: dict[type[Operation], _Declared] = {
    **dict.fromkeys(FORWARDING, _Declared()),
    ttng.TCGen5CommitOp: _Declared(),
    ttng.TCGen5MMAOp: _Declared(reads=("a", "d"), writes=("d",)),
    ttng.TCGen5MMAScaledOp: _Declared(reads=("a", "d", "a_scale", "b_scale"), writes=("d",)),
    ttng.TMEMAllocOp: _Declared(writes=("result",), tensor="src"),
    ttng.TMEMCopyOp: _Declared(writes=("dst",)),
    ttng.TMEMLoadOp: _Declared(reads=("src",), tensor="result"),
    ttng.TMEMStoreOp: _Declared(writes=("dst",), tensor="src"),
    ttng.TMEMSubSliceOp: _Declared(),
    ttng.WaitBarrierOp: _Declared(),
}


class TensorMemoryAccess(Struct, frozen=True):
    """An access to a range of tensor memory.

    Attributes:
        range: The rows and columns.
        writes: Whether the access writes.
        layout: The layout of the tensor that threads load or store; None for the tensor cores.
        by_more_warps: Whether several warps reach the same rows.
    """

    range: TensorMemoryRange
    writes: bool
    layout: Encoding | None = None
    by_more_warps: bool = False

    @property
    def by_threads(self) -> bool:
        """Whether threads access the range, not the tensor cores."""
        return self.layout is not None

    def is_hazard_after(self, earlier: TensorMemoryAccess) -> bool:
        """Check whether a barrier is needed between an access by threads and this later one."""
        if not self.range.overlaps(earlier.range) or not (self.writes or earlier.writes):
            return False
        if not self.by_threads:
            return True
        return (self.by_more_warps or earlier.by_more_warps) and self.layout != earlier.layout


def tensor_memory_accesses(op: Operation, memory: TensorMemory) -> Sequence[TensorMemoryAccess]:
    """List the accesses of an operation to tensor memory.

    Raises:
        CodegenError: The operation uses tensor memory and its effects are not declared.
    """
    declared = declared_effects(op, _DECLARED, is_in_tensor_memory, "tensor memory")
    if declared is None:
        return ()
    tensor: SSAValue | None = getattr(op, declared.tensor) if declared.tensor else None
    if declared.tensor and tensor is None:
        return ()  # an allocation without an initial value
    layout, by_more_warps = (None, False) if tensor is None else _thread_layout(tensor.type)
    fields = [(name, False) for name in declared.reads]
    fields += [(name, True) for name in declared.writes]
    return [
        TensorMemoryAccess(range_, writes, layout, by_more_warps)
        for name, writes in fields
        for range_ in memory.ranges_of([getattr(op, name)])
    ]


def _thread_layout(type_: Attribute) -> tuple[Encoding | None, bool]:
    """Look up the layout of a tensor, and whether it has more warps than reach all rows."""
    layout = types.encoding(type_)
    if layout is None:
        return None, False
    return layout, layout.linear(types.shape(type_)).in_size("warp") > _WARPS_FOR_ALL_ROWS
