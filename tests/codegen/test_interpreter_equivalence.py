"""The LLVM IR of every kernel computes what the interpreter computes, on every chip.

The default run has each kernel on one NVIDIA and one AMD chip in turn; the slow run has all chips.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import weft
from tests.codegen.comparing import require_same
from weft.kernel.files import Case, load_cases, load_file

EXAMPLES = Path(__file__).parents[2] / "examples"
CHIPS = ("cuda:80", "cuda:90", "hip:gfx90a", "hip:gfx942", "hip:gfx1100", "hip:gfx1201")
FILES = ("vector_add", "softmax", "layer_norm", "cross_entropy", "rotary_embedding", "transpose")
KERNELS = [
    (f"{name}-{index}", case)
    for name in FILES
    for index, case in enumerate(load_cases(load_file(str(EXAMPLES / f"{name}.py"))))
]


def is_default(number: int, chip: str) -> bool:
    """Check whether kernel `number` runs on a chip by default: one per vendor, in rotation."""
    vendor = [other for other in CHIPS if other.partition(":")[0] == chip.partition(":")[0]]
    return chip == vendor[number % len(vendor)]


CASES = [
    pytest.param(
        case,
        chip,
        id=f"{name}-{chip}",
        marks=() if is_default(number, chip) else pytest.mark.slow,
    )
    for number, (name, case) in enumerate(KERNELS)
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
