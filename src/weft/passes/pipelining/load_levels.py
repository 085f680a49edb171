"""Which loads of a loop are pipelined, and how many loads are between each and a dot.

    %i = tt.load %p                     level 1: its result is part of an address
    %q = tt.addptr %base, %i
    %a = tt.load %q                     level 0: it feeds a dot
    %d = tt.dot %a, %b, %acc

A load of level n + 1 has to run at least one stage before those of level n. A load that is found
at two levels is not pipelined.

Source: Triton, lib/Dialect/TritonGPU/Transforms/Pipeliner/AssignLatencies.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import scf, tt, ttng
from weft.ir.builtin import Operation
from weft.ir.rewriting import defining_op
from weft.passes.pipelining.copy_width import (
    MIN_COPY_BYTES,
    can_become_async_copy,
    copy_vector_bytes,
)
from weft.passes.pipelining.loop_queries import nested_operands
from weft.passes.pipelining.shared_encodings import (
    allocation_encodings,
    is_descriptor_load,
    operand_buffer,
)

__all__ = ["DOTS", "LoadLevel", "is_load", "load_levels"]

DOTS = (tt.DotOp, tt.DotScaledOp, ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)
_ACCUMULATOR = 2  # the index of the operand


class LoadLevel(Struct, frozen=True):
    """How a load is used.

    Attributes:
        level: The number of loads between this one and the root of the search.
        user: The next load, or the root: a dot, or any operation of a loop with `tt.num_stages`.
    """

    level: int
    user: Operation


def is_load(op: Operation) -> bool:
    """Check whether an operation loads a tensor or scalar from global memory."""
    return isinstance(op, tt.LoadOp) or is_descriptor_load(op)


def load_levels(
    loop: scf.ForOp,
    infos: ModuleAxisInfo,
    num_stages: int,
    *,
    without_dot: bool,
    filter_small: bool = True,
) -> dict[Operation, LoadLevel]:
    """Find the loads of a loop that are pipelined.

    Args:
        loop: The loop.
        infos: The axis info of its module.
        num_stages: The number of stages. Loads of the last level or beyond have no stage.
        without_dot: Whether loads that feed no dot are pipelined, too.
        filter_small: Whether loads that are too narrow for an asynchronous copy are excluded.

    Returns:
        The level of each load, in the order in which the search finds them.
    """
    search = _Search(infos, filter_small)
    body = [op for op in loop.block.ops if op is not loop.terminator]
    for op in body:
        if isinstance(op, (*DOTS, ttng.TMEMStoreOp)):
            search.visited.clear()
            search.run(op)
    if without_dot:
        for op in body:
            if not is_load(op):
                search.run(op)
    return {op: entry for op, entry in search.levels.items() if entry.level < num_stages - 1}


class _Search:
    """A depth-first search from users to loads.

    Attributes:
        levels: The loads found so far.
        visited: The operations visited from the current root.
    """

    def __init__(self, infos: ModuleAxisInfo, filter_small: bool) -> None:
        self.levels: dict[Operation, LoadLevel] = {}
        self.visited: set[Operation] = set()
        self._ambiguous: set[Operation] = set()
        self._infos = infos
        self._filter_small = filter_small

    def run(self, root: Operation) -> None:
        """Search the operations that a root depends on."""
        entered = self._enter(root, LoadLevel(0, root))
        stack = [] if entered is None else [(_producers(root), entered)]
        while stack:
            producers, use = stack[-1]
            op = next(producers, None)
            if op is None:
                stack.pop()
            elif (entered := self._enter(op, use)) is not None:
                stack.append((_producers(op), entered))

    def _enter(self, op: Operation, use: LoadLevel) -> LoadLevel | None:
        """Visit an operation once per root.

        Args:
            op: The operation.
            use: How a load is used if it is this operation.

        Returns:
            How loads are used that this operation depends on; None to search no further.
        """
        if op in self.visited:
            return None
        self.visited.add(op)
        if op in self._ambiguous:
            return None
        if not is_load(op):
            return use
        if not self._is_worthwhile(op):
            return None
        known = self.levels.setdefault(op, use)
        if known.level != use.level:
            del self.levels[op]
            self._ambiguous.add(op)
            return None
        return LoadLevel(use.level + 1, op)

    def _is_worthwhile(self, op: Operation) -> bool:
        """Check whether a load can be copied to shared memory, and widely enough."""
        if not isinstance(op, tt.LoadOp):
            return True
        if self._filter_small and not can_become_async_copy(op, self._infos):
            return False
        if operand_buffer(op.result).is_incompatible:
            return False
        allocated = allocation_encodings(op)
        if not allocated:
            return True
        if any(encoding is not allocated[0] for encoding in allocated):
            return False
        width = copy_vector_bytes(op.result.type, allocated[0])
        return not self._filter_small or width >= MIN_COPY_BYTES


def _producers(op: Operation) -> Iterator[Operation]:
    """Yield the operations of the same block that define an operation's operands.

    The accumulator of a dot is left out: it comes from the previous iteration.
    """
    accumulator = op.operands[_ACCUMULATOR] if isinstance(op, DOTS) else None
    for operand in nested_operands(op):
        if operand is accumulator:
            continue
        producer = defining_op(operand)
        if producer is not None and producer.parent is op.parent:
            yield producer
