"""The layouts and conversions of a small module, as data and as tables."""

from __future__ import annotations

import pytest

from weft.explain.inventory import Launch, inventory
from weft.explain.inventory_tables import text
from weft.ir.text import parse_module

KERNEL = """\
def kernel(x):
    a = tl.arange(0, 64)
    for i in range(4):
        b = tl.sum(a)
"""

MODULE = """\
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%n: i32 loc("FILE":1:0)) {
    %a = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #blocked> loc("FILE":2:8)
    %b = ttg.convert_layout %a : tensor<64xi32, #blocked> -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> loc("FILE":2:4)
    scf.for %i = %n to %n step %n  : i32 {
      %c = ttg.convert_layout %a : tensor<64xi32, #blocked> -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> loc(callsite("/x/weft/language/standard.py":9:0 at "FILE":4:8))
      %d = ttg.convert_layout %a : tensor<64xi32, #blocked> -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> loc("s"("FILE":4:12))
    } loc("FILE":3:4)
    tt.return loc(unknown)
  } loc("FILE":1:0)
} loc("FILE":1:0)
"""  # noqa: E501


@pytest.fixture
def found(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL)
    return inventory(parse_module(MODULE.replace("FILE", str(file))))


def test_module(found):
    assert found.launch == Launch(
        "kernel",
        "cuda:90",
        4,
        32,
    )


def test_layouts(found):
    assert [(use.name, use.tensors, use.shapes) for use in found.layouts] == [
        ("#blocked", 1, ("64xi32",)),
        ("slice dim 0 of #blocked1", 1, ("64xi32",)),
        ("slice dim 1 of #blocked1", 2, ("64xi32",)),
    ]


def test_conversions(found):
    first, second, third = found.conversions
    assert (first.before, first.after) == ("#blocked", "slice dim 0 of #blocked1")
    assert (first.shape, first.size_bytes, first.loop_depth) == ("64xi32", 256, 0)
    assert first.location.line == 2
    assert first.location.source == "    a = tl.arange(0, 64)"
    assert second.loop_depth == 1
    assert second == third  # a line of the standard library gives way to the kernel's
    assert second.location.line == 4
    assert (found.converted_bytes, found.in_loops) == (768, 2)


def test_tables(found):
    lines = text(found, note="1 ms").splitlines()
    assert lines[0] == "kernel  cuda:90  4 warps × 32 lanes  1 ms"
    assert lines[3].split() == "#blocked 1 · 32 · 4 · 0 1 64xi32".split()
    assert lines[-1] == "3 conversions, 0.75 KiB, 2 in loops"
    at = next(number for number, line in enumerate(lines) if "kernel.py:4" in line)
    assert lines[at] == "kernel.py:4  b = tl.sum(a)"
    assert lines[at + 1] == (
        "  2 ×  64xi32  #blocked → slice dim 1 of #blocked1   0.5 KiB  in a loop"
    )


def test_a_module_without_layouts():
    found = inventory(parse_module("module { tt.func @f() { tt.return } }"))
    assert not found.layouts
    assert not found.conversions
    assert text(found).splitlines()[-1] == "0 conversions, 0 KiB, 0 in loops"
