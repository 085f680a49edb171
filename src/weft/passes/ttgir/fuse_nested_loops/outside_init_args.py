"""Start the fused loop from init args of inner loops that are defined outside the outer loop.

Before:  for … iter_args(%x = 0.0) {                After:  for … iter_args(%x = %init) {
           %p = if t == 0 { %init } else { %x }               %r = … body of %x …
           %r = … body of %p …                                %n = if last { … %init } else { … %r }
           yield %r                                           yield %n

The prologue need not set such an iter_arg at the start of an outer iteration, if the end of the
previous one resets it. The accumulator of a dot then stays in place within the loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from weft.ir import scf
from weft.ir.builtin import SSAValue
from weft.ir.rewriting import erase
from weft.passes.rewrite.nesting import defining_region
from weft.passes.ttgir.fuse_nested_loops.body_sections import Section
from weft.passes.ttgir.fuse_nested_loops.conditional_results import drop_results, move_to_new_if
from weft.passes.ttgir.fuse_nested_loops.fused_loop import FusedLoop

__all__ = ["MovedLoop", "initialize_from_outside"]


class MovedLoop(Struct, frozen=True):
    """An inner loop whose prologue and body are in the fused loop.

    Attributes:
        inner: The inner loop.
        prologue: Its prologue.
        prologue_if: The conditional around the prologue. It yields the induction variable, the
            outputs of the prologue, and the iter_args of the inner loop.
        body_if: The conditional around the body. It yields the next induction variable and the
            results of the inner loop.
    """

    inner: scf.ForOp
    prologue: Section
    prologue_if: scf.IfOp
    body_if: scf.IfOp


class _Reset(Struct, frozen=True):
    """An iter_arg that the end of an outer iteration resets.

    Attributes:
        position: Its index among the iter_args of the fused loop.
        init: The value after the last iteration of an outer iteration.
        value: The value after any other iteration.
    """

    position: int
    init: SSAValue
    value: SSAValue


def initialize_from_outside(
    fused: FusedLoop, loops: Sequence[MovedLoop], epilogue_if: scf.IfOp
) -> None:
    """Replace init args of the fused loop, and reset their iter_args in the epilogue.

    Args:
        fused: The fused loop, complete.
        loops: The inner loops.
        epilogue_if: The conditional around the epilogue.
    """
    position = fused.starts["results"]
    first_init = len(fused.op.bounds)
    resets: list[_Reset] = []
    for loop in loops:
        first_iter_arg = 1 + len(loop.prologue.outputs)  # among the results of the prologue's if
        replacements: dict[int, SSAValue] = {}
        for number, init in enumerate(loop.inner.init_args):
            if defining_region(init) is not fused.op.regions[0]:
                fused.op.operands[first_init + position + number] = init
                replacements[first_iter_arg + number] = fused.op.iter_args[position + number]
                resets.append(_Reset(position + number, init, loop.body_if.results[1 + number]))
        drop_results(loop.prologue_if, replacements)
        position += len(loop.inner.results)
    if resets:
        _reset_in_epilogue(fused, epilogue_if, resets)


def _reset_in_epilogue(fused: FusedLoop, epilogue_if: scf.IfOp, resets: Sequence[_Reset]) -> None:
    """Reset iter_args at the end of an outer iteration, with additional results of the epilogue."""
    then_yield, else_yield = (region.block.last_op for region in epilogue_if.regions)
    assert then_yield is not None
    assert else_yield is not None
    then_yield.operands = [*then_yield.operands, *(reset.init for reset in resets)]
    else_yield.operands = [*else_yield.operands, *(reset.value for reset in resets)]
    new_if = move_to_new_if(epilogue_if, [value.type for value in then_yield.operands])
    count = len(epilogue_if.results)
    for result, new_result in zip(epilogue_if.results, new_if.results[:count], strict=True):
        result.replace_all_uses_with(new_result)
    for reset, new_result in zip(resets, new_if.results[count:], strict=True):
        fused.op.terminator.operands[reset.position] = new_result
    erase(epilogue_if)
