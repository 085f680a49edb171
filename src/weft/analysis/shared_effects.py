"""What each operation does to the buffers of shared memory that it is given.

    ttg.local_load %b               reads what its operand `src` means
    ttg.local_store %x, %b          writes what its operand `dst` means
    ttg.memdesc_index %b[%i]        touches nothing: its result means the same buffer

Who does it matters: all threads on their own, the block's first warp for all of them, or an engine
(for copies, or for dots) that goes on after the operation is done.

    ttng.init_barrier %m            the first warp writes it
    ttng.async_tma_copy… %b, %m     the copy engine writes `result` later, and tells `barrier`

Fields are named as the operations name them. A buffer that reaches an operation without a row is
an error: nobody could say where threads must wait.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from xdsl.ir import Operation, SSAValue

from weft.errors import CodegenError
from weft.ir import locations
from weft.ir.attributes import number
from weft.ir.ttg import MemDescType, SharedMemoryAttr

__all__ = ["PASSES_ON", "Agent", "SharedEffect", "Touched", "is_shared", "row_of", "shared_effect"]


Row = TypeVar("Row")


class Agent(Enum):
    """Who touches a buffer."""

    THREADS = "all threads"
    FIRST_WARP = "the block's first warp"
    COPIES = "the copy engine"
    DOTS = "the tensor cores"
    MOVER = "AMD's tensor data mover, or the chip's copies, that tell a barrier of arrivals"


@dataclass(frozen=True, slots=True)
class SharedEffect:
    """The fields of an operation whose buffers it reads, writes, or signals, and who does it.

    signals: barriers of arrivals, whose owner sees to it that nobody comes too early.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    by: Agent = Agent.THREADS


@dataclass(frozen=True, slots=True)
class Touched:
    """The values whose buffers one operation reads, writes and signals."""

    reads: Sequence[SSAValue] = ()
    writes: Sequence[SSAValue] = ()
    signals: Sequence[SSAValue] = ()
    by: Agent = Agent.THREADS


_NOTHING = SharedEffect()
PASSES_ON = (
    "arith.select",
    "cf.br",
    "cf.cond_br",
    "scf.condition",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
    "ttg.local_dealloc",
    "ttg.memdesc_index",
    "ttg.memdesc_reinterpret",
    "ttg.memdesc_reshape",
    "ttg.memdesc_subslice",
    "ttg.memdesc_trans",
    "ttg.warp_specialize",
    "ttg.warp_specialize.partitions",
    "ttg.warp_yield",
    "ttng.warp_group_dot_wait",
)
_ARRIVES = SharedEffect(writes=("result",), signals=("barrier",), by=Agent.COPIES)
_LEAVES = SharedEffect(reads=("src",), by=Agent.COPIES)
# What is read goes on being read until a barrier of arrivals says so, which the IR waits for.
_MULTIPLIES = SharedEffect(reads=("a", "b"), signals=("barriers",), by=Agent.FIRST_WARP)
_MOVES_IN = SharedEffect(writes=("result",), signals=("barrier",), by=Agent.MOVER)
_MOVES_OUT = SharedEffect(reads=("src",), signals=("barrier",), by=Agent.MOVER)
_ROWS: dict[str, SharedEffect] = {
    **dict.fromkeys(PASSES_ON, _NOTHING),
    "amdg.arrive_barrier": SharedEffect(signals=("alloc",)),
    "amdg.async_copy_local_to_global": SharedEffect(reads=("src",)),
    "amdg.async_copy_mbarrier_arrive": SharedEffect(signals=("barrier",)),
    "amdg.async_tdm_copy_global_to_local": _MOVES_IN,
    "amdg.async_tdm_copy_local_to_global": _MOVES_OUT,
    "amdg.async_tdm_gather": replace(_MOVES_IN, writes=("dst",)),
    "amdg.async_tdm_scatter": _MOVES_OUT,
    "amdg.buffer_load_to_local": SharedEffect(writes=("dest",)),
    "amdg.init_barrier": SharedEffect(writes=("alloc",), by=Agent.FIRST_WARP),
    "amdg.local_load_packed_tranposed": SharedEffect(reads=("src",)),
    "amdg.wait_barrier": SharedEffect(reads=("alloc",)),
    "ttg.async_copy_global_to_local": SharedEffect(writes=("result",)),
    "ttg.local_alloc": SharedEffect(writes=("result",)),
    "ttg.local_gather": SharedEffect(reads=("src",)),
    "ttg.local_load": SharedEffect(reads=("src",)),
    "ttg.local_scatter": SharedEffect(writes=("dst",)),
    "ttg.local_store": SharedEffect(writes=("dst",)),
    "ttng.arrive_barrier": SharedEffect(signals=("alloc",), by=Agent.FIRST_WARP),
    "ttng.async_copy_mbarrier_arrive": SharedEffect(reads=("barrier",)),
    "ttng.async_tma_copy_global_to_local": _ARRIVES,
    "ttng.async_tma_copy_local_to_global": _LEAVES,
    "ttng.async_tma_gather": _ARRIVES,
    "ttng.async_tma_reduce": _LEAVES,
    "ttng.async_tma_scatter": _LEAVES,
    "ttng.barrier_expect": SharedEffect(signals=("alloc",), by=Agent.FIRST_WARP),
    "ttng.init_barrier": SharedEffect(writes=("alloc",), by=Agent.FIRST_WARP),
    "ttng.inval_barrier": SharedEffect(writes=("alloc",), by=Agent.FIRST_WARP),
    "ttng.tc_gen5_commit": SharedEffect(signals=("barrier",), by=Agent.FIRST_WARP),
    "ttng.tc_gen5_mma": _MULTIPLIES,
    "ttng.tc_gen5_mma_scaled": _MULTIPLIES,
    "ttng.tmem_copy": SharedEffect(reads=("src",), signals=("barrier",), by=Agent.FIRST_WARP),
    "ttng.wait_barrier": SharedEffect(reads=("alloc",)),
    "ttng.warp_group_dot": SharedEffect(reads=("a", "b"), by=Agent.DOTS),
}


