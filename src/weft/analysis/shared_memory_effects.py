"""Effects of operations on shared memory: which buffers they read, write and signal, and who does.

    ttg.local_load %b               reads the buffer of its operand `src`
    ttg.local_store %x, %b          writes the buffer of its operand `dst`
    ttg.memdesc_index %b[%i]        no effect: its result refers to the same buffer

The agent of an effect decides who has to be synchronized with whom. It is all threads, the first
warp of the block on behalf of all, or a hardware unit that works asynchronously: the TMA, the
tensor cores (wgmma) or AMD's TDM.

    ttng.init_barrier %m            the first warp writes %m
    ttng.async_tma_copy… %b, %m     the TMA writes `result` later, and then arrives on `barrier`

The tables name operands and results as the operations do. An operation that is missing from them
must not have a buffer as operand or result: without its effects no barrier can be placed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import TypeVar

from msgspec import Struct

from weft.errors import CodegenError
from weft.ir import amdg, arith, cf, locations, scf, ttg, ttng
from weft.ir.attributes import number
from weft.ir.builtin import Operation, SSAValue
from weft.ir.ttg import MemDescType, SharedMemoryAttr

__all__ = [
    "FORWARDING",
    "Agent",
    "SharedMemoryEffects",
    "declared_effects",
    "is_in_shared_memory",
    "shared_memory_effects",
]

Declaration = TypeVar("Declaration")


class Agent(Enum):
    """Who accesses a buffer."""

    THREADS = auto()  # each thread of the block
    FIRST_WARP = auto()  # the first warp of the block, on behalf of all
    TMA = auto()  # NVIDIA's tensor memory accelerator
    WGMMA = auto()  # Hopper's tensor cores, asynchronously
    TDM = auto()  # AMD's tensor data mover, and AMD's copies that arrive on an mbarrier


class SharedMemoryEffects(Struct, frozen=True):
    """The effects of one operation.

    Attributes:
        reads: Values that refer to the buffers that it reads.
        writes: Values that refer to the buffers that it writes.
        signals: Values that refer to the mbarriers that it arrives on or expects bytes at. The
            phases of an mbarrier order these accesses; no barrier is needed between two of them.
        agent: Who accesses the buffers.
    """

    reads: Sequence[SSAValue] = ()
    writes: Sequence[SSAValue] = ()
    signals: Sequence[SSAValue] = ()
    agent: Agent = Agent.THREADS


class _Declared(Struct, frozen=True):
    """The effects of a class of operations, by the names of operands and results."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    agent: Agent = Agent.THREADS


# Operations that only pass on which buffer a value refers to.
FORWARDING: tuple[type[Operation], ...] = (
    arith.SelectOp,
    cf.BranchOp,
    cf.CondBranchOp,
    scf.ConditionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.YieldOp,
    ttg.LocalDeallocOp,
    ttg.MemDescIndexOp,
    ttg.MemDescReinterpretOp,
    ttg.MemDescReshapeOp,
    ttg.MemDescSubsliceOp,
    ttg.MemDescTransOp,
    ttg.WarpSpecializeOp,
    ttg.WarpSpecializePartitionsOp,
    ttg.WarpYieldOp,
    ttng.WarpGroupDotWaitOp,
)
_TMA_LOAD = _Declared(writes=("result",), signals=("barrier",), agent=Agent.TMA)
_TMA_STORE = _Declared(reads=("src",), agent=Agent.TMA)
# The tensor cores read on until they arrive on an mbarrier; the IR has a wait for it.
_TCGEN05_MMA = _Declared(reads=("a", "b"), signals=("barriers",), agent=Agent.FIRST_WARP)
_TDM_LOAD = _Declared(writes=("result",), signals=("barrier",), agent=Agent.TDM)
_TDM_STORE = _Declared(reads=("src",), signals=("barrier",), agent=Agent.TDM)
_DECLARED: dict[type[Operation], _Declared] = {
    **dict.fromkeys(FORWARDING, _Declared()),
    amdg.ArriveBarrierOp: _Declared(signals=("alloc",)),
    amdg.AsyncCopyLocalToGlobalOp: _Declared(reads=("src",)),
    amdg.AsyncCopyMbarrierArriveOp: _Declared(signals=("barrier",)),
    amdg.AsyncTDMCopyGlobalToLocalOp: _TDM_LOAD,
    amdg.AsyncTDMCopyLocalToGlobalOp: _TDM_STORE,
    amdg.AsyncTDMGatherOp: _Declared(writes=("dst",), signals=("barrier",), agent=Agent.TDM),
    amdg.AsyncTDMScatterOp: _TDM_STORE,
    amdg.BufferLoadToLocalOp: _Declared(writes=("dest",)),
    amdg.InitBarrierOp: _Declared(writes=("alloc",), agent=Agent.FIRST_WARP),
    amdg.LocalLoadPackedTransposedOp: _Declared(reads=("src",)),
    amdg.WaitBarrierOp: _Declared(reads=("alloc",)),
    ttg.AsyncCopyGlobalToLocalOp: _Declared(writes=("result",)),
    ttg.LocalAllocOp: _Declared(writes=("result",)),
    ttg.LocalGatherOp: _Declared(reads=("src",)),
    ttg.LocalLoadOp: _Declared(reads=("src",)),
    ttg.LocalScatterOp: _Declared(writes=("dst",)),
    ttg.LocalStoreOp: _Declared(writes=("dst",)),
    ttng.ArriveBarrierOp: _Declared(signals=("alloc",), agent=Agent.FIRST_WARP),
    ttng.AsyncCopyMbarrierArriveOp: _Declared(reads=("barrier",)),
    ttng.AsyncTMACopyGlobalToLocalOp: _TMA_LOAD,
    ttng.AsyncTMACopyLocalToGlobalOp: _TMA_STORE,
    ttng.AsyncTMAGatherOp: _TMA_LOAD,
    ttng.AsyncTMAReduceOp: _TMA_STORE,
    ttng.AsyncTMAScatterOp: _TMA_STORE,
    ttng.BarrierExpectOp: _Declared(signals=("alloc",), agent=Agent.FIRST_WARP),
    ttng.InitBarrierOp: _Declared(writes=("alloc",), agent=Agent.FIRST_WARP),
    ttng.InvalBarrierOp: _Declared(writes=("alloc",), agent=Agent.FIRST_WARP),
    ttng.TCGen5CommitOp: _Declared(signals=("barrier",), agent=Agent.FIRST_WARP),
    ttng.TCGen5MMAOp: _TCGEN05_MMA,
    ttng.TCGen5MMAScaledOp: _TCGEN05_MMA,
    ttng.TMEMCopyOp: _Declared(reads=("src",), signals=("barrier",), agent=Agent.FIRST_WARP),
    ttng.WaitBarrierOp: _Declared(reads=("alloc",)),
    ttng.WarpGroupDotOp: _Declared(reads=("a", "b"), agent=Agent.WGMMA),
}


