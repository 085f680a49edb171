"""64-bit division and remainder: by 32 bits where the operands fit, and always correct."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.codegen.running import interpreted, simulated
from weft.codegen import lower
from weft.ir.text import parse_module
from weft.targets import target

CHIPS = ("cuda:90", "hip:gfx942")
COUNT = 256
LEAST, MOST = -(2**31), 2**31 - 1
EDGES = np.array([0, 1, -1, 2, 3, -7, 1000, LEAST, LEAST + 1, MOST, MOST - 1, 65537, -65536])
SIGNED, UNSIGNED = ("divsi", "remsi"), ("divui", "remui")


def module_text(chip: str, name: str, body: str) -> str:
    """Return TTGIR of `name` of %a and %b, i64, that a body makes of the arrays' %x and %y, i32."""
    lanes = target(chip).threads_per_warp
    arrays = {"p": "i32", "q": "i32", "r": "i64"}
    lines = []
    for array, type_ in arrays.items():
        kind = f"tensor<{COUNT}x!tt.ptr<{type_}>, #b>"
        lines.append(f"%{array}s = tt.splat %{array} : !tt.ptr<{type_}> -> {kind}")
        lines.append(f"%{array}p = tt.addptr %{array}s, %i : {kind}, tensor<{COUNT}xi32, #b>")
    lines.append(f"%x = tt.load %pp : tensor<{COUNT}x!tt.ptr<i32>, #b>")
    lines.append(f"%y = tt.load %qp : tensor<{COUNT}x!tt.ptr<i32>, #b>")
    lines += body.strip().splitlines()
    lines.append(f"%c = arith.{name} %a, %b : tensor<{COUNT}xi64, #b>")
    lines.append(f"tt.store %rp, %c : tensor<{COUNT}x!tt.ptr<i64>, #b>")
    arguments = ", ".join(f"%{array}: !tt.ptr<{type_}>" for array, type_ in arrays.items())
    inner = "\n    ".join(lines)
    return f"""
#b = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [{lanes}], warpsPerCTA = [4],
                    order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "{chip}",
                    "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @k({arguments}) {{
    %i = tt.make_range {{end = {COUNT} : i32, start = 0 : i32}} : tensor<{COUNT}xi32, #b>
    {inner}
    tt.return
  }}
}}
"""


def widened(name: str, value: str, by: str) -> str:
    return f"%{name} = arith.{by} %{value} : tensor<{COUNT}xi32, #b> to tensor<{COUNT}xi64, #b>\n"


def combined(name: str, op: str, value: str, number: int) -> str:
    """Return a line that combines an i64 with a constant."""
    kind = f"tensor<{COUNT}xi64, #b>"
    return (
        f"%{name}c = arith.constant dense<{number}> : {kind}\n"
        f"%{name} = arith.{op} %{value}, %{name}c : {kind}\n"
    )


NATURAL = widened("a", "x", "extui") + widened("b", "y", "extui")
POSITIVE = widened("a0", "x", "extsi") + combined("a", "maxsi", "a0", LEAST + 1)
POSITIVE += widened("b", "y", "extsi")
ANY = widened("a", "x", "extsi") + widened("b", "y", "extsi")
LARGER = widened("a0", "x", "extsi") + combined("a", "addi", "a0", 1) + widened("b", "y", "extsi")
BY_CONSTANT = widened("a", "x", "extsi") + combined("b", "maxsi", "a", 7)
# Body, operations, and the bits by which they are divided.
CASES = [
    *((NATURAL, name, 32) for name in (*SIGNED, *UNSIGNED)),
    *((POSITIVE, name, 32) for name in SIGNED),
    *((ANY, name, 64) for name in (*SIGNED, *UNSIGNED)),  # the least by -1; what a sign becomes
    *((LARGER, name, 64) for name in SIGNED),
    *((BY_CONSTANT, name, 32) for name in SIGNED),
]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("body", "name", "bits"), CASES)
def test_operands_that_fit_use_32_bit_division(body, name, bits, chip):
    text = module_text(chip, name, body)
    verb = name.removesuffix("ui").removesuffix("si")
    widths = re.findall(rf"[su]{verb} i(\d+)", lower(parse_module(text)).text)
    assert set(widths) == {str(bits)}
    random = np.random.default_rng(0)
    x, y = (random.choice(EDGES, COUNT).astype(np.int32) for _ in range(2))
    y[y == 0] = 5
    arrays = [x, y, np.zeros(COUNT, np.int64)]
    module = parse_module(text)
    np.testing.assert_array_equal(simulated(module, arrays)[2], interpreted(module, arrays)[2])


def test_other_widths_are_unchanged():
    kernel = module_text("cuda:90", "divsi", ANY)
    narrow = kernel.replace("i64", "i32").replace("arith.extsi", "arith.bitcast")
    assert "sdiv i32" in lower(parse_module(narrow)).text
