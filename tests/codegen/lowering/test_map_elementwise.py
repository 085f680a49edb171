"""`tt.map_elementwise`: packs, several results and regions with several blocks."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same, require_text
from tests.codegen.running import interpreted, simulated
from tests.codegen.tiles import tile_kernel
from weft.ir.text import parse_module

LAYOUT = (
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [LANES, 1], warpsPerCTA = [1, 4],"
    " order = [1, 0]}>"
)
ONE = """
    %s = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%u: {kind}):
      %t = arith.addi %u, %u : {kind}
      tt.map_elementwise.return %t : {kind}
    }) : ({t}) -> {t}
    tt.store %a, %s : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
"""
PACKS = """
    %y = arith.muli %x, %x : {t}
    %s, %s2 = "tt.map_elementwise"(%x, %y) <{pack = 2 : i32}> ({
    ^bb0(%u0: {kind}, %u1: {kind}, %v0: {kind}, %v1: {kind}):
      %t0 = arith.subi %u0, %v1 : {kind}
      %t1 = arith.addi %u1, %v0 : {kind}
      tt.map_elementwise.return %t0, %t1, %u1, %u0 : {kind}, {kind}, {kind}, {kind}
    }) : ({t}, {t}) -> ({t}, {t})
    %z = arith.xori %s, %s2 : {t}
    tt.store %a, %z : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
"""
BRANCHES = """
    %s = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%u: {kind}):
      %limit = arith.constant 7 : {kind}
      %three = arith.constant 3 : {kind}
      %large = arith.cmpi sgt, %u, %limit : {kind}
      cf.cond_br %large, ^bb1, ^bb2(%u : {kind})
    ^bb1:
      tt.map_elementwise.return %limit : {kind}
    ^bb2(%v: {kind}):
      %w2 = arith.addi %v, %three : {kind}
      %more = arith.cmpi slt, %w2, %limit : {kind}
      cf.cond_br %more, ^bb2(%w2 : {kind}), ^bb3
    ^bb3:
      tt.map_elementwise.return %w2 : {kind}
    }) : ({t}) -> {t}
    tt.store %a, %s : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
"""


@pytest.mark.parametrize(("target", "lanes"), [("cuda:90", 32), ("hip:gfx942", 64)])
@pytest.mark.parametrize("body", [ONE, PACKS], ids=["one", "packs"])
def test_elementwise_functions(target, lanes, body):
    layout = LAYOUT.replace("LANES", str(lanes))
    require_text(tile_kernel(target, layout, lanes, 16, "i32", body), tolerance=0)


@pytest.mark.parametrize(("target", "lanes"), [("cuda:90", 32), ("hip:gfx942", 64)])
def test_early_returns(target, lanes):
    """A loop that an element leaves when its own number is large enough."""
    module = parse_module(
        tile_kernel(target, LAYOUT.replace("LANES", str(lanes)), lanes, 16, "i32", BRANCHES)
    )
    x = np.random.default_rng(0).integers(-20, 20, lanes * 16, np.int32)

    def expected(number: int) -> int:
        if number > 7:
            return 7
        number += 3
        while number < 7:
            number += 3
        return number

    correct = [expected(int(number)) for number in x]
    for run in (interpreted, simulated):
        _, actual = run(module, [x, np.zeros_like(x)])
        np.testing.assert_array_equal(actual, correct)


@weft.jit
def damped(x, limit):
    if x > limit:
        return limit + (x - limit) * 3
    while x < -limit:
        x = x + limit
    return x


@weft.jit
def maps(x_ptr, y_ptr, n, N: tl.constexpr):
    places = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + places, mask=places < n, other=0)
    y = tl.map_elementwise(damped, x, tl.full([N], 9, tl.int32))
    tl.store(y_ptr + places, y, mask=places < n)


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_functions_with_early_returns_are_inlined(chip):
    compiled = weft.compile(maps, signature="*i32:16, *i32:16, i32, 256", target=chip)
    ttgir = compiled.asm["ttgir"]
    assert "tt.call" not in ttgir
    assert "cf.cond_br" in ttgir
    located = compiled.text("ttir", locations=True)
    assert not any("^bb0(" in line and "unknown" in line for line in located.splitlines())
    require_same(compiled, tolerance=0)
