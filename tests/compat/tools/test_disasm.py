"""SASS with control codes."""

from __future__ import annotations

import subprocess

import pytest

from weft.compat.tools import disasm
from weft.errors import CodegenError

# Two instructions of a kernel for sm_90, as cuobjdump prints them.
LISTING = """
Fatbin elf code:
\t\tFunction : add
\t.headerflags\t@"EF_CUDA_TEXMODE_UNIFIED"
        /*0000*/                   LDC R1, c[0x0][0x28] ;         /* 0x00000a00ff017b82 */
                                                                  /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA 0x0 ;                      /* 0xfffffffc00fc8947 */
                                                                  /* 0x002fea000383ffff */
\t\tFunction : other
        /*0000*/                   EXIT ;                         /* 0x000000000000794d */
                                                                  /* 0x000fea0003800000 */
"""


@pytest.fixture(autouse=True)
def cuobjdump(monkeypatch) -> list[list[str]]:
    commands: list[list[str]] = []
    monkeypatch.setattr(disasm, "path_to_cuobjdump", lambda: "cuobjdump")
    output = lambda command, text: commands.append(command) or LISTING  # noqa: E731
    monkeypatch.setattr(subprocess, "check_output", output)
    disasm.get_sass.cache_clear()
    return commands


def test_the_first_function(cuobjdump):
    # The wheel's get_sass returns this text for this listing.
    expected = (
        "Function:add\nLBB0:\n--:-:-:-:1\tLDC R1, c[0x0][0x28];\n02:-:-:-:5\t@!P0 BRA LBB0;\n\n"
    )
    assert disasm.get_sass(b"cubin") == expected
    assert disasm.get_sass(b"cubin") == expected
    ((program, flag, _),) = cuobjdump
    assert (program, flag) == ("cuobjdump", "-sass")


def test_a_named_function(cuobjdump):
    disasm.extract("a.cubin", "add")
    assert cuobjdump == [["cuobjdump", "-fun", "add", "-sass", "a.cubin"]]


def test_no_function(monkeypatch):
    monkeypatch.setattr(subprocess, "check_output", lambda command, text: "")
    assert disasm.extract("a.cubin", None) is None


def test_lines_of_something_else():
    with pytest.raises(CodegenError, match="not an encoding"):
        disasm.parseCtrl("x")
    with pytest.raises(CodegenError, match="not an instruction"):
        disasm.processSassLines("x", "y", {})