def is_shared(value: SSAValue) -> bool:
    """Tell whether a value means a buffer of shared memory."""
    type_ = value.type
    return type(type_) is MemDescType and type(type_.memory_space) is SharedMemoryAttr


def row_of(
    op: Operation, rows: Mapping[str, Row], lies_there: Callable[[SSAValue], bool], memory: str
) -> Row | None:
    """Return what a table says that an operation does to a kind of memory, None for nothing.

    Args: lies_there: whether a value means a buffer of that memory.  memory: its name.
    Raises: CodegenError: the operation is given such a buffer, and the table says nothing of it.
    """
    row = rows.get(op.name)
    if row is None and any(lies_there(value) for value in (*op.operands, *op.results)):
        raise CodegenError(
            f"what {op.name} does to {memory} is not known",
            location=locations.position(op.location),
            found=op.name,
            accepted=sorted(rows),
        )
    return row


def shared_effect(op: Operation) -> Touched:
    """Return the values whose buffers an operation touches.

    Raises: CodegenError: it touches shared memory, and no row says how.
    """
    row = row_of(op, _ROWS, is_shared, "shared memory")
    if row is None:
        return Touched()
    if op.name == "ttg.local_alloc" and not op.operands:
        return Touched()
    by = row.by
    if by is Agent.DOTS and not number(op.properties.get("isAsync")):
        by = Agent.THREADS  # each waits for its own dots at once
    if by is Agent.MOVER and not _named(op, row.signals):
        by = Agent.THREADS  # each waits for its own copies, and then for the others
    return Touched(_named(op, row.reads), _named(op, row.writes), _named(op, row.signals), by)


def _named(op: Operation, fields: Sequence[str]) -> list[SSAValue]:
    """Return the buffers among the fields of an operation, each one value, several, or none."""
    found: list[SSAValue] = []
    for field in fields:
        given = getattr(op, field)
        values = [given] if isinstance(given, SSAValue) else list(given or ())
        found += [value for value in values if is_shared(value)]
    return found
