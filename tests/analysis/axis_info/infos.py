"""Compute the axis info of a value in a small function."""

from __future__ import annotations

from weft.analysis.axis_info import AxisInfo, ModuleAxisInfo, axis_info
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.text import parse_module

UNCONSTRAINED = 1 << 62
FROM_ZERO = 1 << 30  # the divisibility of a range from 0
V = "tensor<64xi32>"
RANGE = "%r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
PRINT = 'tt.print "" {hex = false, isSigned = array<i32: 1>} : '
HEAD = (
    "#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], "
    "order = [0]}>"
)


def analyse(body: str, arguments: str = "") -> tuple[ModuleOp, ModuleAxisInfo, SSAValue]:
    """Analyse a function; return the module, its axis info, and the value that it prints."""
    signature = ", ".join(
        ["%n16: i32 {tt.divisibility = 16 : i32}", "%n: i32", "%c: i1", "%out: !tt.ptr<i32>"]
        + ([arguments] if arguments else [])
    )
    module = parse_module(f"{HEAD}\ntt.func public @k({signature}) {{\n{body}\ntt.return\n}}")
    (last,) = [op for op in module.walk() if op.name == "tt.print"]
    return module, axis_info(module), last.operands[0]


def info_of(body: str, value: str, type_: str, arguments: str = "") -> AxisInfo:
    """Compute the axis info of a value of a function."""
    _, info, printed = analyse(f"{body}\n{PRINT}{value} : {type_}", arguments)
    return info[printed]
