"""Selects of a register by lane: correct for every table, with few instructions."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.comparing import require_text
from weft.codegen import lower
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.lane_select import LaneSelect
from weft.ir.text import parse_module
from weft.targets import target

REPLICATED = "#ttg.slice<{dim = 2, parent = #whole}>"


def written(tables: list[list[list[str]]]) -> tuple[list[str], list[str]]:
    """Return the names of what threads take by each table, and the selects that make them."""
    writer = Writer(prefix="%v")
    threads = SimpleNamespace(any_bit_set=lambda name, mask: f"%{name}.{mask}")
    low = SimpleNamespace(threads=threads, writer=writer)
    chooser = LaneSelect(low, "float")  # pyright: ignore[reportArgumentType]
    actual = [chooser.choose(table) for table in tables]
    return actual, [line for line in writer.body().splitlines() if line.strip()]


def taken(name: str, lines: list[str], lane: int, warp: int) -> str:
    """Evaluate the selects for a thread."""
    definitions = {line.split(" = ")[0].strip(): line for line in lines}
    while name in definitions:
        parts = re.fullmatch(
            r".*select i1 %(lane|warp)\.(\d+), float (\S+), float (\S+)", definitions[name]
        )
        assert parts is not None
        number = lane if parts[1] == "lane" else warp
        name = parts[3] if number & int(parts[2]) else parts[4]
    return name


@given(st.data(), st.sampled_from([1, 2, 4]), st.sampled_from([32, 64]))
def test_each_lane_selects_by_its_table(data, warps, lanes):
    few = st.sampled_from(["%a", "%b", "%c", "%d"])
    table = [data.draw(st.lists(few, min_size=lanes, max_size=lanes)) for _ in range(warps)]
    (name,), lines = written([table])
    for warp in range(warps):
        for lane in range(lanes):
            assert taken(name, lines, lane, warp) == table[warp][lane]


def test_rotation_takes_three_stages():
    registers = [f"%r{n}" for n in range(8)]
    tables = [[[registers[(lane + n) % 8] for lane in range(32)]] for n in range(8)]
    names, lines = written(tables)
    assert len(lines) == 3 * 8
    for n, name in enumerate(names):
        assert [taken(name, lines, lane, 0) for lane in range(32)] == tables[n][0]


def test_uniform_table_needs_no_select():
    assert written([[["%a"] * 32] * 4]) == (["%a"], [])


def reduction(chip: str, warps: int) -> str:
    """Return TTGIR that reduces along lanes and warps, and then gives a thread one result."""
    lanes = target(chip).threads_per_warp
    return f"""
#whole = #ttg.blocked<{{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, {lanes}],
                        warpsPerCTA = [1, 1, {warps}], order = [2, 1, 0]}}>
#one = #ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [{lanes // 16}, 16],
                      warpsPerCTA = [{warps}, 1], order = [1, 0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32,
                    ttg.target = "{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {{
    %r = tt.make_range {{end = 4 : i32, start = 0 : i32}}
      : tensor<4xi32, #ttg.slice<{{dim = 1, parent = {REPLICATED}}}>>
    %c = tt.make_range {{end = 16 : i32, start = 0 : i32}}
      : tensor<16xi32, #ttg.slice<{{dim = 0, parent = {REPLICATED}}}>>
    %r2 = tt.expand_dims %r {{axis = 1 : i32}}
      : tensor<4xi32, #ttg.slice<{{dim = 1, parent = {REPLICATED}}}>> -> tensor<4x1xi32, {REPLICATED}>
    %c2 = tt.expand_dims %c {{axis = 0 : i32}}
      : tensor<16xi32, #ttg.slice<{{dim = 0, parent = {REPLICATED}}}>> -> tensor<1x16xi32, {REPLICATED}>
    %n = arith.constant dense<16> : tensor<4x1xi32, {REPLICATED}>
    %rn = arith.muli %r2, %n : tensor<4x1xi32, {REPLICATED}>
    %rb = tt.broadcast %rn : tensor<4x1xi32, {REPLICATED}> -> tensor<4x16xi32, {REPLICATED}>
    %cb = tt.broadcast %c2 : tensor<1x16xi32, {REPLICATED}> -> tensor<4x16xi32, {REPLICATED}>
    %i = arith.addi %rb, %cb : tensor<4x16xi32, {REPLICATED}>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4x16x!tt.ptr<f32>, {REPLICATED}>
    %pp = tt.addptr %ps, %i : tensor<4x16x!tt.ptr<f32>, {REPLICATED}>, tensor<4x16xi32, {REPLICATED}>
    %x = tt.load %pp : tensor<4x16x!tt.ptr<f32>, {REPLICATED}>
    %y = ttg.convert_layout %x : tensor<4x16xf32, {REPLICATED}> -> tensor<4x16xf32, #one>
    %j = ttg.convert_layout %i : tensor<4x16xi32, {REPLICATED}> -> tensor<4x16xi32, #one>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<4x16x!tt.ptr<f32>, #one>
    %qp = tt.addptr %qs, %j : tensor<4x16x!tt.ptr<f32>, #one>, tensor<4x16xi32, #one>
    tt.store %qp, %y : tensor<4x16x!tt.ptr<f32>, #one>
    tt.return
  }}
}}
"""  # noqa: E501


@pytest.mark.parametrize("warps", [1, 2, 4])
@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_selects_share_conditions(chip, warps):
    text = reduction(chip, warps)
    require_text(text, grid=(1,))
    llvm = lower(parse_module(text)).text
    conditions = {actual for actual in re.findall(r"select i1 (%\S+), float", llvm)}
    assert 0 < len(conditions) <= np.log2(64)
    assert len(re.findall(r"select i1 %\S+, float", llvm)) < 64
    assert not re.search("shuffle|shfl|bpermute", llvm)
