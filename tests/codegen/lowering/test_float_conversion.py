"""Type conversions: every value of the small types, every rounding mode."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.conversions import DTYPES, around, computed, every, module_of, text_of
from weft.codegen import Machine, lower
from weft.codegen.hardware import hardware_of
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.float_conversion.converter import FloatConverter
from weft.errors import CodegenError
from weft.interpreter.rounding import narrow, towards_zero, widen
from weft.ir import types
from weft.ir.text import parse_module
from weft.targets import target

CHIPS = ("cuda:80", "cuda:90", "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1201",
         "hip:gfx1250")  # fmt: skip
SMALL = tuple(name for name in DTYPES if name.startswith("f8"))
LARGE = ("f16", "bf16", "f32", "f64")
NEAREST = "tt.fp_to_fp %x, rounding = rtne"
TOWARDS_ZERO = "tt.fp_to_fp %x, rounding = rtz"


def require_bits(found: np.ndarray, expected: np.ndarray, given: np.ndarray) -> None:
    """Require the same bits; any NaN for a NaN."""
    bits = np.dtype(f"u{found.dtype.itemsize}")
    with np.errstate(all="ignore"):
        nan = np.isnan(found.astype(np.float32)) & np.isnan(expected.astype(np.float32))
    apart = np.flatnonzero(~nan & (found.view(bits) != expected.view(bits)))
    assert not apart.size, [(given[n], found[n], expected[n]) for n in apart[:4]]


def nearest(values: np.ndarray, after: str) -> np.ndarray:
    """Return floats rounded to nearest, as the interpreter does it."""
    dtype = np.dtype(DTYPES[after])
    with np.errstate(all="ignore"):
        return values.astype(dtype) if after == "f32" else narrow(widen(values), dtype)


@pytest.mark.parametrize("after", LARGE)
@pytest.mark.parametrize("before", SMALL)
@pytest.mark.parametrize("chip", CHIPS)
def test_fp8_extension(chip, before, after):
    values = every(before)
    actual = computed("tt.fp_to_fp %x", before, after, chip, values)
    require_bits(actual, widen(values).astype(DTYPES[after]), values)


@pytest.mark.parametrize("before", LARGE)
@pytest.mark.parametrize("after", SMALL)
@pytest.mark.parametrize("chip", CHIPS)
def test_fp8_truncation_rounds_to_nearest_and_saturates(chip, before, after):
    values = around(after, before)
    actual = computed(NEAREST, before, after, chip, values)
    require_bits(actual, nearest(values, after), values)


@pytest.mark.parametrize("before", LARGE)
@pytest.mark.parametrize("after", SMALL)
@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_fp8_truncation_rounds_toward_zero(chip, before, after):
    values = around(after, before)
    actual = computed(TOWARDS_ZERO, before, after, chip, values)
    require_bits(actual, towards_zero(values, np.dtype(DTYPES[after])), values)


@pytest.mark.parametrize("after", ["f8E5M2", "f8E4M3FN"])
@pytest.mark.parametrize("before", ["f16", "bf16"])
@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx942"])
def test_16_bit_floats_truncate_to_fp8(chip, before, after):
    values = every(before)
    actual = computed(NEAREST, before, after, chip, values)
    require_bits(actual, nearest(values, after), values)


@pytest.mark.parametrize(
    ("before", "after"),
    [("f16", "f32"), ("bf16", "f32"), ("f16", "f64"), ("bf16", "f16"), ("f16", "bf16")],
)
@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx90a"])
def test_conversions_between_16_bit_floats(chip, before, after):
    values = every(before, 3)
    actual = computed("tt.fp_to_fp %x", before, after, chip, values)
    require_bits(actual, nearest(values, after), values)


def test_bf16_extension_by_shift():
    module = module_of("tt.fp_to_fp %x", "bf16", "f32", "cuda:90")
    machine = Machine()
    try:
        ptx = machine.emit(module, "assembly").decode()
    finally:
        machine.close()
    assert ptx.count(", 16;") == 8
    assert "cvt.f32.bf16" not in ptx


@pytest.mark.parametrize(
    ("before", "after"),
    [("f32", "f16"), ("f32", "bf16"), ("f64", "f32"), ("f64", "f16"), ("f64", "bf16")],
)
@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942", "hip:gfx950"])
def test_truncation_of_f32_and_f64(chip, before, after):
    random = np.random.default_rng(0)
    scale = np.exp2(random.uniform(-30, 17, 3000))
    values = np.concatenate([random.normal(size=3000) * scale, [0.0, -0.0, np.inf, np.nan, 1e-40]])
    values = values.astype(DTYPES[before])
    dtype = np.dtype(DTYPES[after])
    require_bits(computed(NEAREST, before, after, chip, values), nearest(values, after), values)
    with np.errstate(all="ignore"):
        cut = computed(TOWARDS_ZERO, before, after, chip, values)
        require_bits(cut, towards_zero(values, dtype), values)


@pytest.mark.parametrize("per_thread", [1, 2])
@pytest.mark.parametrize("chip", CHIPS)
def test_odd_register_counts(chip, per_thread):
    for before, after, op in (
        ("f8E4M3FN", "bf16", "tt.fp_to_fp %x"),
        ("f32", "f8E4M3FN", NEAREST),
        ("f8E5M2", "f16", "tt.fp_to_fp %x"),
        ("f16", "f8E5M2", NEAREST),
    ):
        values = every(before) if before in SMALL else around(after, before)
        actual = computed(op, before, after, chip, values, per_thread)
        require_bits(actual, nearest(values, after), values)


INTEGERS = {
    "i8": np.arange(-128, 128).astype(np.int8),
    "i16": np.arange(-32768, 32768, 17).astype(np.int16),
    "i32": np.r_[-(2**31), -1, 0, 1, 2**31 - 1, 2**24 + 1, np.arange(0, 2**31, 2**21)].astype("i4"),
    "i64": np.r_[-(2**63), -1, 0, 1, 2**63 - 1, 2**53 + 1, np.arange(0, 2**62, 2**52)],
}


@pytest.mark.parametrize("after", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("before", INTEGERS)
@pytest.mark.parametrize("op", ["arith.sitofp", "arith.uitofp"])
def test_integers_to_floats(op, before, after):
    values = INTEGERS[before]
    actual = computed(f"{op} %x", before, after, "cuda:90", values)
    exact = values if op == "arith.sitofp" else values.view(f"u{values.dtype.itemsize}")
    if after in ("f32", "f64"):
        expected = exact.astype(DTYPES[after])
    else:
        expected = np.array([_nearest(int(one), after) for one in exact], DTYPES[after])
    require_bits(actual, expected, values)


def _nearest(number: int, name: str) -> float:
    """Return an integer rounded once to a type of 16 bits."""
    bits = {"f16": 11, "bf16": 8}[name]
    spare = max(0, abs(number).bit_length() - bits)
    cut, rest = divmod(abs(number), 1 << spare)
    half = (1 << spare) // 2
    up = spare and (rest > half or (rest == half and cut & 1))
    size = float((cut + bool(up)) << spare)
    limit = {"f16": 65520.0, "bf16": np.inf}[name]
    return float(np.copysign(np.inf if size >= limit else size, number))


@pytest.mark.parametrize("after", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("before", LARGE)
def test_floats_to_integers(before, after):
    values = np.linspace(-120, 120, 999).astype(DTYPES[before])
    actual = computed("arith.fptosi %x", before, after, "hip:gfx942", values)
    np.testing.assert_array_equal(actual, np.trunc(values.astype(np.float64)).astype(actual.dtype))
    sizes = np.abs(values)
    actual = computed("arith.fptoui %x", before, after, "cuda:80", sizes)
    np.testing.assert_array_equal(actual, np.trunc(sizes.astype(np.float64)).astype(actual.dtype))


@pytest.mark.parametrize(
    ("op", "before", "after"),
    [
        ("arith.extsi", "i8", "i64"),
        ("arith.extui", "i8", "i16"),
        ("arith.trunci", "i64", "i8"),
        ("arith.trunci", "i32", "i16"),
        ("arith.extsi", "i16", "i32"),
    ],
)
def test_integer_extension_and_truncation(op, before, after):
    values = INTEGERS[before]
    actual = computed(f"{op} %x", before, after, "cuda:90", values)
    source = values.view(f"u{values.dtype.itemsize}") if op == "arith.extui" else values
    np.testing.assert_array_equal(actual, source.astype(actual.dtype))


@pytest.mark.parametrize(
    ("before", "after"),
    [("i32", "f32"), ("f16", "i16"), ("bf16", "f16"), ("f64", "i64"), ("f8E5M2", "i8")],
)
def test_bitcasts(before, after):
    values = INTEGERS[before] if before in INTEGERS else around("f8E5M2", "f16").view("i2")
    dtype = values.dtype if before in INTEGERS else np.dtype(DTYPES[before])
    count = len(values) * values.dtype.itemsize // dtype.itemsize
    values = np.resize(values, count * dtype.itemsize // values.dtype.itemsize).view(dtype)
    actual = computed("tt.bitcast %x", before, after, "hip:gfx1201", values)
    assert actual.tobytes() == values[: len(actual)].tobytes()


def test_unsupported_rounding_mode_is_rejected():
    text = text_of("arith.truncf %x toward_zero", "f32", "f16", "cuda:90")
    with pytest.raises(
        CodegenError, match="a truncation supports only rounding to nearest even"
    ) as caught:
        lower(parse_module(text))
    assert "toward_zero" in str(caught.value)
    nearest = text.replace("toward_zero", "to_nearest_even")
    assert "fptrunc" in lower(parse_module(nearest)).text


def test_unknown_float_type_is_rejected():
    converter = FloatConverter(hardware_of(target("cuda:90")), Writer(), Writer())
    with pytest.raises(CodegenError, match="no conversion from or to this type"):
        converter.convert(["%x"], types.f4E2M1FN, types.f16)


@pytest.mark.parametrize(
    ("chip", "before", "after", "instruction", "count"),
    [
        ("cuda:90", "f32", "f8E4M3FN", "cvt.rn.satfinite.e4m3x2.f32", 4),
        ("cuda:89", "f8E5M2", "f16", "cvt.rn.f16x2.e5m2x2", 4),
        ("cuda:90", "f16", "f8E5M2", "cvt.rn.satfinite.e5m2x2.f16x2", 4),
        ("cuda:80", "f8E5M2", "f16", "prmt.b32", 4),
        ("cuda:80", "f32", "bf16", "cvt.rn.bf16x2.f32", 4),
        ("hip:gfx942", "f32", "f8E4M3FNUZ", "v_cvt_pk_fp8_f32", 4),
        ("hip:gfx942", "f8E5M2FNUZ", "f32", "v_cvt_pk_f32_bf8", 4),
        ("hip:gfx950", "f32", "f16", "v_cvt_pk_f16_f32", 4),
        ("hip:gfx1250", "f32", "bf16", "v_cvt_pk_bf16_f32", 4),
        ("hip:gfx950", "bf16", "f8E4M3FN", "v_cvt_scalef32_pk_fp8_bf16", 4),
        ("hip:gfx950", "f8E4M3FN", "f16", "v_cvt_scalef32_pk_f16_fp8", 4),
        ("hip:gfx1201", "f8E4M3FN", "f32", "v_cvt_pk_f32_fp8", 4),
        ("hip:gfx1250", "f32", "f8E5M2", "v_cvt_scalef32_pk8_bf8_f32", 1),
        ("hip:gfx1250", "f8E4M3FN", "bf16", "v_cvt_scale_pk8_bf16_fp8", 1),
        ("hip:gfx90a", "f8E5M2", "f16", "v_perm_b32", 4),
    ],
)
def test_native_conversion_instructions(chip, before, after, instruction, count, machine):
    narrows = np.dtype(DTYPES[after]).itemsize < np.dtype(DTYPES[before]).itemsize
    op = NEAREST if narrows else "tt.fp_to_fp %x"
    text = machine.emit(module_of(op, before, after, chip), "assembly").decode()
    assert text.count(instruction) == count
    if chip.startswith("hip") and after in SMALL:
        assert "hwreg(HW_REG_" in text  # numbers beyond the greatest become it
