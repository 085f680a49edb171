"""Conversions of layouts by instructions that swap halves of registers between lanes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.dot_texts import Tensor, module_text
from weft.codegen import lower
from weft.codegen.hardware import hardware_of
from weft.codegen.writer import Writer
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate
from weft.targets import target

TYPES = {
    "i8": np.int8,
    "f16": np.float16,
    "f32": np.float32,
    "i64": np.int64,
    "f64": np.float64,
}


def linear(register: str, lane: str) -> str:
    """Return a layout of [4, 64] for one warp of 64 lanes."""
    return f"#ttg.linear<{{register = [{register}], lane = [{lane}], warp = [], block = []}}>"


@pytest.mark.parametrize("kind", sorted(TYPES))
@pytest.mark.parametrize("distance", [16, 32])
def test_swaps_of_every_width(kind, distance):
    columns = [f"[0, {1 << bit}]" for bit in range(6)]
    changed = list(columns)
    changed[distance.bit_length() - 1] = "[1, 0]"
    before = linear("[1, 0], [2, 0]", ", ".join(columns))
    after = linear(f"[0, {distance}], [2, 0]", ", ".join(changed))
    a, b = Tensor("a", (4, 64), kind, "#before"), Tensor("b", (4, 64), kind, "#after")
    body = [
        *a.load("#after"),
        *b.pointers(),
        f"tt.store %bq, %ax : {b.of(f'!tt.ptr<{kind}>')}",
    ]
    layouts = {"before": before, "after": after}
    llvm = lower(parse_module(module_text("gfx950", layouts, 1, [a, b], body)))
    assert llvm.text.count(f"@llvm.amdgcn.permlane{distance}.swap(i32 %") > 0
    assert llvm.shared_bytes == 0
    given = np.arange(256).reshape(4, 64).astype(TYPES[kind])
    found = np.zeros_like(given)
    simulate(llvm.text, grid=(1,), arguments=[given, found], warp_size=64, shared_bytes=0)
    np.testing.assert_array_equal(found, given)


@pytest.mark.parametrize(
    ("chip", "message"),
    [
        ("hip:gfx942", "hip:gfx942 does not swap lanes 32 apart"),
        ("cuda:90", "cuda:90 has no instruction that swaps halves of registers"),
    ],
)
def test_chips_that_do_not_swap(chip, message):
    with pytest.raises(CodegenError, match=message):
        hardware_of(target(chip)).swap(Writer(), 32, "%a", "%b")
