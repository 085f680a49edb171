"""Carry once round a loop what is carried twice (`triton-loop-aware-cse`).

Before:  %r:2 = scf.for … iter_args(%a = %x, %b = %x) {  After:  %r = scf.for … iter_args(%a = %x) {
           %p = arith.addi %a, %k                                  %p = arith.addi %a, %k
           %q = arith.addi %b, %k                                  scf.yield %p
           scf.yield %p, %q                                      }
         }                                                       (%r#1 becomes %r)

Two carried values are equal if they start equal and, supposing that they are equal at the start of
an iteration, are equal at its end. `cse` alone cannot see that: `%p` and `%q` differ as long as
`%a` and `%b` do. Runs cse, merges the carried values of each loop, inner loops first, then runs
cse again, drops what loops no longer carry, and folds.

Keeps: every operation with an effect. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from weft.ir import scf
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.interfaces import is_memory_effect_free
from weft.passes.common.canonicalize import scf_for
from weft.passes.common.cse import Cse, region_key
from weft.passes.rewrite.greedy import Rules, apply

__all__ = ["LoopAwareCse"]

_LOOPS = Rules(FOLDS, scf_for.PATTERNS, top_down=False, merge_blocks=True)


@dataclass(frozen=True, slots=True)
class LoopAwareCse:
    """Post: no two values that a loop carries are equal in every iteration, as far as seen."""

    name: ClassVar[str] = "triton-loop-aware-cse"

    def run(self, module: ModuleOp) -> None:
        """Merge equal operations and equal carried values in place."""
        Cse().run(module)
        loops = _inner_first(module)
        if any([_merge_carried(loop) for loop in loops]):
            Cse().run(module)
        apply(module, _LOOPS)


def _inner_first(op: Operation) -> list[scf.ForOp]:
    found: list[scf.ForOp] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    found += _inner_first(inner)
    if isinstance(op, scf.ForOp):
        found.append(op)
    return found


def _merge_carried(loop: scf.ForOp) -> bool:
    """Let the first of equal carried values stand for the others, which then carry themselves."""
    changed = False
    leaders: list[int] = []
    arguments, results, last = loop.iter_args, loop.results, loop.terminator
    for index, argument in enumerate(arguments):
        leader = next((first for first in leaders if _Equality(loop).carried(first, index)), None)
        if leader is None:
            leaders.append(index)
            continue
        argument.replace_all_uses_with(arguments[leader])
        last.operands[index] = argument
        results[index].replace_all_uses_with(results[leader])
        changed = True
    return changed


@dataclass(slots=True)
class _Equality:
    """Whether two values that a loop carries are equal, asked once.

    supposed: pairs of values taken as equal. All that is looked at must be equal, so a pair met
    again needs no second look: where the first look fails, the answer is no already.
    """

    loop: scf.ForOp
    supposed: set[tuple[SSAValue, SSAValue]] = field(default_factory=set)

    def carried(self, first: int, second: int) -> bool:
        """Tell whether two carried values are equal in every iteration."""
        if first == second:
            return True
        inits = self.loop.init_args
        if inits[first] is not inits[second]:
            return False
        yielded = self.loop.yielded_values
        return self._values(yielded[first], yielded[second])

    def _values(self, a: SSAValue, b: SSAValue) -> bool:
        if a is b or (a, b) in self.supposed:
            return True
        if a.type != b.type:
            return False
        self.supposed.add((a, b))
        if isinstance(a, BlockArgument) and isinstance(b, BlockArgument):
            first, second = self.loop.iter_arg_index(a), self.loop.iter_arg_index(b)
            if first is None or second is None:
                return False
            return self.carried(first, second)
        if not (isinstance(a, OpResult) and isinstance(b, OpResult)) or a.index != b.index:
            return False
        return self._operations(a.op, b.op)

    def _operations(self, a: Operation, b: Operation) -> bool:
        body = self.loop.block
        if a.parent is not body or b.parent is not body or type(a) is not type(b):
            return False
        if (
            a.properties != b.properties
            or a.attributes != b.attributes
            or not is_memory_effect_free(a)
        ):
            return False
        if len(a.operands) != len(b.operands) or not _same_regions(a, b):
            return False
        return all(self._values(x, y) for x, y in zip(a.operands, b.operands, strict=True))


def _same_regions(a: Operation, b: Operation) -> bool:
    keys = [[region_key(region) for region in op.regions] for op in (a, b)]
    return None not in keys[0] and keys[0] == keys[1]
