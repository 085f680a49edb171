"""Make a value that a region redefines available after it.

scf.if %c {                        %k = scf.if %c -> … {
  %b = …                     →       %b = …
}                                    scf.yield %b
                                   } else { scf.yield %a }
"""

from __future__ import annotations

from weft.ir import scf
from weft.ir.builtin import Block, Operation, OpResult, Region, SSAValue
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["sink_redefinition"]


def sink_redefinition(
    value: SSAValue, new_value: SSAValue, block: Block, rewriter: Rewriter
) -> SSAValue:
    """Pass the new definition of a value through the regions around it.

    Args:
        value: The value.
        new_value: Its new definition.
        block: The block that defines it: that of `value`, or in a region there.
        rewriter: Changes the IR.

    Returns:
        The value in its block: `new_value` where the regions around it run, else `value`.
    """
    target = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not target:
        op = block.parent_op()
        assert op is not None
        outer = op.parent
        assert outer is not None
        if isinstance(op, scf.IfOp):
            new_value = _yield_from_branch(op, block, new_value, value, rewriter)
        else:
            assert isinstance(op, scf.ForOp)
            rewriter.worklist.remove(op)
            loop = add_iter_args(op, [value])
            rewriter.enqueue(loop)
            terminator = loop.terminator
            terminator.operands[len(terminator.operands) - 1] = new_value
            new_value = loop.results[-1]
        block = outer
    return new_value


def _yield_from_branch(
    op: scf.IfOp, block: Block, value: SSAValue, otherwise: SSAValue, rewriter: Rewriter
) -> OpResult:
    """Add a result to a conditional.

    Args:
        op: The conditional.
        block: The branch that computes the result.
        value: The result of this branch.
        otherwise: The result of the other branch, which may not exist yet.
        rewriter: Changes the IR.

    Returns:
        The result.
    """
    regions = [Region(), Region()]
    for region, new_region in zip(op.regions, regions, strict=True):
        region.move_blocks(new_region)
    new_if = rewriter.create(
        scf.IfOp,
        op.operands,
        [*(result.type for result in op.results), value.type],
        attributes=op.attributes,
        regions=regions,
        before=op,
    )
    for region in regions:
        if region.blocks.first is None:
            region.add_block(Block())
            rewriter.create(scf.YieldOp, (), at_end=region.block, location=op.location)
        terminator = region.block.last_op
        assert isinstance(terminator, Operation)
        result = value if region.block is block else otherwise
        terminator.operands = [*terminator.operands, result]
    for old, new in zip(op.results, new_if.results, strict=False):
        old.replace_all_uses_with(new)
    rewriter.erase(op)
    return new_if.results[-1]
