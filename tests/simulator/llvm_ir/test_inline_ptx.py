"""Inline PTX of the kernel's author: constraints."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


def test_arguments_do_not_match_the_constraints():
    line = '  %a = call i32 asm "mov.b32 $0, $1;", "=r,r,r"(i32 %i)\n  ret void'
    with pytest.raises(CodegenError, match="do not match its constraints"):
        run_text(line, [])
