"""A pattern that hoists buffers in tensor memory out of conditionals.

%r = scf.if %c {                            %m, %t = ttng.tmem_alloc %x
  %m, %t = ttng.tmem_alloc %x               %k = scf.if %c {
  …                                           …
  %y, %v = ttng.tmem_load %m[%u]       →      scf.yield %v
  scf.yield %y                              } else {
} else {                                      scf.yield %t
  scf.yield %x                              }
}                                           %r, %w = ttng.tmem_load %m[%k]
"""

from __future__ import annotations

from weft.ir import scf, ttng
from weft.ir.builtin import Operation
from weft.ir.rewriting import clone, defining_op, move_before, set_type
from weft.passes.rewrite.operands import operand_range
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["hoist_out_of_if"]


def hoist_out_of_if(op: Operation, rewriter: Rewriter) -> bool:
    """Hoist a buffer out of the branch that updates it, if the other branch keeps its value."""
    assert isinstance(op, ttng.TMEMAllocOp)
    conditional = op.parent_op()
    if op.token is None or op.src is None or not isinstance(conditional, scf.IfOp):
        return False
    terminators = [region.block.last_op for region in conditional.regions if region.blocks]
    if len(terminators) != 2:
        return False
    then_yield, else_yield = terminators
    assert then_yield is not None
    assert else_yield is not None
    loads = {
        index: load
        for index, value in enumerate(then_yield.operands)
        if (load := defining_op(value, ttng.TMEMLoadOp)) is not None
        and load.token is not None
        and load.src is op.results[0]
        and else_yield.operands[index] is op.src
    }
    if not loads:
        return False
    # The other branch uses the initial value, so it is defined before the conditional.
    move_before(op, conditional)
    following = conditional.next_op
    assert following is not None
    block = following.parent
    assert block is not None
    for index, load in loads.items():
        new_load = clone(load, {})
        assert isinstance(new_load, ttng.TMEMLoadOp)
        assert load.token is not None
        block.insert_op_before(new_load, following)
        rewriter.enqueue(new_load)
        result = conditional.results[index]
        result.replace_all_uses_with(new_load.results[0])
        new_load.operands[operand_range(new_load, "dep")[0]] = result
        then_yield.operands[index] = load.token
        else_yield.operands[index] = op.token
        set_type(result, load.token.type)
        rewriter.modified(conditional)
    return True
