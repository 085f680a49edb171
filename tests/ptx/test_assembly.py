"""Whole texts: declarations, scopes, guards, constraints, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ptx.run_ptx import run, words
from weft.errors import CodegenError
from weft.ptx import read


def test_inner_scopes_hide_names():
    text = """
    { .reg .b32 a<2>, %t;
      mov.b32 a0, $1;
      { .reg .b32 a0; mov.b32 a0, 5; add.u32 a1, a0, 1; }
      add.u32 $0, a0, a1;
    }"""
    assert run(text, np.uint32, words(10)).tolist() == [16]


def test_register_lists():
    text = "{.reg .b8 a, b; mov.b32 {a, _, _, b}, $1; mov.b32 $0, {b, a, a, b};}"
    assert [hex(each) for each in run(text, np.uint32, words(0x11223344))] == ["0x11444411"]
    text = "{.reg .b32 lo, hi; mov.b64 {lo, hi}, $1; mov.b64 $0, {hi, lo};}"
    assert run(text, np.uint64, np.array([1], np.uint64)).tolist() == [1 << 32]


def test_many_outputs_and_tied_inputs():
    (first, second) = read("mov.b32 $0, $2; mov.b32 $1, $3;", "=r,=&r,r,0,~{memory}").run(
        [words(3), words(4)]
    )
    assert (first.tolist(), second.tolist()) == ([3], [4])


def test_a_false_guard_keeps_the_old_value():
    text = "{.reg .pred p; setp.lt.u32 p, $1, 5; mov.b32 $0, 1; @p mov.b32 $0, 2;}"
    assert run(text, np.uint32, words(4, 5)).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("text", "constraints", "message"),
    [
        ("ld.global.b32 $0, [$1];", "=r,l", "accesses memory"),
        ("mov.u64 $0, %globaltimer;", "=l", "special registers of PTX need a GPU"),
        ("L: mov.b32 $0, $1;", "=r,r", "branches"),
        ("mov.b32 $0, $1; bra DONE;", "=r,r", "branches"),
        ("bar.sync 0;", "=r", "instruction is not supported"),
        ("addd.u32 $0, $1, $1;", "=r,r", "did you mean add"),
        ("add.u32 $0, $1;", "=r,r", "add.u32 takes 3 operands"),
        ("mov.b32 $0, x;", "=r", "x is not declared"),
        ("mov.b32 $0, 1.5;", "=r", "not a literal of type .b32"),
        ("mov.b64 $0, 0f3F800000;", "=l", "not a literal of type .b64"),
        ("mov.b16 $0, 70000;", "=h", "not a literal of type .b16"),
        ("mov.f64 $0, 0g12;", "=l", "operand|declared"),
        ("v_add_f32 $0, $1, $2", "=v,v,v", "not a constraint of PTX"),
        ("mov.b32 $0, !$1;", "=r,r", "only a predicate"),
        ("{.reg .v9 a; mov.b32 $0, a;}", "=r", "not a type of PTX registers"),
        ("mov.b32 $0, 1; }", "=r", "unmatched closing brace"),
        ("mov.b16 $0, $1;", "=r,r", "takes a register of 16 bits, not of 32"),
    ],
)
def test_errors(text, constraints, message):
    with pytest.raises(CodegenError) as caught:
        read(text, constraints)
    assert any(part in str(caught.value) for part in message.split("|"))


def test_a_register_that_is_never_written():
    with pytest.raises(CodegenError, match="t is read before it is written"):
        run("{.reg .b32 t; mov.b32 $0, t;}", np.uint32, words(1))
