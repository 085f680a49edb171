"""Conversions within a warp: by shuffles and selects, and by `permlane` swaps."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.codegen.dot_texts import Tensor, module_text
from weft.codegen import lower
from weft.codegen.hardware import hardware_of
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.lowering_plans.conversion import plan_conversion
from weft.simulator import run as simulate
from weft.targets import target

SHUFFLE = re.compile(r"= call i32 @llvm\.(?:nvvm\.shfl|amdgcn\.(?:ds\.|\S*dpp|permlane))")
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
def test_permlane_swaps_of_every_width(kind, distance):
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
    inputs = np.arange(256).reshape(4, 64).astype(TYPES[kind])
    actual = np.zeros_like(inputs)
    simulate(llvm.text, grid=(1,), arguments=[inputs, actual], warp_size=64, shared_bytes=0)
    np.testing.assert_array_equal(actual, inputs)


@pytest.mark.parametrize(
    ("chip", "message"),
    [
        ("hip:gfx942", "hip:gfx942 does not swap lanes 32 apart"),
        ("cuda:90", "cuda:90 has no instruction that swaps halves of registers"),
    ],
)
def test_chips_without_permlane_swaps(chip, message):
    with pytest.raises(CodegenError, match=message):
        hardware_of(target(chip)).lanes.swap(Writer(), 32, "%a", "%b")


PERMUTED = {
    "exchanges": ("[1, 0], [0, 1], [0, 2], [8, 0]", "[2, 0], [4, 0], [0, 4], [0, 8]"),
    "all registers": ("[0, 1], [0, 2], [0, 4], [0, 8]", "[1, 0], [2, 0], [4, 0], [8, 0]"),
    "lanes, too": ("[1, 0], [2, 0], [4, 0], [0, 1]", "[0, 2], [8, 0], [0, 8], [0, 4]"),
}


@pytest.mark.parametrize("kind", sorted(TYPES))
@pytest.mark.parametrize("chip", ["cuda:80", "gfx942"])
@pytest.mark.parametrize("after", sorted(PERMUTED))
def test_small_elements_are_packed_into_words(after, chip, kind):
    width, more = (32, ", [0, 16]") if chip == "cuda:80" else (64, ", [0, 16], [0, 32]")
    before = ("[1, 0], [2, 0], [4, 0], [8, 0]", "[0, 1], [0, 2], [0, 4], [0, 8]")
    layouts = {
        name: linear(registers, lanes + more)
        for name, (registers, lanes) in (("before", before), ("after", PERMUTED[after]))
    }
    a, b = Tensor("a", (16, width), kind, "#before"), Tensor("b", (16, width), kind, "#after")
    body = [
        *a.load("#after"),
        *b.pointers(),
        f"tt.store %bq, %ax : {b.of(f'!tt.ptr<{kind}>')}",
    ]
    text = module_text(chip, layouts, 1, [a, b], body)
    module = parse_module(text.replace("hip:cuda", "cuda"))
    (convert,) = (op for op in module.walk() if op.name == "ttg.convert_layout")
    llvm = lower(module)
    cost = plan_conversion(convert, llvm.target).cost
    assert cost.shuffles == len(SHUFFLE.findall(llvm.text)) > 0
    assert llvm.shared_bytes == 0
    inputs = np.arange(16 * width).reshape(16, width).astype(TYPES[kind])
    actual = np.zeros_like(inputs)
    lanes = llvm.target.threads_per_warp
    simulate(llvm.text, grid=(1,), arguments=[inputs, actual], warp_size=lanes, shared_bytes=0)
    np.testing.assert_array_equal(actual, inputs)


@pytest.mark.parametrize(
    ("chip", "moves"),
    [("gfx1100", "permlanex16"), ("gfx1201", "permlanex16"), ("gfx942", "ds.bpermute")],
)
def test_lane_exchange_by_vector_instructions(chip, moves):
    """Lanes 16 apart hold halves of rows, as results of WMMA do, and exchange them."""
    more = "" if chip != "gfx942" else ", [16, 0]"
    layouts = {
        "before": linear("[0, 2], [0, 4], [0, 8]", f"[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]{more}"),
        "after": linear(
            "[0, 1], [0, 2], [0, 4], [0, 8]", f"[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]{more}"
        ),
    }
    rows = 16 if not more else 32
    a, b = Tensor("a", (rows, 16), "f16", "#before"), Tensor("b", (rows, 16), "f16", "#after")
    body = [
        *a.load("#after"),
        *b.pointers(),
        f"tt.store %bq, %ax : {b.of('!tt.ptr<f16>')}",
    ]
    llvm = lower(parse_module(module_text(chip, layouts, 1, [a, b], body)))
    actual = set(re.findall(r"= call i32 @llvm\.amdgcn\.(permlanex16|ds\.bpermute)", llvm.text))
    assert actual == {moves}
    inputs = np.arange(rows * 16).reshape(rows, 16).astype(np.float16)
    result = np.zeros_like(inputs)
    lanes = llvm.target.threads_per_warp
    simulate(llvm.text, grid=(1,), arguments=[inputs, result], warp_size=lanes, shared_bytes=0)
    np.testing.assert_array_equal(result, inputs)
