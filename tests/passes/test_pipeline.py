"""Pipelines in text, and what running one checks and tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from weft.errors import UnknownPassError, VerifyError
from weft.ir import arith
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline, verify_each

TEXT = """
tt.func public @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.muli %0, %0 : i32
  tt.return %1 : i32
}
"""


@dataclass(frozen=True, slots=True)
class UseTooEarly:
    """A pass that leaves illegal IR."""

    name: ClassVar[str] = "use-too-early"

    def run(self, module: ModuleOp) -> None:
        """Let the sum read the product."""
        ops = {type(op): op for op in walk(module)}
        ops[arith.AddIOp].operands[0] = ops[arith.MulIOp].results[0]


def names(text: str) -> list[str]:
    return [one.name for one in parse_pipeline(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("cse", ["cse"]),
        (" inline , cse ", ["inline", "cse"]),
        ("builtin.module(inline,canonicalize)", ["inline", "canonicalize"]),
        ("cse{},symbol-dce", ["cse", "symbol-dce"]),
    ],
)
def test_names(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "options",
    [
        "target=hip:gfx942 num-warps=8 enable-source-remat",
        "target=hip:gfx942,num-warps=8,enable-source-remat=true",
        "  target='hip:gfx942'  num_warps=8, enable-source-remat=1",
    ],
)
def test_options(options):
    (convert,) = parse_pipeline(f"convert-triton-to-tritongpu{{{options}}}")
    assert (convert.target, convert.num_warps, convert.enable_source_remat) == (
        "hip:gfx942",
        8,
        True,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cse{", "the brackets of the pipeline do not match"),
        ("cse}", "the brackets of the pipeline do not match"),
        ("cse,,inline", "not a pass"),
        ("cse fast", "not a pass"),
        ("cse{=1}", "pass cse: not an option"),
        ("cze", "did you mean cse"),
    ],
)
def test_text_that_is_no_pipeline(text, message):
    with pytest.raises(UnknownPassError) as caught:
        parse_pipeline(text)
    assert message in str(caught.value)


def test_illegal_ir_names_the_pass_that_left_it():
    with pytest.raises(VerifyError, match=r"left by pass use-too-early"):
        run_pipeline((UseTooEarly(),), parse_module(TEXT), verify=True)


def test_checking_can_be_turned_on_from_outside():
    run_pipeline((UseTooEarly(),), parse_module(TEXT))
    with verify_each(), pytest.raises(VerifyError, match="use-too-early"):
        run_pipeline((UseTooEarly(),), parse_module(TEXT))


def test_the_callback_and_the_timings_follow_the_order():
    seen: list[str] = []
    timings = run_pipeline(
        parse_pipeline("inline,cse"),
        parse_module(TEXT),
        after=lambda done, module: seen.append(f"{done.name}: {len(list(module.walk()))}"),
    )
    assert seen == ["inline: 5", "cse: 5"]
    assert [timing.name for timing in timings] == ["inline", "cse"]
    assert all(timing.seconds >= 0 for timing in timings)
