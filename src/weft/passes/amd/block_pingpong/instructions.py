"""Create the operations by which AMD GPUs and LLVM schedule instructions.

create = Instructions(location)
insert_before(dot, create.scheduling_barrier(), create.priority(1))
"""

from __future__ import annotations

from collections.abc import Mapping

from weft.ir import amdg, attributes, rocdl, ttg, types
from weft.ir.builtin import Attribute, Operation
from weft.ir.locations import LocationAttr
from weft.ir.operation import Op

__all__ = ["LOCAL_MEMORY", "Instructions", "insert_before"]

LOCAL_MEMORY = {"addrSpace": attributes.integer(1, types.i32)}
"""The property of a barrier that orders shared memory only."""


class Instructions:
    """Creates detached operations with one source location.

    Args:
        location: The location.
    """

    __slots__ = ("_location",)

    def __init__(self, location: LocationAttr) -> None:
        self._location = location

    def barrier(self) -> Op:
        """Create a barrier of all warps that orders shared memory."""
        return self._create(ttg.BarrierOp, LOCAL_MEMORY)

    def plain_barrier(self) -> Op:
        """Create a barrier of all warps that does not wait for memory."""
        return self._create(rocdl.SBarrierOp, {})

    def scheduling_barrier(self, mask: int = 0) -> Op:
        """Create a barrier for LLVM's scheduler.

        Args:
            mask: The kinds of instructions that may move across: 0 for none, 1 for those without
                side effects.
        """
        return self._create(rocdl.SchedBarrierOp, {"mask": _i32(mask)})

    def instruction_group(self, kind: int, size: int) -> Op:
        """Ask LLVM's scheduler for `size` instructions of a kind: 4 for SALU, 8 for MFMA."""
        properties = {"mask": _i32(kind), "size": _i32(size), "groupId": _i32(0)}
        return self._create(rocdl.SchedGroupBarrierOp, properties)

    def priority(self, priority: int) -> Op:
        """Create the instruction that sets the priority of the warp, 0 or 1."""
        return self._create(rocdl.SetPrioOp, {"priority": attributes.integer(priority, types.i16)})

    def wait_for_shared_memory(self) -> Op:
        """Create a wait until all accesses to shared memory are complete."""
        return self._create(amdg.MemoryCounterWaitOp, {"ds": _i32(0)})

    def _create(self, cls: type[Op], properties: Mapping[str, Attribute]) -> Op:
        return cls.create(properties=dict(properties), location=self._location)


def _i32(number: int) -> Attribute:
    return attributes.integer(number, types.i32)


def insert_before(op: Operation, *new_ops: Operation) -> None:
    """Insert detached operations before another one, in order."""
    block = op.parent
    assert block is not None
    block.insert_ops_before(new_ops, op)
