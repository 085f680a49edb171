"""Instructions and calls that the simulator does not support are errors that show them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


@pytest.mark.parametrize(
    ("line", "message", "excerpt"),
    [
        ("  %a = freeze i32 %i", "the simulator does not support freeze", "freeze i32 %i"),
        (
            "  %a = call i32 @llvm.nvvm.nothing(i32 %i)",
            "the simulator does not support llvm.nvvm.nothing",
            "llvm.nvvm.nothing",
        ),
        (
            "  %a = call i32 @some_function(i32 %i)",
            "does not support some_function",
            "some_function",
        ),
        (
            '  %a = call i32 asm "fns.b32 $0, $1, 0, 1;", "=r,r"(i32 %i)',
            "does not support this inline assembly",
            "fns.b32",
        ),
        ("  %a = add i32 %i, ten", "the simulator cannot read this operand", "ten"),
        ("  %a = add i33 %i, 1", "the simulator does not support type i33", "i64"),
        (
            "  %a = atomicrmw nand ptr addrspace(1) %p0, i32 1 monotonic, align 4",
            "the simulator does not support atomicrmw nand",
            "xchg",
        ),
        ("  %a = call i32 nonsense", "the simulator cannot read this call", "nonsense"),
        ("  ?", "the simulator cannot read this instruction", "?"),
    ],
)
def test_unsupported_lines(line, message, excerpt):
    with pytest.raises(CodegenError, match=message) as caught:
        run_text(f"{line}\n  ret void", [np.zeros(1, np.int32)])
    assert excerpt in str(caught.value)
