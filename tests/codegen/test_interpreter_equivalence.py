"""The LLVM IR of every kernel computes what the interpreter computes, on every chip."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft
from tests.codegen.comparing import require_same
from weft.kernel.files import Case, load_cases, load_file

EXAMPLES = Path(__file__).parents[2] / "examples"
CHIPS = ("cuda:80", "cuda:90", "hip:gfx90a", "hip:gfx942", "hip:gfx1100", "hip:gfx1201")
FILES = ("vector_add", "softmax", "layer_norm", "cross_entropy", "rotary_embedding", "transpose")
CASES = [
    pytest.param(case, chip, id=f"{name}-{index}-{chip}")
    for name in FILES
    for index, case in enumerate(load_cases(load_file(str(EXAMPLES / f"{name}.py"))))
    for chip in CHIPS
]


@pytest.mark.parametrize(("case", "chip"), CASES)
def test_llvm_ir_matches_the_interpreter(case: Case, chip: str):
    compiled = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=chip,
        **case.options,
    )
    wide = "16" not in str(case.signature)
    require_same(compiled, tolerance=1e-5 if wide else 2e-2)
