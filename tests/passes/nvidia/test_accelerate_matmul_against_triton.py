"""Dots of random shapes, types and numbers of warps: the IR is Triton's, on every NVIDIA chip."""

from __future__ import annotations

import random

import pytest

from weft.ir.text import parse_module, print_module
from weft.layouts import default_blocked
from weft.passes import parse_pipeline, run_pipeline

pytestmark = pytest.mark.oracle
pytest.importorskip("triton")

CHIPS = ("70", "75", "80", "86", "89", "90", "100", "120")
TYPES = (
    ("f16", "f32"),
    ("bf16", "f32"),
    ("f16", "f16"),
    ("f32", "f32"),
    ("f64", "f64"),
    ("i8", "i32"),
    ("f8E5M2", "f32"),
    ("f8E4M3FN", "f32"),
    ("f8E5M2", "f16"),
)
SAMPLES = 40


def text_of(seed: int, chip: str) -> str:
    """Write a module with two dots; the second may accumulate on the first."""
    draw = random.Random(f"{seed} {chip}")
    m, n, k = (draw.choice((16, 32, 64, 128, 256)) for _ in range(3))
    n, k = min(n, 128), min(k, 128)
    warps = draw.choice((1, 2, 4, 8, 16))
    # FMA instructions do not multiply 8-bit integers; Triton prints invalid IR.
    types = TYPES if int(chip) >= 80 else [each for each in TYPES if each[0] != "i8"]
    operand, result = draw.choice(types)
    precision = draw.choice((", inputPrecision = tf32", "")) if operand == "f32" else ""
    imprecise = draw.choice((" {maxNumImpreciseAcc = 1073741824 : i32}", ""))
    attributes = precision + (imprecise if operand.startswith("f8") else "")
    layout = str(default_blocked((m, n), warps, 32, 1, (1, 4)))
    flipped = draw.random() < 0.5
    order = (0, 1) if flipped else (1, 0)
    size = (4, 1) if flipped else (1, 4)
    source = str(default_blocked((m, k), warps, 32, 1, size, order))
    a, b = (f"#ttg.dot_op<{{opIdx = {i}, parent = #result}}>" for i in (0, 1))
    dot = f"tensor<{m}x{k}x{operand}, {a}> * tensor<{k}x{n}x{operand}, {b}>"
    sum_ = f"tensor<{m}x{n}x{result}, #result>"
    computed = draw.random() < 0.5
    op = "arith.addi" if operand == "i8" else "arith.mulf"
    plain = f"tensor<{m}x{k}x{operand}, #source>"
    first = f"  %y = {op} %l, %l : {plain}\n" if computed else ""
    return f"""#result = {layout}
#source = {source}
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, ttg.target = "cuda:{chip}", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @f(%p: tensor<{m}x{k}x!tt.ptr<{operand}>, #source>, %b: tensor<{k}x{n}x{operand}, {b}>, %c: {sum_}) -> ({sum_}, {sum_}) {{
  %l = tt.load %p : tensor<{m}x{k}x!tt.ptr<{operand}>, #source>
{first}  %x = ttg.convert_layout {"%y" if computed else "%l"} : {plain} -> tensor<{m}x{k}x{operand}, {a}>
  %d = tt.dot %x, %b, %c{attributes} : {dot} -> {sum_}
  %e = tt.dot %x, %b, {draw.choice(("%d", "%c"))}{attributes} : {dot} -> {sum_}
  tt.return %d, %e : {sum_}, {sum_}
}}
}}
"""  # noqa: E501


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("seed", range(SAMPLES))
def test_dots(seed, chip):
    from tests.passes.triton_passes import triton_after

    text = text_of(seed, chip)
    module = parse_module(text)
    run_pipeline(parse_pipeline("tritongpu-accelerate-matmul"), module, verify=True)
    assert print_module(module) == triton_after(text, "tritongpu-accelerate-matmul")
