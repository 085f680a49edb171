"""Barriers where control goes by blocks and branches, and buffers that branches hand on."""

from __future__ import annotations

import pytest

from tests.analysis.shared_memory.programs import HEAD, memory
from weft.analysis.allocation import Allocation, allocate
from weft.analysis.buffers import buffers_of
from weft.analysis.hazards import barriers
from weft.ir import tt
from weft.ir.builtin import Operation
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

KIND = memory(128)
STORE = f"ttg.local_store %x128, {{}} : tensor<128xf32, #r> -> {KIND}"
LOAD = f"%l{{}} = ttg.local_load {{}} : {KIND} -> tensor<128xf32, #r>"


def analysed(body: str) -> tuple[tt.FuncOp, Allocation, list[Operation]]:
    """Return a function, its allocation, and the operations behind barriers in their order."""
    module = parse_module(f"{HEAD}%a = ttg.local_alloc : () -> {KIND}\n{body}\n}}\n}}\n")
    (function,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    allocation = allocate(function, lambda value: 512, lambda op: 0)
    found = barriers(function, allocation).before
    return function, allocation, [op for op in walk(function) if op in found]


def test_ways_that_meet_bring_what_each_of_them_left():
    """Only one arm stores, so what follows must wait; the arm that waits itself need not."""
    _, _, found = analysed(
        f"""cf.cond_br %c, ^left, ^right
        ^left: {STORE.format("%a")}
        cf.br ^end
        ^right: cf.br ^end
        ^end: {LOAD.format(0, "%a")}
        tt.return"""
    )
    assert [op.name for op in found] == ["ttg.local_load"]


def test_a_loop_of_blocks_waits_for_its_own_last_round():
    _, _, found = analysed(
        f"""cf.br ^loop
        ^loop: {STORE.format("%a")}
        {LOAD.format(0, "%a")}
        cf.cond_br %c, ^loop, ^end
        ^end: tt.return"""
    )
    assert [op.name for op in found] == ["ttg.local_store", "ttg.local_load"]


@pytest.mark.parametrize(("given", "expected"), [("%a, %b", {"%a", "%b"}), ("%a, %a", {"%a"})])
def test_a_branch_hands_on_a_buffer(given, expected):
    first, second = given.split(", ")
    function, allocation, _ = analysed(
        f"""%b = ttg.local_alloc : () -> {KIND}
        cf.cond_br %c, ^end({first} : {KIND}), ^end({second} : {KIND})
        ^end(%p: {KIND}): {LOAD.format(0, "%p")}
        tt.return"""
    )
    (loaded,) = (op for op in walk(function) if op.name == "ttg.local_load")
    a, b = allocation.buffers
    names = {a: "%a", b: "%b"}
    assert {names[buffer] for buffer in buffers_of(function)[loaded.operands[0]]} == expected


def test_a_choice_is_either_buffer():
    function, _, _ = analysed(
        f"""%b = ttg.local_alloc : () -> {KIND}
        %p = arith.select %c, %a, %b : {KIND}
        tt.return"""
    )
    (chosen,) = (op for op in walk(function) if op.name == "arith.select")
    assert len(buffers_of(function)[chosen.results[0]]) == 2
