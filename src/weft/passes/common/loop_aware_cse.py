"""Merge iter_args that are equal in every iteration.

Before:  %r:2 = scf.for … iter_args(%a = %x, %b = %x) {  After:  %r = scf.for … iter_args(%a = %x) {
           %p = arith.addi %a, %k                                  %p = arith.addi %a, %k
           %q = arith.addi %b, %k                                  scf.yield %p
           scf.yield %p, %q                                      }
         }                                                       (%r#1 becomes %r)

`cse` does not merge `%p` and `%q`, because their operands `%a` and `%b` differ. Two iter_args are
equal by induction if their init args are equal and if, assuming that they are equal at the start of
an iteration, the yielded values are equal. The pass runs cse, merges the iter_args of each loop,
inner loops first, runs cse again, drops unused iter_args, and folds.

Preserves every operation with an effect.
Source: measured on Triton 3.7.1 (`triton-loop-aware-cse`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct, field

from weft.ir import scf
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.interfaces import is_memory_effect_free
from weft.passes.common.canonicalize import scf_for
from weft.passes.common.cse import Cse, region_key
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily

__all__ = ["LoopAwareCse"]

_RULES = RewriteRules(FOLDS, scf_for.PATTERNS, top_down=False, merge_blocks=True)


class LoopAwareCse(Struct, frozen=True):
    """Merges iter_args that are provably equal in every iteration."""

    name: ClassVar[str] = "triton-loop-aware-cse"

    def run(self, module: ModuleOp) -> None:
        """Merge equal operations and iter_args in place."""
        Cse().run(module)
        loops = _loops_post_order(module)
        if any([_merge_iter_args(loop) for loop in loops]):
            Cse().run(module)
        apply_greedily(module, _RULES)


def _loops_post_order(op: Operation) -> list[scf.ForOp]:
    loops: list[scf.ForOp] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    loops += _loops_post_order(inner)
    if isinstance(op, scf.ForOp):
        loops.append(op)
    return loops


def _merge_iter_args(loop: scf.ForOp) -> bool:
    """Replace iter_args by the first equal one; return whether any was replaced.

    A replaced one yields itself, so that canonicalization drops it.
    """
    changed = False
    leaders: list[int] = []
    arguments, results, last = loop.iter_args, loop.results, loop.terminator
    for index, argument in enumerate(arguments):
        leader = next(
            (first for first in leaders if _Equality(loop).of_iter_args(first, index)), None
        )
        if leader is None:
            leaders.append(index)
            continue
        argument.replace_all_uses_with(arguments[leader])
        last.operands[index] = argument
        results[index].replace_all_uses_with(results[leader])
        changed = True
    return changed


class _Equality(Struct):
    """A proof that two iter_args of a loop are equal.

    Attributes:
        loop: The loop.
        assumed: Pairs of values assumed to be equal. The proof needs every visited pair to be
            equal, so it visits none twice: if one fails, the proof has failed.
    """

    loop: scf.ForOp
    assumed: set[tuple[SSAValue, SSAValue]] = field(default_factory=set)

    def of_iter_args(self, first: int, second: int) -> bool:
        """Prove that two iter_args are equal in every iteration."""
        if first == second:
            return True
        inits = self.loop.init_args
        if inits[first] is not inits[second]:
            return False
        yielded = self.loop.yielded_values
        return self._of_values(yielded[first], yielded[second])

    def _of_values(self, a: SSAValue, b: SSAValue) -> bool:
        if a is b or (a, b) in self.assumed:
            return True
        if a.type != b.type:
            return False
        self.assumed.add((a, b))
        if isinstance(a, BlockArgument) and isinstance(b, BlockArgument):
            first, second = self.loop.iter_arg_index(a), self.loop.iter_arg_index(b)
            if first is None or second is None:
                return False
            return self.of_iter_args(first, second)
        if not (isinstance(a, OpResult) and isinstance(b, OpResult)) or a.index != b.index:
            return False
        return self._of_operations(a.op, b.op)

    def _of_operations(self, a: Operation, b: Operation) -> bool:
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
        return all(self._of_values(x, y) for x, y in zip(a.operands, b.operands, strict=True))


def _same_regions(a: Operation, b: Operation) -> bool:
    keys = [[region_key(region) for region in op.regions] for op in (a, b)]
    return None not in keys[0] and keys[0] == keys[1]
