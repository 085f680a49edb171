"""How many instructions of copies may be under way where a kernel waits for groups without tokens.

    ttg.async_copy_global_to_local …        4 instructions
    ttg.async_commit_group
    ttg.async_copy_global_to_local …        2 instructions
    ttg.async_commit_group
    ttg.async_wait {num = 1}                one group may be under way: at most 2 instructions

What is issued is counted backwards from the wait, until one commit more is met than groups may be
under way. Ways part where control joins, and the least of them holds; where none meets so many
commits, nothing is waited for. What cannot be followed counts as nothing: all is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from xdsl.ir import Block, Operation

from weft.ir import scf, tt
from weft.records import dataclass

__all__ = ["ENDLESS", "function_has", "issued_since_group"]

_COMMIT = "ttg.async_commit_group"
ENDLESS = 1 << 30


def issued_since_group(wait: Operation, groups: int, count: Callable[[Operation], int]) -> int:
    """Return how many instructions may be under way behind a wait.

    Args: groups: that may be under way.  count: instructions that an operation issues for certain.
    Returns: ENDLESS where there is nothing to wait for.
    """
    block = wait.parent
    assert block is not None
    return min(_Walk(count).back(block, wait.prev_op, groups, frozenset()), ENDLESS)


def function_has(op: Operation, names: Collection[str]) -> bool:
    """Tell whether the function of an operation has any of these names."""
    around = op
    while (parent := around.parent_op()) is not None and not isinstance(around, tt.FuncOp):
        around = parent
    return any(each.name in names for each in around.walk())


@dataclass(frozen=True, slots=True)
class _Walk:
    count: Callable[[Operation], int]

    def back(
        self,
        block: Block,
        op: Operation | None,
        groups: int,
        seen: frozenset[tuple[Operation, int]],
    ) -> int:
        """Return the least number that is issued from a commit on, up to behind an operation.

        Args: op: of the block, None for its start.  groups: commits to pass by.  seen: loops, and
              commits to pass by at their start.
        """
        total = 0
        while op is not None:
            if op.name == _COMMIT:
                if not groups:
                    return total
                groups -= 1
            elif op.regions:
                return total + self._through(op, groups, seen)
            total += self.count(op)
            op = op.prev_op
        return total + self._before(block, groups, seen)

    def _through(self, op: Operation, groups: int, seen: frozenset[tuple[Operation, int]]) -> int:
        """Return the same from the end of an operation with regions."""
        if not isinstance(op, scf.ForOp | scf.IfOp):
            return 0
        ways = [self._above(op, groups, seen)] if self._may_be_skipped(op) else []
        for region in op.regions:
            inside = region.blocks.first
            if inside is not None:
                ways.append(self.back(inside, inside.last_op, groups, seen))
        return min(ways)

    @staticmethod
    def _may_be_skipped(op: scf.ForOp | scf.IfOp) -> bool:
        return isinstance(op, scf.ForOp) or any(not region.blocks for region in op.regions)

    def _above(self, op: Operation, groups: int, seen: frozenset[tuple[Operation, int]]) -> int:
        """Return the same from in front of an operation."""
        block = op.parent
        return 0 if block is None else self.back(block, op.prev_op, groups, seen)

    def _before(self, block: Block, groups: int, seen: frozenset[tuple[Operation, int]]) -> int:
        """Return the same from the start of a block."""
        parent = block.parent_op()
        if isinstance(parent, tt.FuncOp):
            only = block is parent.regions[0].blocks.first and len(parent.regions[0].blocks) == 1
            return ENDLESS if parent.is_public and only else 0
        if isinstance(parent, scf.IfOp):
            return self._above(parent, groups, seen)
        if not isinstance(parent, scf.ForOp):
            return 0
        if (parent, groups) in seen:
            return ENDLESS  # once around, with no commit: another way is shorter
        seen = seen | {(parent, groups)}
        again = self.back(block, block.last_op, groups, seen)
        return min(again, self._above(parent, groups, seen))
