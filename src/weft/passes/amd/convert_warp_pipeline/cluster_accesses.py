"""Which buffers the clusters of a loop read and write, and which clusters must be ordered."""

from __future__ import annotations

from itertools import product

from msgspec import Struct

from weft.analysis.buffer_aliases import Aliases
from weft.analysis.shared_memory_effects import shared_memory_effects
from weft.ir import amdg, scf, ttg
from weft.ir.attributes import array_values
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import defining_op

__all__ = ["ClusterAccesses"]

_MBARRIER_OPS = (
    amdg.InitBarrierOp,
    amdg.ArriveBarrierOp,
    amdg.AsyncCopyMbarrierArriveOp,
    amdg.WaitBarrierOp,
)
_COPIES = (ttg.AsyncCopyGlobalToLocalOp, amdg.BufferLoadToLocalOp)


class _Access(Struct, frozen=True):
    """An access to a buffer.

    Attributes:
        op: The operation.
        view: The memory descriptor that it uses.
        is_write: Whether it writes.
    """

    op: Operation
    view: SSAValue
    is_write: bool


class ClusterAccesses(Struct, frozen=True):
    """The accesses of one cluster to shared memory.

    Attributes:
        accesses: The accesses, in program order.
        aliases: The buffers that each memory descriptor may refer to.
    """

    accesses: tuple[_Access, ...]
    aliases: Aliases

    @classmethod
    def of(cls, cluster: scf.ExecuteRegionOp, aliases: Aliases) -> ClusterAccesses:
        """Collect the accesses of a cluster."""
        accesses: list[_Access] = []
        for op in cluster.regions[0].block.ops:
            effects = shared_memory_effects(op)
            accesses += [_Access(op, view, False) for view in effects.reads]
            accesses += [_Access(op, view, True) for view in (*effects.writes, *effects.signals)]
        return cls(tuple(accesses), aliases)

    def must_precede(self, other: ClusterAccesses) -> bool:
        """Check whether another cluster reads what this one writes, or overwrites what it uses."""
        return any(
            (one.is_write or two.is_write) and self._conflict(one, two)
            for one, two in product(self.accesses, other.accesses)
        )

    def _conflict(self, one: _Access, two: _Access) -> bool:
        buffers = self.aliases.get(one.view, frozenset()) & self.aliases.get(two.view, frozenset())
        if not buffers or _are_disjoint(one.view, two.view):
            return False
        return not (_are_ordered_by_wait(one.op, two.op) or _are_mbarrier_ops(one.op, two.op))


def _are_disjoint(one: SSAValue, two: SSAValue) -> bool:
    """Check whether two views are different parts of buffers of one layout."""
    first, second = defining_op(one), defining_op(two)
    if not isinstance(first, ttg.MemDescSubsliceOp) or not isinstance(
        second, ttg.MemDescSubsliceOp
    ):
        return False
    types = (one.type, two.type)
    left, right = types
    if not isinstance(left, ttg.MemDescType) or not isinstance(right, ttg.MemDescType):
        return False
    if left.encoding is not right.encoding:
        return False
    sides = zip(
        array_values(first.offsets), left.shape, array_values(second.offsets), right.shape,
        strict=True,
    )  # fmt: skip
    return any(a + size_a <= b or b + size_b <= a for a, size_a, b, size_b in sides)


def _are_ordered_by_wait(one: Operation, two: Operation) -> bool:
    """Check whether one copies and the other loads what a wait has completed."""
    if isinstance(one, _COPIES) == isinstance(two, _COPIES):
        return False
    load = two if isinstance(one, _COPIES) else one
    if not isinstance(load, ttg.LocalLoadOp) or load.token is None:
        return False
    return isinstance(defining_op(load.token), ttg.AsyncWaitOp)


def _are_mbarrier_ops(one: Operation, two: Operation) -> bool:
    return isinstance(one, _MBARRIER_OPS) and isinstance(two, _MBARRIER_OPS)
