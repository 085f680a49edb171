"""Wait counts of `ttg.async_wait` after a loop was pipelined.

    %g = ttg.async_commit_group tokens %a
    %h = ttg.async_commit_group tokens %b
    ttg.async_wait %g {num = 1 : i32}           one group, %h, may still be pending

A wait for one group counts the groups that are committed after it on the path to the wait. Paths
may lead through iter_args; the smallest count of all paths is safe:

    %p = commit                               before the loop: %q follows on the path, so 1
    %q = commit
    scf.for … iter_args(%x = %p, %y = %q) {
      ttg.async_wait %x {num = 1 : i32}       in the loop: %x is %y of the iteration before, and
      %r = commit                             %r was committed after it, so 1 again
      scf.yield %y, %r
    }

Source: Triton, lib/Dialect/TritonGPU/Transforms/Pipeliner/WGMMAPipeline.cpp (updateWaits).
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import attributes, scf, ttg, types
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder, replace, walk_inner_first

__all__ = ["combine_redundant_waits", "update_waits"]


_ENDS_OF_GROUP = (
    ttg.AsyncCommitGroupOp,
    ttg.WarpSpecializeOp,
    scf.ExecuteRegionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
)
"""Operations after which a wait is not the same as before."""


def update_waits(module: ModuleOp) -> None:
    """Set the wait counts of a module, and merge waits between which no group is committed."""
    waits = [op for op in walk_inner_first(module) if isinstance(op, ttg.AsyncWaitOp)]
    for wait in waits:
        count = _min_pending_groups(wait)
        wait.properties["num"] = attributes.integer(count, types.i32)
    combine_redundant_waits(waits)


def combine_redundant_waits(waits: Iterable[ttg.AsyncWaitOp]) -> None:
    """Merge each wait with those that follow it before a commit, a loop or a conditional."""
    merged: dict[ttg.AsyncWaitOp, ttg.AsyncWaitOp] = {}
    for wait in waits:
        if wait in merged:
            continue
        group = [wait]
        op = wait.next_op
        while op is not None and not isinstance(op, _ENDS_OF_GROUP):
            if isinstance(op, ttg.AsyncWaitOp):
                group.append(op)
            op = op.next_op
        if len(group) == 1:
            continue
        count = min(member.num.value.data for member in group)
        new_wait = (
            Builder()
            .before(wait)
            .create(
                ttg.AsyncWaitOp,
                [operand for member in group for operand in member.operands],
                [wait.results[0].type],
                {"num": attributes.integer(count, types.i32)},
            )
        )
        merged |= dict.fromkeys(group, new_wait)
    for wait, new_wait in merged.items():
        replace(wait, new_wait.results)


def _min_pending_groups(wait: ttg.AsyncWaitOp) -> int:
    """Count the groups that are committed at least between a group and the wait for it."""
    if len(wait.operands) != 1:
        return 0
    token = wait.operands[0]
    region = token.owner.parent_region() if isinstance(token, OpResult) else None
    if isinstance(token, BlockArgument):
        region = token.block.parent
    sink: Operation | None = wait
    while sink is not None and sink.parent_region() is not region:
        sink = sink.parent_op()
    return 0 if sink is None else _CommitSearch().count(token, sink)


class _CommitSearch:
    """A search over all paths from the commit of a group to a wait.

    Attributes:
        smallest: The smallest count so far, None before the first path is complete.
    """

    def __init__(self) -> None:
        self.smallest: int | None = None

    def count(self, token: SSAValue, sink: Operation) -> int:
        """Count the commits between the definition of a token and an operation."""
        # Each entry is a token, what uses it, and the commits from there to the wait.
        stack: list[tuple[SSAValue, Operation, int]] = [(token, sink, 0)]
        visited: set[tuple[SSAValue, Operation, int]] = set()
        while stack:
            entry = stack.pop()
            if entry in visited:
                continue
            visited.add(entry)
            value, user, total = entry
            if isinstance(value, OpResult):
                self._finish(total + _commits_between(value.op.next_op, user))
                continue
            assert isinstance(value, BlockArgument)
            loop = value.block.parent_op()
            if not isinstance(loop, scf.ForOp) or value.index == 0:
                return 0
            total += _commits_between(loop.block.first_op, user)
            if self.smallest is not None and total >= self.smallest:
                continue
            stack.append((loop.yielded_values[value.index - 1], loop.terminator, total))
            stack.append((loop.init_args[value.index - 1], loop, total))
        return self.smallest or 0

    def _finish(self, total: int) -> None:
        self.smallest = total if self.smallest is None else min(self.smallest, total)


def _commits_between(first: Operation | None, last: Operation) -> int:
    """Count the commits in a block from an operation to another one, without those in regions."""
    count = 0
    op = first
    while op is not None and op is not last:
        count += isinstance(op, ttg.AsyncCommitGroupOp)
        op = op.next_op
    return count
