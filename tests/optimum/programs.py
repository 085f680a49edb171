"""Kernels of the examples, and modules of text, for the tests of the optimum."""

from __future__ import annotations

from pathlib import Path

import weft
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module
from weft.kernel.files import Case, load_cases, load_file

__all__ = ["CHIPS", "QUICK", "cases", "module_of", "module_of_text"]

EXAMPLES = Path(__file__).parents[2] / "examples"
CHIPS = ("cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1201")
QUICK = (
    "vector_add",
    "softmax",
    "transpose",
    "histogram",
    "layer_norm_backward",
    "rotary_embedding",
    "cross_entropy",
)
"""Examples whose kernels are optimized in a few seconds."""

_HEADER = (
    "#line = #ttg.blocked<{{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], "
    "order = [0]}}>\n"
    'module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, '
    'ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}} {{\n'
    "tt.func public @kernel({arguments}) {{\n{body}\n    tt.return\n}}\n}}\n"
)


def cases(names: tuple[str, ...] = QUICK) -> list[tuple[str, Case]]:
    """List the kernels of examples, as (name, case)."""
    return [
        (f"{name}-{index}", case)
        for name in names
        for index, case in enumerate(load_cases(load_file(str(EXAMPLES / f"{name}.py"))))
    ]


def module_of(case: Case, chip: str, stage: str = "layout") -> ModuleOp:
    """Compile a kernel to the end of a stage."""
    compiled = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=chip,
        stop_after=stage,
        options=case.options,
    )
    return compiled.module("ttgir")


def module_of_text(arguments: str, body: str) -> ModuleOp:
    """Parse a kernel of 4 warps for cuda:80, with the layout #line of 4 elements per thread."""
    return parse_module(_HEADER.format(arguments=arguments, body=body))
