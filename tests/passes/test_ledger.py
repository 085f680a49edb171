"""Decisions are recorded by value, with the place read off it."""

from __future__ import annotations

from weft.decisions import collecting
from weft.ir import tt
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.passes import load
from weft.passes.ledger import Candidate, record_decision

TEXT = """
tt.func public @f(%x: i32 loc("k.py":3:4)) {
  %y = arith.addi %x, %x : i32 loc("k.py":7:12)
  tt.return loc("k.py":8:0)
} loc("k.py":2:0)
"""


def test_the_place_and_the_operation_are_read_off_the_value():
    module = parse_module(TEXT)
    add = next(op for op in walk(module) if op.name == "arith.addi")
    with collecting() as decisions:
        record_decision(
            load("cse"),
            add.results[0],
            "#a",
            "it is wider",
            candidates=[Candidate("#b", "4 bytes")],
        )
    (one,) = decisions
    assert (one.stage, one.op, one.location) == ("cse", "arith.addi", "k.py:7:13")
    assert one.value is add.results[0]
    assert one.candidates == (Candidate("#b", "4 bytes"),)


def test_an_argument_belongs_to_its_function():
    module = parse_module(TEXT)
    function = next(op for op in walk(module) if isinstance(op, tt.FuncOp))
    with collecting() as decisions:
        record_decision(load("cse"), function.body.blocks[0].args[0], "#a", "given")
    assert decisions[0].op == "tt.func"


def test_nothing_is_recorded_unless_collected():
    module = parse_module(TEXT)
    add = next(op for op in walk(module) if op.name == "arith.addi")
    record_decision(load("cse"), add.results[0], "#a", "it is wider")
    with collecting() as decisions:
        pass
    assert decisions == []
