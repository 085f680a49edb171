"""Barriers where control goes by blocks and branches, and buffers that branches hand on."""

from __future__ import annotations

import pytest

from tests.analysis.shared_memory.programs import HEAD, memory
from weft.analysis.allocation import Allocation, allocate
from weft.analysis.buffer_aliases import buffer_aliases
from weft.analysis.hazards import barriers
from weft.ir import tt
from weft.ir.builtin import Operation
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

KIND = memory(128)
STORE = f"ttg.local_store %x128, {{}} : tensor<128xf32, #r> -> {KIND}"
LOAD = f"%l{{}} = ttg.local_load {{}} : {KIND} -> tensor<128xf32, #r>"


def analysed(body: str, heads: str = "") -> tuple[tt.FuncOp, Allocation, list[Operation]]:
    """Return a function, its allocation, and the operations behind barriers in their order.

    Args: heads: aliases of layouts beside those of HEAD.
    """
    module = parse_module(f"{heads}{HEAD}%a = ttg.local_alloc : () -> {KIND}\n{body}\n}}\n}}\n")
    (function,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    allocation = allocate(function, lambda value: 4096, lambda op: 0)
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
    assert {names[buffer] for buffer in buffer_aliases(function)[loaded.operands[0]]} == expected


def test_a_choice_is_either_buffer():
    function, _, _ = analysed(
        f"""%b = ttg.local_alloc : () -> {KIND}
        %p = arith.select %c, %a, %b : {KIND}
        tt.return"""
    )
    (chosen,) = (op for op in walk(function) if op.name == "arith.select")
    assert len(buffer_aliases(function)[chosen.results[0]]) == 2


@pytest.mark.parametrize(
    ("left", "right", "between", "after", "first"),
    [
        ("%a", "%b", "", "", True),  # one barrier for both
        ("%a", "%a", "", "", False),  # neither reads what was stored
        ("%a", "%b", STORE.format("%d"), "", False),  # that store is none of the first's business
        ("%a", "%b", "", "%p", False),  # what is read behind the barrier would need another one
        ("%a", "%b", "", "%q", True),  # that needs another one anyway
        ("%b", "%a", "", "", True),
    ],
)
def test_the_first_operand_of_a_dot_waits_for_both(left, right, between, after, first):
    """%a was stored long ago, and %b just now."""
    square, tile = memory(1024).replace("1024", "32x32"), "tensor<32x32xf32, #{}>"
    square = square.replace("#s,", "#t,")
    again = after and f"ttg.local_store %x, {after} : {tile.format('w')} -> {square}"
    body = f"""%p = ttg.local_alloc : () -> {square}
        %q = ttg.local_alloc : () -> {square}
        %x = arith.constant dense<0.0> : {tile.format("w")}
        %d = ttg.local_alloc : () -> {KIND}
        ttg.local_store %x, %p : {tile.format("w")} -> {square}
        ttg.barrier local
        ttg.local_store %x, %q : {tile.format("w")} -> {square}
        %l = ttg.local_load {left.replace("a", "p").replace("b", "q")} : {square}
          -> {tile.format("l")}
        {between}
        %y = arith.negf %x : {tile.format("w")}
        %r = ttg.local_load {right.replace("a", "p").replace("b", "q")} : {square}
          -> {tile.format("rr")}
        {again}
        %z = tt.dot %l, %r, %y : {tile.format("l")} * {tile.format("rr")} -> {tile.format("w")}
        tt.return"""
    heads = """
#w = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1],
                   order = [1, 0]}>
#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #w}>
#rr = #ttg.dot_op<{opIdx = 1, parent = #w}>
"""
    _, _, found = analysed(body, heads)
    loads = [op.results[0].name_hint for op in found if op.name == "ttg.local_load"]
    expected = [] if left == right else ["l"] if first else ["r"]
    assert loads == expected
