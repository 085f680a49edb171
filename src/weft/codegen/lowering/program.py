"""Indices of programs and warps, and llvm.intr.assume."""

from __future__ import annotations

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.ir import llvm, tt, ttg
from weft.ir.enums import ProgramDim


@lowers(tt.GetProgramIdOp)
def _program_id(ctx: LoweringContext, op: tt.GetProgramIdOp) -> None:
    axis = int(ProgramDim.of(op.properties["axis"]))
    ctx.define(op.results[0], [ctx.hardware.program.program_id(ctx.writer, axis)])


@lowers(tt.GetNumProgramsOp)
def _num_programs(ctx: LoweringContext, op: tt.GetNumProgramsOp) -> None:
    axis = int(ProgramDim.of(op.properties["axis"]))
    ctx.define(op.results[0], [ctx.hardware.program.num_programs(ctx.writer, axis)])


@lowers(ttg.WarpIdOp)
def _warp_id(ctx: LoweringContext, op: ttg.WarpIdOp) -> None:
    """Get the warp's index in the kernel or partition."""
    ctx.define(op.results[0], [ctx.threads.ids["warp"][0]])


@lowers(llvm.AssumeOp)
def _assume(ctx: LoweringContext, op: llvm.AssumeOp) -> None:
    ctx.writer.call("void", "llvm.assume", (llvm_type(op.operands[0].type), ctx[op.operands[0]][0]))
