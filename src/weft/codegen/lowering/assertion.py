"""tt.assert: print a message and abort the kernel.

    tt.assert %c, "n is positive" : tensor<64xi1, #blocked>

    a thread with a false element     →     __assertfail("n is positive", file, line, …)
    barrier                                 so that no thread continues past a failed one

Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import representative_parts
from weft.codegen.lowering.printing import text_constant
from weft.codegen.lowering.registry import lowers
from weft.ir import locations, tt, types


@lowers(tt.AssertOp)
def _assert(ctx: LoweringContext, op: tt.AssertOp) -> None:
    w, condition = ctx.writer, ctx[op.condition]
    conditions = [condition[n] for n in dict.fromkeys(representative_parts(op.condition.type))]
    every = conditions[0]
    for each in conditions[1:]:
        every = w.value(f"and i1 {every}, {each}")
    place = locations.position(op.location)
    file, line = ("unknown", 0) if place is None else (place.file, place.line)
    failed, after = w.label("failed"), w.label("asserted")
    w.branch(every, after, failed)
    w.start(failed)
    ctx.hardware.messages.fail(
        w, lambda text: text_constant(ctx, text), op.message.data, file, line
    )
    w.jump(after)
    w.start(after)
    if types.is_tensor(op.condition.type):
        ctx.barrier()
