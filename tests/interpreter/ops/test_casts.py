# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

import numpy as np
import pytest

from tests.interpreter.kernels import DTYPES, apply, elementwise, padded, run_text

INTS = ["i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]


def corners(type_: str) -> np.ndarray:
    info = np.iinfo(DTYPES[type_])
    rng = np.random.default_rng(2)
    some = rng.integers(info.min, info.max, 200, dtype=np.int64, endpoint=True)
    ends = [info.min, info.min + 1, -1, 0, 1, info.max]
    return padded(np.concatenate((np.array(ends, np.int64), some)), DTYPES[type_])


@pytest.mark.parametrize(
    ("source", "target"), [(s, t) for i, s in enumerate(INTS) for t in INTS[i + 1 :]]
)
def test_integers_widen_by_sign_or_by_zero(source: str, target: str) -> None:
    x = corners(source)
    for name, expected in (("extsi", x), ("extui", x.view(f"u{x.itemsize}"))):
        text = f"%y = arith.{name} %x0 : tensor<{{n}}x{source}> to tensor<{{n}}x{target}>"
        assert np.array_equal(apply(text, [(source, x)], target), expected.astype(DTYPES[target]))
    text = f"%y = arith.trunci %x0 : tensor<{{n}}x{target}> to tensor<{{n}}x{source}>"
    wide = corners(target)
    assert np.array_equal(apply(text, [(target, wide)], source), wide.astype(DTYPES[source]))


def test_i1_widens_to_minus_one_or_one() -> None:
    x = padded([0, 1], DTYPES["i1"])
    for name, one in (("extsi", -1), ("extui", 1)):
        result = apply(
            f"%y = arith.{name} %x0 : tensor<{{n}}xi1> to tensor<{{n}}xi32>", [("i1", x)], "i32"
        )
        assert result[:2].tolist() == [0, one]
    odd = padded([2, 3, -1, 0], DTYPES["i8"])
    result = apply("%y = arith.trunci %x0 : tensor<{n}xi8> to tensor<{n}xi1>", [("i8", odd)], "i1")
    assert result[:4].tolist() == [False, True, True, False]


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", INTS)
def test_integers_round_once_to_floats(source: str, target: str) -> None:
    x = corners(source)
    for name, numbers in (("sitofp", x), ("uitofp", x.view(f"u{x.itemsize}"))):
        text = f"%y = arith.{name} %x0 : tensor<{{n}}x{source}> to tensor<{{n}}x{target}>"
        result = apply(text, [(source, x)], target)
        assert all(_is_nearest(int(n), f) for n, f in zip(numbers, result, strict=True))


def _is_nearest(number: int, found: np.generic) -> bool:
    """Check that no neighbour of a float is nearer to an integer (or as near and even)."""
    dtype = found.dtype
    value = float(found)
    if not np.isfinite(value):
        return dtype == np.float16 and abs(number) >= 65520
    bits = np.dtype(f"u{dtype.itemsize}")
    code = int(np.array([found]).view(bits)[0])
    error = abs(int(value) - number) if value == int(value) else abs(value - number)
    for other in (code - 1, code + 1):
        if not 0 <= other < 1 << (8 * dtype.itemsize):
            continue
        neighbour = float(np.array([other], bits).view(dtype)[0])
        if not np.isfinite(neighbour) or neighbour != int(neighbour):
            continue
        distance = abs(int(neighbour) - number)
        if distance < error or (distance == error and distance and code & 1):
            return False
    return True


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", INTS)
def test_floats_truncate_and_stop_at_the_ends(source: str, target: str) -> None:
    x = padded([0.0, 1.9, -1.9, 100.7, np.inf, -np.inf, np.nan, 1e4, -1e4, 60000.0], DTYPES[source])
    info = np.iinfo(DTYPES[target])
    for name, low, high in (("fptosi", info.min, info.max), ("fptoui", 0, 2 * info.max + 1)):
        text = f"%y = arith.{name} %x0 : tensor<{{n}}x{source}> to tensor<{{n}}x{target}>"
        actual = apply(text, [(source, x)], target)
        if name == "fptoui":
            actual = actual.view(f"u{actual.itemsize}")
        expected = []
        for value in x.astype(float):
            number = (
                0
                if np.isnan(value)
                else high
                if value > high
                else low
                if value < low
                else int(value)
            )
            expected.append(number)
        assert [int(v) for v in actual] == expected


PAIRS = [(s, t) for s in FLOATS for t in FLOATS if s != t and {s, t} != {"f16", "bf16"}]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_floats_to_floats(source: str, target: str) -> None:
    values = [0.0, -0.0, 1.0, 1 / 3, -2.5, 65504.0, 1e-8, 1e10, np.inf, -np.inf, np.nan]
    x = padded(values, DTYPES[source])
    wider = DTYPES[target].itemsize > DTYPES[source].itemsize
    text = f"%y = arith.{'extf' if wider else 'truncf'} %x0 : tensor<{{n}}x{source}> to tensor<{{n}}x{target}>"
    with np.errstate(all="ignore"):
        expected = x.astype(DTYPES[target])
    result = apply(text, [(source, x)], target)
    assert np.array_equal(result.astype(float), expected.astype(float), equal_nan=True)


@pytest.mark.parametrize("target", ["f8E4M3FN", "f8E5M2", "bf16", "f16"])
def test_fp_to_fp_rounding_modes(target: str) -> None:
    x = padded(np.random.default_rng(0).standard_normal(500) * 3, DTYPES["f32"])
    kind = f"tensor<{{n}}xf32> -> tensor<{{n}}x{target}>"
    near = apply(f"%y = tt.fp_to_fp %x0, rounding = rtne : {kind}", [("f32", x)], target)
    assert np.array_equal(near.astype(float), x.astype(DTYPES[target]).astype(float))
    cut = apply(f"%y = tt.fp_to_fp %x0, rounding = rtz : {kind}", [("f32", x)], target)
    assert (np.abs(cut.astype(float)) <= np.abs(x)).all()
    assert (np.abs(near.astype(float)) > np.abs(x)).any()


def test_fp8_widens_exactly() -> None:
    x = np.arange(256, dtype=np.uint8).view(DTYPES["f8E5M2"])
    result = apply(
        "%y = tt.fp_to_fp %x0 : tensor<{n}xf8E5M2> -> tensor<{n}xf16>", [("f8E5M2", x)], "f16"
    )
    assert np.array_equal(result.astype(float), x.astype(float), equal_nan=True)


@pytest.mark.parametrize(
    ("source", "target"),
    [("f32", "i32"), ("i32", "f32"), ("f16", "i16"), ("bf16", "i16"), ("i8", "f8E5M2")],
)
@pytest.mark.parametrize("name", ["arith.bitcast", "tt.bitcast"])
def test_bitcast_keeps_bits(name: str, source: str, target: str) -> None:
    arrow = "to" if name.startswith("arith") else "->"
    x = (
        np.random.default_rng(0)
        .integers(0, 256, 64 * DTYPES[source].itemsize, dtype=np.uint8)
        .view(DTYPES[source])
    )
    result = apply(
        f"%y = {name} %x0 : tensor<{{n}}x{source}> {arrow} tensor<{{n}}x{target}>",
        [(source, x)],
        target,
    )
    assert result.tobytes() == x.tobytes()


def test_a_ramp_that_wrapped_widens_as_its_elements() -> None:
    text = (
        "%big = arith.constant dense<2147483647> : tensor<{n}xi32>\n"
        "%sum = arith.addi %index, %big : tensor<{n}xi32>\n"
        "%y = arith.{name} %sum : tensor<{n}xi32> to tensor<{n}xi64>"
    )
    for name, type_ in (("extsi", np.int32), ("extui", np.uint32)):
        out = np.zeros(64, np.int64)
        run_text(elementwise(text.replace("{name}", name), [], "i64"), [out])
        expected = (np.arange(64) + 2147483647).astype(np.uint32).astype(type_)
        assert np.array_equal(out, expected.astype(np.int64))
