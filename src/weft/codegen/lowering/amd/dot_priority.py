"""The priority of a wave while it runs the instructions of a dot.

    rocdl.s.setprio 1          v_mfma …
    %d = tt.dot …         →    s_setprio 1
    rocdl.s.setprio 0          v_mfma …, v_mfma …
                               s_setprio 0

The first MFMA runs at the old priority. A wave that reaches its dot early then waits at its first
MFMA, as the other wave of the SIMD runs MFMAs at the higher priority.

Source: Triton, DotOpToLLVM/MFMA.cpp.
"""

from __future__ import annotations

from xdsl.ir import Operation

from weft.codegen.llvm.writer import Writer
from weft.ir import rocdl, tt, types
from weft.layouts import AmdMfmaEncoding
from weft.lowering_plans.properties import integer_property

__all__ = ["raises_priority_of_dot", "set_priority", "write_priority_of_dot"]


def raises_priority_of_dot(op: rocdl.SetPrioOp) -> bool:
    """Check whether the lowering of the next operation, a dot by MFMA, sets the priority."""
    dot = op.next_op
    if not isinstance(dot, tt.DotOp | tt.DotScaledOp):
        return False
    return isinstance(types.encoding(dot.results[0].type), AmdMfmaEncoding)


def write_priority_of_dot(writer: Writer, dot: Operation) -> None:
    """Set the priority that the operation before a dot requests, if it does."""
    before = dot.prev_op
    if isinstance(before, rocdl.SetPrioOp) and raises_priority_of_dot(before):
        set_priority(writer, before)


def set_priority(writer: Writer, op: rocdl.SetPrioOp) -> None:
    """Write `s_setprio`."""
    priority = str(integer_property(op, "priority"))
    writer.call("void", "llvm.amdgcn.s.setprio", ("i16", priority))
