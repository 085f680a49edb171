"""fp4 values multiplied by power-of-two scales: every pair, without rounding."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.conversions import DTYPES
from tests.codegen.lowering.test_microscaling import access, blocked, kernel, require_same
from weft.codegen import lower
from weft.ir.text import parse_module
from weft.targets import target

CODES = 16


def scaling(chip: str, shift: int = 7) -> tuple[str, int]:
    """Return a kernel that multiplies 4-bit floats by bits that are shifted, and how many."""
    lanes = target(chip).threads_per_warp
    rows, columns = lanes, 16
    wide = f"{rows}x{2 * columns}"
    layouts = "\n".join((blocked("#a", lanes, (1, 4)), blocked("#b", lanes, (1, 8))))
    body = (
        access("x", "%p", rows, columns, "i8", "#a")
        + f"    %x = tt.load %x_p : tensor<{rows}x{columns}x!tt.ptr<i8>, #a>\n"
        + f"    %y = ttg.fp4_to_fp %x {{axis = 1 : i32}} : tensor<{rows}x{columns}xi8, #a> "
        + f"-> tensor<{wide}xbf16, #b>\n"
        + access("e", "%s", rows, 2 * columns, "i16", "#b")
        + f"    %e = tt.load %e_p : tensor<{wide}x!tt.ptr<i16>, #b>\n"
        + f"    %by = arith.constant dense<{shift}> : tensor<{wide}xi16, #b>\n"
        + f"    %f = arith.shli %e, %by : tensor<{wide}xi16, #b>\n"
        + f"    %g = tt.bitcast %f : tensor<{wide}xi16, #b> -> tensor<{wide}xbf16, #b>\n"
        + f"    %z = arith.mulf %g, %y : tensor<{wide}xbf16, #b>\n"
        + access("z", "%q", rows, 2 * columns, "bf16", "#b")
        + f"    tt.store %z_p, %z : tensor<{wide}x!tt.ptr<bf16>, #b>\n"
    )
    arguments = "%p: !tt.ptr<i8>, %s: !tt.ptr<i16>, %q: !tt.ptr<bf16>"
    return kernel(chip, layouts, arguments, body), rows * 2 * columns


@pytest.mark.parametrize("chip", ["hip:gfx1100", "hip:gfx942", "hip:gfx950"])
def test_every_code_and_scale(chip):
    text, count = scaling(chip)
    codes = np.arange(count) % CODES
    bytes_ = (codes[0::2] | codes[1::2] << 4).astype(np.uint8).view(np.int8)
    for first in range(0, 256, count // CODES):
        exponents = (first + np.arange(count) // CODES).astype(np.int16)
        require_same(text, [bytes_, exponents, np.zeros(count, DTYPES["bf16"])])


@pytest.mark.parametrize(
    ("chip", "shift", "product"),
    [
        ("hip:gfx1100", 7, "fmul float"),
        ("hip:gfx1201", 8, "fmul float"),
        ("hip:gfx1201", 6, "fmul contract bfloat"),  # the scale has a bit of mantissa
        ("hip:gfx950", 7, "fmul contract bfloat"),  # the chip rounds by an instruction
        ("cuda:90", 7, "fmul contract bfloat"),
    ],
)
def test_only_exact_products_are_not_rounded(chip, shift, product):
    text = lower(parse_module(scaling(chip, shift)[0])).text
    actual = {word for word in ("fmul float", "fmul contract bfloat") if word in text}
    assert actual == {product}


def choosing(chip: str, *, product: str = "%y, %h", user: str = "") -> tuple[str, int]:
    """Return a kernel whose rows have a scale each, 255 for NaN, and how many elements it has.

    Args: product: its factors, of the floats `%y` and the scales `%h`.  user: another user of it.
    """
    lanes = target(chip).threads_per_warp
    wide, tall = f"{lanes}x32", f"{lanes}x1"
    layouts = "\n".join((blocked("#a", lanes, (1, 4)), blocked("#b", lanes, (1, 8))))
    body = (
        access("x", "%p", lanes, 16, "i8", "#a")
        + f"    %x = tt.load %x_p : tensor<{lanes}x16x!tt.ptr<i8>, #a>\n"
        + f"    %y = ttg.fp4_to_fp %x {{axis = 1 : i32}} : tensor<{lanes}x16xi8, #a> "
        + f"-> tensor<{wide}xbf16, #b>\n"
        + access("z", "%q", lanes, 32, "bf16", "#b")
        + f"    %nan = arith.constant dense<0x7FC0> : tensor<{wide}xbf16, #b>\n"
        + f"    %by = arith.constant dense<7> : tensor<{tall}xi16, #b>\n"
        + f"    %last = arith.constant dense<255> : tensor<{tall}xi16, #b>\n"
        + f"    %e_s = tt.splat %s : !tt.ptr<i16> -> tensor<{tall}x!tt.ptr<i16>, #b>\n"
        + f"    %e_p = tt.addptr %e_s, %z_r1 : tensor<{tall}x!tt.ptr<i16>, #b>, "
        + f"tensor<{tall}xi32, #b>\n"
        + f"    %e = tt.load %e_p : tensor<{tall}x!tt.ptr<i16>, #b>\n"
        + f"    %f = arith.shli %e, %by : tensor<{tall}xi16, #b>\n"
        + f"    %g = tt.bitcast %f : tensor<{tall}xi16, #b> -> tensor<{tall}xbf16, #b>\n"
        + f"    %h = tt.broadcast %g : tensor<{tall}xbf16, #b> -> tensor<{wide}xbf16, #b>\n"
        + f"    %v = arith.mulf {product} : tensor<{wide}xbf16, #b>\n{user.format(wide=wide)}"
        + f"    %c = arith.cmpi eq, %e, %last : tensor<{tall}xi16, #b>\n"
        + f"    %d = tt.broadcast %c : tensor<{tall}xi1, #b> -> tensor<{wide}xi1, #b>\n"
        + f"    %w = arith.select %d, %nan, %v : tensor<{wide}xi1, #b>, tensor<{wide}xbf16, #b>\n"
        + f"    tt.store %z_p, %w : tensor<{wide}x!tt.ptr<bf16>, #b>\n"
    )
    arguments = "%p: !tt.ptr<i8>, %s: !tt.ptr<i16>, %q: !tt.ptr<bf16>"
    return kernel(chip, layouts, arguments, body), lanes


@pytest.mark.parametrize("chip", ["hip:gfx1100", "hip:gfx942", "hip:gfx950", "cuda:80"])
@pytest.mark.parametrize("product", ["%y, %h", "%h, %y"])
def test_scales_are_selected_before_multiplication(chip, product):
    """Of 8 products of a row with its scale, which may be NaN, a thread chooses the scale."""
    text, rows = choosing(chip, product=product)
    bytes_ = np.arange(rows * 16).astype(np.uint8).view(np.int8)
    scales = np.where(np.arange(rows) % 3 == 0, 255, 120 + np.arange(rows) % 10).astype(np.int16)
    (*_, result) = require_same(text, [bytes_, scales, np.zeros(rows * 32, DTYPES["bf16"])])
    assert np.isnan(result.reshape(rows, 32).astype(np.float32)).all(axis=1).tolist() == (
        (scales == 255).tolist()
    )
    assert lower(parse_module(text)).text.count(" = select i1 ") == 1


def test_products_with_other_users():
    user = "    tt.store %z_p, %v : tensor<{wide}x!tt.ptr<bf16>, #b>\n"
    text, rows = choosing("hip:gfx1100", user=user)
    assert lower(parse_module(text)).text.count(" = select i1 ") == 8
    bytes_, scales = np.arange(rows * 16).astype(np.int8), np.full(rows, 255, np.int16)
    require_same(text, [bytes_, scales, np.zeros(rows * 32, DTYPES["bf16"])])