def is_in_shared_memory(value: SSAValue) -> bool:
    """Check whether a value refers to a buffer of shared memory."""
    type_ = value.type
    return type(type_) is MemDescType and type(type_.memory_space) is SharedMemoryAttr


def declared_effects(
    op: Operation,
    table: Mapping[type[Operation], Declaration],
    is_buffer: Callable[[SSAValue], bool],
    memory: str,
) -> Declaration | None:
    """Look up the effects of an operation on one kind of memory.

    Args:
        op: The operation.
        table: Effects by class.
        is_buffer: Checks whether a value refers to a buffer of that memory.
        memory: The name of the memory, for the error message.

    Returns:
        The row of the table; None if the operation has no effect on that memory.

    Raises:
        CodegenError: The operation has such a buffer as operand or result, but no row.
    """
    declaration = table.get(type(op))
    if declaration is None and any(is_buffer(value) for value in (*op.operands, *op.results)):
        raise CodegenError(
            f"unknown effect of {op.name} on {memory}",
            location=locations.position(op.location),
            found=op.name,
            accepted=sorted(cls.name for cls in table),
        )
    return declaration


def shared_memory_effects(op: Operation) -> SharedMemoryEffects:
    """Compute the effects of an operation on shared memory.

    Raises:
        CodegenError: The operation uses shared memory and its effects are not declared.
    """
    declared = declared_effects(op, _DECLARED, is_in_shared_memory, "shared memory")
    if declared is None:
        return SharedMemoryEffects()
    if isinstance(op, ttg.LocalAllocOp) and not op.operands:
        return SharedMemoryEffects()  # an allocation without an initial value writes nothing
    signals = _buffers(op, declared.signals)
    agent = declared.agent
    is_synchronous = (
        # A dot that is not asynchronous waits for its tensor cores itself.
        agent is Agent.WGMMA and not number(op.properties.get("isAsync"))
    ) or (
        # Without an mbarrier threads wait for their own copies, then at a barrier for the others.
        agent is Agent.TDM and not signals
    )
    return SharedMemoryEffects(
        _buffers(op, declared.reads),
        _buffers(op, declared.writes),
        signals,
        Agent.THREADS if is_synchronous else agent,
    )


def _buffers(op: Operation, names: Iterable[str]) -> list[SSAValue]:
    """List the buffers of shared memory among some operands and results of an operation."""
    buffers: list[SSAValue] = []
    for name in names:
        field: SSAValue | Sequence[SSAValue] | None = getattr(op, name)
        values = [field] if isinstance(field, SSAValue) else list(field or ())
        buffers += [value for value in values if is_in_shared_memory(value)]
    return buffers
