"""tt.map_elementwise: a scalar region applied to each element, or to packs of registers.

    %a, %b = tt.map_elementwise %x, %y, pack = 2      once for registers 0 and 1, once for 2 and 3

The region is written once per pack. If it has several blocks, all returns branch to one exit block.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.reduce import Values, inline_region
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt
from weft.ir.dominance import postorder
from weft.lowering_plans.properties import integer_property


@lowers(tt.MapElementwiseOp)
def _map(ctx: LoweringContext, op: tt.MapElementwiseOp) -> None:
    pack = integer_property(op, "pack")
    count = ctx.num_registers(op.operands[0])
    if count % pack:
        raise CodegenError(
            f"tt.map_elementwise processes {pack} elements at once",
            found=f"{count} per thread",
            accepted=(f"a multiple of {pack} per thread",),
            hint="use fewer warps or larger blocks",
        )
    results: list[list[str]] = [[] for _ in op.results]
    for start in range(0, count, pack):
        operands = [
            value for operand in op.operands for value in ctx[operand][start : start + pack]
        ]
        elements = _call(ctx, op.regions[0], operands)
        for n, registers in enumerate(results):
            registers += elements[n * pack : (n + 1) * pack]
    for result, registers in zip(op.results, results, strict=True):
        ctx.define(result, registers)


def _call(ctx: LoweringContext, region: Region, given: Sequence[str]) -> Values:
    """Lower a region for scalars; return its results."""
    first = region.blocks[0]
    if len(region.blocks) == 1:
        return inline_region(ctx, first, given)
    w = ctx.writer
    blocks = postorder(region)[::-1]
    for block in blocks[1:]:
        ctx.labels[block] = w.label("block")
    exit_label = w.label("mapped")
    returned: list[tuple[Values, str]] = []
    for argument, value in zip(first.args, given, strict=True):
        ctx.define(argument, [value])
    for block in blocks:
        if block is not first:
            ctx.begin_block(block)
        ctx.lower_block(block)
        if isinstance(block.last_op, tt.MapElementwiseReturnOp):
            values = tuple(ctx.scalar(value) for value in block.last_op.operands)
            returned.append((values, w.block))
            w.jump(exit_label)
    for block in blocks[1:]:
        del ctx.merges[block]
    w.start(exit_label)
    return _merged(ctx, blocks, returned)


def _merged(
    ctx: LoweringContext, blocks: Sequence[Block], returned: Sequence[tuple[Values, str]]
) -> Values:
    """Create phis of the values of all returns."""
    ends = next(
        block.last_op for block in blocks if isinstance(block.last_op, tt.MapElementwiseReturnOp)
    )
    phis = [ctx.writer.phi(llvm_type(value.type)) for value in ends.operands]
    for values, label in returned:
        for phi, value in zip(phis, values, strict=True):
            phi.add(value, label)
    return tuple(phi.name for phi in phis)
