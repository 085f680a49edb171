"""Conversions: the operations for every pair of types, and errors."""

from __future__ import annotations

import pytest

from tests.frontend.semantics.bench import Bench
from tests.frontend.semantics.facts import CUDA_80, GFX942
from weft.errors import CompilationError, TypeMismatchError
from weft.language.compound_types import str_to_ty
from weft.language.dtypes import float8e4nv

NAMES = "i1 i8 u8 i32 u32 i64 fp8e4nv fp8e5 fp16 bf16 fp32 fp64".split()


def converted(source: str, target: str, rounding: str | None = None, **kwargs) -> list[str]:
    bench = Bench(source, **kwargs)
    lines = bench.lines(bench.emitter.cast(bench.args[0], str_to_ty(target), rounding))
    return [line.split()[0] for line in lines]


@pytest.mark.parametrize(
    ("source", "target", "operations"),
    [
        ("i32", "i32", []),
        ("i32", "u32", ["arith.bitcast"]),
        ("i8", "u32", ["arith.extsi"]),
        ("u8", "i32", ["arith.extui"]),
        ("i1", "i32", ["arith.extui"]),
        ("i64", "i8", ["arith.trunci"]),
        ("i32", "i1", ["arith.constant", "arith.cmpi"]),
        ("fp32", "i1", ["arith.constant", "arith.cmpf"]),
        ("i32", "fp16", ["arith.sitofp"]),
        ("u8", "fp32", ["arith.uitofp"]),
        ("i1", "fp32", ["arith.uitofp"]),
        ("fp32", "u8", ["arith.fptoui"]),
        ("fp16", "i32", ["arith.extf", "arith.fptosi"]),
        ("fp16", "bf16", ["arith.extf", "arith.truncf"]),
        ("fp16", "fp64", ["arith.extf", "arith.extf"]),
        ("fp32", "fp16", ["arith.truncf"]),
        ("fp32", "fp8e5", ["tt.fp_to_fp"]),
        ("fp8e5", "fp32", ["tt.fp_to_fp"]),
        ("*fp32", "i64", ["tt.ptr_to_int"]),
        ("*fp32", "i1", ["tt.ptr_to_int", "arith.constant", "arith.cmpi"]),
        ("i64", "*fp32", ["tt.int_to_ptr"]),
        ("*fp32", "*i8", ["tt.bitcast"]),
    ],
)
def test_operations(source, target, operations):
    assert converted(source, target) == operations


def test_rounding_mode_of_a_narrowing_cast():
    bench = Bench("fp32")
    (value,) = bench.args
    lines = bench.lines(
        bench.emitter.cast(value, str_to_ty("fp16"), "rtz"),
        bench.emitter.cast(value, str_to_ty("fp8e5")),
        bench.emitter.cast(value, str_to_ty("fp16"), "rtne"),
    )
    assert lines == [
        "tt.fp_to_fp %arg0, rounding = rtz : f32 -> f16",
        "tt.fp_to_fp %arg0, rounding = rtne : f32 -> f8E5M2",
        "arith.truncf %arg0 : f32 to f16",
    ]


def test_rounding_of_an_unchanged_type_has_no_effect():
    bench = Bench("fp32")
    (value,) = bench.args
    assert bench.emitter.cast(value, str_to_ty("fp32"), "rtne") is value


def test_bitcast():
    bench = Bench("fp32[8]", "i64")
    block, scalar = bench.args
    lines = bench.lines(
        bench.emitter.bitcast(block, str_to_ty("i32")),
        bench.emitter.bitcast(scalar, str_to_ty("*fp32")),
    )
    assert lines == [
        "tt.bitcast %arg0 : tensor<8xf32> -> tensor<8xi32>",
        "tt.int_to_ptr %arg1 : i64 -> !tt.ptr<f32>",
    ]


@pytest.mark.parametrize(
    ("source", "target", "rounding", "fragments"),
    [
        ("fp8e5", "i32", None, ("cannot cast fp8e5[] to int32", "tl.float32 in between")),
        ("*fp32", "i32", None, ("cannot cast pointer<fp32>[] to int32", "tl.int64 and back")),
        ("fp16", "fp32", "rtz", ("fp_downcast_rounding should be set only for truncating",)),
        ("fp32", "fp16", "up", ("Invalid rounding mode: up", "accepted: rtne, rtz")),
    ],
)
def test_errors(source, target, rounding, fragments):
    with pytest.raises(CompilationError) as caught:
        converted(source, target, rounding)
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_unsupported_fp8_type():
    with pytest.raises(TypeMismatchError) as caught:
        converted("fp32", "fp8e4nv", options=CUDA_80)
    assert "type fp8e4nv not supported in this architecture" in str(caught.value)
    assert "accepted: fp8e4b15, fp8e5" in str(caught.value)
    bench = Bench("fp32", options=CUDA_80)
    with pytest.raises(TypeMismatchError, match="type fp8e4nv not supported in this architecture"):
        bench.emitter.ir_type(float8e4nv)


def test_bitcast_to_another_width():
    bench = Bench("fp16")
    with pytest.raises(TypeMismatchError) as caught:
        bench.emitter.bitcast(bench.args[0], str_to_ty("i32"))
    message = "cannot bitcast data-type of size 16 to data-type of size 32"
    assert message in str(caught.value)


@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("target", NAMES)
def test_every_pair_converts_or_is_an_error(source, target):
    one_is_float8 = "fp8" in source + target
    one_is_integer = source[0] in "iu" or target[0] in "iu"
    if one_is_float8 and one_is_integer:
        with pytest.raises(TypeMismatchError, match=r"cannot cast .*\[8\] to"):
            converted(f"{source}[8]", target, options=GFX942)
    else:
        converted(f"{source}[8]", target, options=GFX942)
