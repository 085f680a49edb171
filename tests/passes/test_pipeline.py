"""Running a pipeline: verification, callbacks and timings."""

from __future__ import annotations

from typing import ClassVar

import pytest
from msgspec import Struct

from weft.errors import VerifyError
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


class UseTooEarly(Struct, frozen=True):
    """A pass that produces illegal IR: an operand is defined after its user."""

    name: ClassVar[str] = "use-too-early"

    def run(self, module: ModuleOp) -> None:
        """Replace an operand of the addition by the multiplication after it."""
        ops = {type(op): op for op in walk(module)}
        ops[arith.AddIOp].operands[0] = ops[arith.MulIOp].results[0]


def test_illegal_ir_names_the_pass_that_produced_it():
    with pytest.raises(VerifyError, match=r"left by pass use-too-early"):
        run_pipeline((UseTooEarly(),), parse_module(TEXT), verify=True)


def test_verify_each():
    run_pipeline((UseTooEarly(),), parse_module(TEXT))
    with verify_each(), pytest.raises(VerifyError, match="use-too-early"):
        run_pipeline((UseTooEarly(),), parse_module(TEXT))


def test_the_callback_and_the_timings_follow_the_order():
    calls: list[str] = []
    timings = run_pipeline(
        parse_pipeline("inline,cse"),
        parse_module(TEXT),
        after=lambda pass_, module: calls.append(f"{pass_.name}: {len(list(module.walk()))}"),
    )
    assert calls == ["inline: 5", "cse: 5"]
    assert [timing.name for timing in timings] == ["inline", "cse"]
    assert all(timing.seconds >= 0 for timing in timings)


def test_passes_run_on_each_of_several_modules():
    module = parse_module(f"module {{{TEXT}}}\nmodule {{{TEXT}}}")
    visited: list[ModuleOp] = []

    class Visit(Struct):
        name: ClassVar[str] = "visit"

        def run(self, module: ModuleOp) -> None:
            visited.append(module)

    run_pipeline((Visit(),), module)
    assert visited == list(module.ops)
    assert len(visited) == 2
