"""Source locations of lines of LLVM IR."""

from __future__ import annotations

import re

import weft
import weft.language as tl
from weft.codegen import LlvmModule, lower
from weft.codegen.llvm.module import Launch
from weft.ir import locations
from weft.targets import target


@weft.jit
def total(x, y, N: tl.constexpr):
    at = tl.arange(0, N)
    values = tl.load(x + at)
    tl.store(y, tl.sum(values * 2.0, 0))


def llvm_module(chip: str) -> LlvmModule:
    compiled = weft.compile(total, signature="*fp32:16, *fp32:16, 1024", target=chip)
    return lower(compiled.module("ttgir"))


def lines_of(pattern: str, text: str) -> set[int]:
    """Find the source lines of instructions, counted from the kernel's first."""
    lines = [line for line in text.split("\n") if re.search(pattern, line)]
    matches = [re.search(r'; loc\("([^"]*)":(\d+):\d+\)$', line) for line in lines]
    assert {match and match[1] for match in matches} == {__file__}
    return {int(match[2]) - total.fn.__code__.co_firstlineno for match in matches if match}


def test_locations_of_instructions():
    for chip in ("cuda:80", "hip:gfx942"):
        module = llvm_module(chip)
        text = module.text_with_locations()
        assert re.sub(r" ; loc\(.*\)$", "", text, flags=re.M) == module.text
        assert lines_of(r" = fmul ", text) == {4}
        # The sum is a function of weft.language: its location is that of the call.
        assert lines_of(r" = fadd .*|store float %\w+, ptr addrspace\(3\)", text) == {4}
    assert lines_of(
        r"load <4 x float>, ptr addrspace\(1\)", llvm_module("cuda:80").text_with_locations()
    ) == {3}


def test_only_instructions_with_a_position_get_a_comment():
    place = locations.file("k.py", 7, 8)
    module = LlvmModule(
        "define void @k() {\nbody:\n  a\n  b\n  c\nend:\n  d\n}",
        "k",
        target("cuda:80"),
        Launch(1),
        positions=((1, place), (3, None), (4, locations.unknown), (5, place)),
    )
    expected = ["  a", "  d"]
    comment = ' ; loc("k.py":7:9)'  # columns of reports count from 1
    lines = module.text_with_locations().split("\n")
    assert [line for line in lines if comment in line] == [line + comment for line in expected]
    assert "  b" in lines
