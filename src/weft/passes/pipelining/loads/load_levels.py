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
from math import prod

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import scf, tt, ttng, types
from weft.ir.builtin import Attribute, Operation
from weft.ir.rewriting import defining_op
from weft.passes.pipelining.decision_records import (
    Rejection,
    enabled,
    record_conditional_loads,
    record_load,
)
from weft.passes.pipelining.loads.copy_width import (
    MIN_COPY_BYTES,
    can_become_async_copy,
    copy_contiguity,
    copy_vector_bytes,
)
from weft.passes.pipelining.loads.shared_encodings import (
    allocation_encodings,
    is_descriptor_load,
    operand_buffer,
)
from weft.passes.pipelining.loop_queries import nested_operands

__all__ = ["DOTS", "LoadLevel", "is_load", "load_levels"]

DOTS = (tt.DotOp, tt.DotScaledOp, ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)
_ACCUMULATOR = 2  # the index of the operand
_ASSIGN_LATENCIES = "tritongpu-assign-latencies"


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
    by: str = _ASSIGN_LATENCIES,
) -> dict[Operation, LoadLevel]:
    """Find the loads of a loop that are pipelined.

    Args:
        loop: The loop.
        infos: The axis info of its module.
        num_stages: The number of stages. Loads of the last level or beyond have no stage.
        without_dot: Whether loads that feed no dot are pipelined, too.
        filter_small: Whether loads that are too narrow for an asynchronous copy are excluded.
        by: The pass whose decisions are recorded.

    Returns:
        The level of each load, in the order in which the search finds them.
    """
    copies = "cp.async copies" if by == _ASSIGN_LATENCIES else "pipelined loads have"
    search = _Search(infos, filter_small, copies)
    body = [op for op in loop.block.ops if op is not loop.terminator]
    for op in body:
        if isinstance(op, (*DOTS, ttng.TMEMStoreOp)):
            search.visited.clear()
            search.run(op)
    if without_dot:
        for op in body:
            if not is_load(op):
                search.run(op)
    levels = {op: entry for op, entry in search.levels.items() if entry.level < num_stages - 1}
    if enabled():
        for op in body:
            if is_load(op) and op not in levels:
                record_load(by, op, loop, search.rejection(op, loop))
        record_conditional_loads(by, loop)
    return levels


class _Search:
    """A depth-first search from users to loads.

    Attributes:
        levels: The loads found so far.
        visited: The operations visited from the current root.
    """

    def __init__(self, infos: ModuleAxisInfo, filter_small: bool, copies: str) -> None:
        self.levels: dict[Operation, LoadLevel] = {}
        self.visited: set[Operation] = set()
        self._ambiguous: set[Operation] = set()
        self._rejections: dict[Operation, Rejection] = {}
        self._infos = infos
        self._filter_small = filter_small
        self._limit = f"fewer than the {MIN_COPY_BYTES} bytes that {copies} at least"

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
        rejection = self._reject(op)
        if rejection is not None:
            self._rejections[op] = rejection
            return None
        known = self.levels.setdefault(op, use)
        if known.level != use.level:
            del self.levels[op]
            self._ambiguous.add(op)
            return None
        return LoadLevel(use.level + 1, op)

    def rejection(self, op: Operation, loop: scf.ForOp) -> Rejection:
        """Say why a load is not pipelined, after the search."""
        if op in self._rejections:
            return self._rejections[op]
        if op in self._ambiguous:
            return _AMBIGUOUS
        if op in self.levels:
            level = self.levels[op].level
            return Rejection(
                "levels",
                f"{level} other load{'s' * (level != 1)} of the loop depend on it, one after the "
                f"other: num_stages={level + 2} or more pipelines it",
                level + 2,
            )
        uses = list(op.results[0].uses)
        if not uses:
            return _UNUSED
        if any(use.operation is loop.terminator for use in uses):
            return _LOOP_CARRIED
        # The search did not come to this load. With another num_stages it does, and may reject it.
        return self._reject(op) or _NO_DOT

    def _reject(self, op: Operation) -> Rejection | None:
        """Check whether a load can be copied to shared memory, and widely enough.

        Returns:
            Why not; None if it can.
        """
        if not isinstance(op, tt.LoadOp):
            return None
        if self._filter_small and not can_become_async_copy(op, self._infos):
            return _narrow(copy_contiguity(op, self._infos), op, self._limit)
        if operand_buffer(op.result).is_incompatible:
            return _INCOMPATIBLE
        allocated = allocation_encodings(op)
        if not allocated:
            return None
        if any(encoding is not allocated[0] for encoding in allocated):
            return _INCOMPATIBLE
        width = copy_vector_bytes(op.result.type, allocated[0])
        if self._filter_small and width < MIN_COPY_BYTES:
            return Rejection(
                "narrow",
                f"a thread can write {width} bytes at once to the layout in shared memory, "
                f"{self._limit}",
            )
        return None


_NO_DOT = Rejection(
    "no-dot", "it feeds no dot; tl.range(…, num_stages=N) pipelines such loads, too"
)
_UNUSED = Rejection("no-dot", "its result is not used")
_LOOP_CARRIED = Rejection(
    "loop-carried",
    "its result is used in the next iteration, so the kernel loads ahead itself; use it in the "
    "iteration that loads it",
)
_AMBIGUOUS = Rejection(
    "levels", "one use of it feeds a dot, another one the address of a load that feeds a dot"
)
_INCOMPATIBLE = Rejection(
    "layouts",
    "its users need different layouts in shared memory; load the tile once for each, with "
    "volatile=True, as equal loads are combined",
)


def _narrow(contiguity: int, load: tt.LoadOp, limit: str) -> Rejection:
    """Describe a load that is narrower than the limit."""
    type_ = load.result.type
    if not types.is_tensor(type_):
        return Rejection("narrow", f"the kernel loads one {type_}, {limit}")
    reason = f"a thread loads {contiguity} consecutive {types.element(type_)}, {limit}; "
    if _elements_per_thread(type_) * types.bit_width(type_) < 8 * MIN_COPY_BYTES:
        edit = "use a larger block or fewer warps, so that a thread has more elements"
    else:
        edit = "make addresses contiguous and divisible (tl.multiple_of, signature `:16`)"
    return Rejection("narrow", reason + edit)


def _elements_per_thread(type_: Attribute) -> int:
    """Count the elements of a tensor for each thread, 1 at least."""
    encoding, shape = types.encoding(type_), types.shape(type_)
    assert encoding is not None
    layout = encoding.linear(shape)
    return max(1, prod(shape) // (layout.in_size("lane") * layout.in_size("warp")))


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
