"""Where a program is in its grid, and a warp in its program."""

from __future__ import annotations

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.lowering import Lowering
from weft.codegen.lowering.registry import lowers
from weft.ir import llvm, tt, ttg
from weft.ir.enums import ProgramDim


@lowers(tt.GetProgramIdOp)
def _program_id(low: Lowering, op: tt.GetProgramIdOp) -> None:
    axis = int(ProgramDim.of(op.properties["axis"]))
    low.define(op.results[0], [low.hardware.program.program_id(low.writer, axis)])


@lowers(tt.GetNumProgramsOp)
def _num_programs(low: Lowering, op: tt.GetNumProgramsOp) -> None:
    axis = int(ProgramDim.of(op.properties["axis"]))
    low.define(op.results[0], [low.hardware.program.num_programs(low.writer, axis)])


@lowers(ttg.WarpIdOp)
def _warp_id(low: Lowering, op: ttg.WarpIdOp) -> None:
    """Take the warp's number among those that run this code, as layouts count them."""
    low.define(op.results[0], [low.threads.ids["warp"][0]])


@lowers(llvm.AssumeOp)
def _assume(low: Lowering, op: llvm.AssumeOp) -> None:
    low.writer.call("void", "llvm.assume", (llvm_type(op.operands[0].type), low[op.operands[0]][0]))
