"""tl.dot and tl.dot_scaled: their operations, and errors."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted, error_of
from tests.frontend.semantics.facts import CUDA_90, GFX942, GFX1100
from weft.errors import DeprecatedWarning, WeftError

BLOCK = "fp32[8]"

LAST = [
    (
        ("fp16[16, 32]", "fp16[32, 16]", "fp32[16, 16]"),
        tl.dot,
        (),
        {},
        "tt.dot %arg0, %arg1, %arg2, inputPrecision = tf32 : "
        "tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>",
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


def test_dot_precision_of_the_target():
    types = ("fp32[16, 16]", "fp32[16, 16]")
    assert "inputPrecision = tf32" in emitted(types, tl.dot)[-1]
    assert "inputPrecision" not in emitted(types, tl.dot, allow_tf32=False)[-1]
    assert "inputPrecision" not in emitted(types, tl.dot, options=GFX1100)[-1]


def test_dot_of_int8_and_fp8():
    lines = emitted(("i8[16, 32]", "i8[32, 16]"), tl.dot)
    assert lines[-1].endswith("-> tensor<16x16xi32>")
    lines = emitted(("fp8e5[16, 32]", "fp8e4nv[32, 16]"), tl.dot)
    assert "maxNumImpreciseAcc = 1073741824" in lines[-1]


def test_dot_scaled():
    types = ("u8[128, 32]", "u8[128, 2]", "u8[64, 128]")
    bench = Bench(*types)
    a, scale, b = bench.args
    result = bench.call(tl.dot_scaled, a, scale, "e2m1", b, None, "e4m3")
    assert "lhs = e2m1 rhs = e4m3" in bench.lines(result)[-1]


ERRORS = [
    (
        ("fp16[16, 16]", "bf16[16, 16]"),
        tl.dot,
        (),
        {},
        (
            "Both operands must be same dtype. Got fp16 and bf16",
            "fp16 and bf16",
            "b.to(tl.float16)",
        ),
    ),
    (
        ("fp16[16, 16]", "fp16[32, 16]"),
        tl.dot,
        (),
        {},
        ("first input shape (16, 16) and second input shape (32,",),
    ),
    (
        ("fp16[16, 8]", "fp16[8, 16]"),
        tl.dot,
        (),
        {},
        ("Input shapes should have M >= 1, N >= 1 and K >= 16",),
    ),
    (("i32[16, 16]", "i32[16, 16]"), tl.dot, (), {}, ("Unsupported lhs dtype int32",)),
    (("u8[16, 32]", "u8[32, 16]"), tl.dot, (), {}, ("only int8 supported!",)),
    ((BLOCK, BLOCK), tl.dot, (), {}, ("lhs of tl.dot must have at least 2 dimensions",)),
    (
        ("fp16[2, 16, 16]", "fp16[16, 16]"),
        tl.dot,
        (),
        {},
        ("input and other must have equal ranks >= 2",),
    ),
    (
        ("fp16[2, 16, 16]", "fp16[4, 16, 16]"),
        tl.dot,
        (),
        {},
        ("input and other must have equal batch shapes",),
    ),
    (
        ("fp16[16, 16]", "fp16[16, 16]", "fp16[16, 16]"),
        tl.dot,
        (),
        {},
        ("accumulator shape or type is incompatible", "out_dtype=tl.float16"),
    ),
    (
        ("fp16[16, 16]", "fp16[16, 16]"),
        tl.dot,
        (),
        {"out_dtype": tl.bfloat16},
        ("out_dtype=bfloat16 is unsupported",),
    ),
    (
        ("fp16[16, 16]", "fp16[16, 16]"),
        tl.dot,
        (),
        {"out_dtype": 3},
        ("out_dtype must be an element type",),
    ),
    (
        ("fp32[16, 16]", "fp32[16, 16]"),
        tl.dot,
        (),
        {"input_precision": "x"},
        ("input_precision must be one of ('tf32', 'tf32x3',", "tf32x3"),
    ),
    (
        ("fp32[16, 16]", "fp32[16, 16]"),
        tl.dot,
        (),
        {"input_precision": "ieee", "allow_tf32": True},
        ("Only one of input_precision and allow_tf32 can be",),
    ),
    (
        ("fp8e5[16, 32]", "fp8e5[32, 16]"),
        tl.dot,
        (),
        {"max_num_imprecise_acc": 64},
        ("max_num_imprecise_acc (64) must be <= K (32)",),
    ),
    (
        ("u8[16, 32]", "u8[16, 2]"),
        tl.dot_scaled,
        ("e9m9", 1, None, "e2m1"),
        {},
        ("Invalid float format of lhs: e9m9",),
    ),
    (
        ("fp8e5[16, 32]", "fp8e5[32, 16]"),
        tl.dot,
        (),
        {"max_num_imprecise_acc": 1.5},
        ("max_num_imprecise_acc must be an integer", "found: 1.5"),
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)


DOT_SCALED_ERRORS = [
    ("u8[16, 32]", "e2m1", "u8[32, 16]", "e2m1", {"out_dtype": tl.float16}, "Only float32 is supp"),
    ("fp16[16, 32]", "e2m1", "u8[32, 16]", "e2m1", {}, "e2m1 format must be packed as uint8"),
    ("fp16[16, 32]", "e4m3", "u8[32, 16]", "e2m1", {}, "Unexpected dtype for e4m3. Got fp16"),
    ("u8[16, 32]", "bf16", "u8[32, 16]", "e2m1", {}, "Unexpected dtype for bf16. Got uint8"),
    (
        "fp8e5[16, 32]",
        "e5m2",
        "u8[32, 16]",
        "e2m1",
        {"lhs_k_pack": False},
        "only mxfp4 inputs can be packed along a dimension different than K",
    ),
    ("u8[2, 16, 32]", "e2m1", "u8[32, 16]", "e2m1", {}, "Both inputs must be either 2D or 3D"),
    (
        "u8[16, 32]",
        "e2m1",
        "u8[32, 16]",
        "e4m3",
        {},
        "Reduction dimension should pack the same number of elements",
    ),
]


@pytest.mark.parametrize(
    ("a", "a_format", "b", "b_format", "options", "message"), DOT_SCALED_ERRORS
)
def test_error_of_dot_scaled(a, a_format, b, b_format, options, message):
    bench = Bench(a, b)
    lhs, rhs = bench.args
    with pytest.raises(WeftError) as caught:
        bench.call(tl.dot_scaled, lhs, None, a_format, rhs, None, b_format, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ("u8[32, 4]", "lhs_scale must be a tensor of shape [..., 32, 2]. Got ['32', '4']"),
        ("fp8e4nv[32, 2]", "lhs_scale must be a tensor of shape [..., 32, 4]. Got ['32', '2']"),
    ],
)
def test_dot_scaled_checks_the_shape_of_a_scale(scale, message):
    bench = Bench("u8[32, 64]", scale, "u8[64, 32]")
    lhs, lhs_scale, rhs = bench.args
    with pytest.raises(WeftError) as caught:
        bench.call(tl.dot_scaled, lhs, lhs_scale, "e5m2", rhs, None, "e5m2")
    assert caught.value.message == message


def test_dot_scaled_counts_packed_elements_for_the_shape_of_a_scale():
    bench = Bench("u8[32, 64]", "u8[32, 4]", "u8[128, 32]")
    lhs, lhs_scale, rhs = bench.args
    result = bench.call(tl.dot_scaled, lhs, lhs_scale, "e2m1", rhs, None, "e5m2")
    assert result.shape == (32, 32)


@pytest.mark.parametrize(
    ("options", "operand", "message"),
    [
        (CUDA_90, "fp8e4b15", "the use of fp8e4b15 is deprecated on Hopper and later"),
        (
            replace(GFX942, arch="gfx950", deprecated_fp8_dot_operand_dtypes=("fp8e4b8",)),
            "fp8e4b8",
            "fp8e4b8 is AMD gfx942 specific and not supported on gfx950",
        ),
    ],
)
def test_dot_of_a_deprecated_fp8_warns(options, operand, message):
    types = (f"{operand}[32, 32]", f"{operand}[32, 32]")
    with pytest.warns(DeprecatedWarning, match=message):
        emitted(types, tl.dot, options=options)


def test_dot_of_two_batch_dimensions():
    types = ("bf16[2, 4, 32, 32]", "bf16[2, 4, 32, 32]", "fp32[2, 4, 32, 32]")
    *_, a, b, acc, dot, result = emitted(types, tl.dot)
    assert all("-> tensor<8x32x32x" in line for line in (a, b, acc))
    assert "tt.dot" in dot
    assert result.endswith("tensor<8x32x32xf32> -> tensor<2x4x32x32xf32>")
