"""Math functions: error against the exact values, and the lowering of each type.

The simulator computes ex2, sqrt and rcp exactly; chips are within 2 units in the last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.codegen.conversions import DTYPES, computed, every, module_of
from weft.codegen.llvm.libraries import VARIABLE, library_of
from weft.errors import CodegenError

CHIPS = ("cuda:80", "cuda:90", "cuda:100", "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100",
         "hip:gfx1201", "hip:gfx1250")  # fmt: skip
ONE_OF_EACH = ("cuda:90", "hip:gfx942")
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "erf": math.erf,
    "tanh": math.tanh,
    "exp": math.exp,
}


def extern(symbol: str, operands: str = "%x", path: str = "") -> str:
    """Return an operation that calls a library's function."""
    return (
        f'tt.extern_elementwise {operands} {{libname = "", libpath = "{path}", pure = true, '
        f'symbol = "{symbol}"}}'
    )


def has(symbol: str) -> bool:
    """Check whether the library of a symbol is installed."""
    try:
        library_of(symbol)
    except CodegenError:
        return False
    return True


def units_apart(op: str, function: Callable[[float], float], values: np.ndarray) -> float:
    """Return the greatest error of an operation, in units of the last place of the true value."""
    values = values.astype(np.float32)
    actual = computed(op, "f32", "f32", "cuda:90", values, 4).astype(np.float64)
    true = np.array([function(float(one)) for one in values])
    unit = np.maximum(np.spacing(np.abs(true).astype(np.float32)).astype(np.float64), 2.0**-149)
    return float((np.abs(actual - true) / unit).max())


def over_binades(low: int, high: int, count: int = 4000) -> np.ndarray:
    """Return numbers of both signs, as many of each power of two."""
    random = np.random.default_rng(0)
    return np.exp2(random.uniform(low, high, count)) * random.choice([-1, 1], count)


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize(
    "values",
    [
        over_binades(-40, 3),
        np.random.default_rng(1).uniform(-65536, 65536, 6000),
        np.arange(-2000, 2000) * (math.pi / 2),
        over_binades(15, 17),
        over_binades(16, 128, 2000),
    ],
    ids=["small", "middling", "multiples", "where the ways meet", "large"],
)
def test_sine_and_cosine_of_all_numbers(name, values):
    assert units_apart(f"math.{name} %x", FUNCTIONS[name], values) <= 1.5


@pytest.mark.parametrize(("name", "limit"), [("erf", 2.0), ("tanh", 2.0)])
def test_saturating_functions(name, limit):
    values = np.r_[over_binades(-30, 4), np.linspace(-6, 6, 4001)]
    assert units_apart(f"math.{name} %x", FUNCTIONS[name], values) <= limit


def test_the_librarys_exponential_is_exact_where_the_fast_one_is_not():
    values = np.r_[over_binades(-30, 6), np.linspace(-87, 88, 3001)]
    assert units_apart(extern("__nv_expf"), math.exp, values) <= 2.0


@pytest.mark.parametrize("name", ["sin", "cos", "erf", "tanh", "exp"])
def test_zero_infinity_and_nan(name):
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    op = extern("__nv_expf") if name == "exp" else f"math.{name} %x"
    actual = computed(op, "f32", "f32", "cuda:90", values)
    with np.errstate(invalid="ignore"):
        expected = {
            "sin": np.sin(values),
            "cos": np.cos(values),
            "tanh": np.tanh(values),
            "exp": np.exp(values),
            "erf": np.array([0.0, -0.0, 1.0, -1.0, np.nan], np.float32),
        }[name]
    np.testing.assert_array_equal(actual, expected)
    numbers = ~np.isnan(expected)
    assert (np.signbit(actual) == np.signbit(expected))[numbers].all()


@pytest.mark.parametrize("type_", ["f16", "bf16"])
@pytest.mark.parametrize("name", ["sin", "cos", "erf", "tanh", "exp", "sqrt", "log2"])
@pytest.mark.parametrize("chip", ONE_OF_EACH)
def test_16_bit_floats_are_computed_in_f32(chip, name, type_):
    values = every(type_, 11)
    with np.errstate(all="ignore"):
        wide = values.astype(np.float64)
        values = values[np.abs(wide) < 1e4]
        actual = computed(f"math.{name} %x", type_, type_, chip, values).astype(np.float64)
        function = FUNCTIONS.get(name) or {"sqrt": np.sqrt, "log2": np.log2}[name]
        wide = values.astype(np.float64)
        if name == "exp":
            wide = np.clip(wide, -80, 80)
        true = np.array([function(one) for one in wide]).astype(DTYPES[type_])
    inside = np.isfinite(true) & (np.abs(values.astype(np.float64)) < 80)
    tolerance = 2.0**-7 if type_ == "bf16" else 2.0**-10  # a unit: two roundings
    np.testing.assert_allclose(actual[inside], true[inside].astype(np.float64), tolerance, 1e-7)


@pytest.mark.skipif(not has("__nv_sin"), reason="no libdevice on this machine")
@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "sin", "cos", "erf", "rsqrt"])
def test_f64_uses_the_library(name):
    module = module_of(f"math.{name} %x", "f64", "f64", "cuda:90")
    ((path, symbols),) = module.libraries
    assert path.endswith("libdevice.10.bc")
    assert symbols == (f"__nv_{name}",)
    values = np.linspace(0.1, 9.0, 500)
    actual = computed(f"math.{name} %x", "f64", "f64", "cuda:90", values)
    function = (
        getattr(np, name, None)
        or {
            "erf": np.vectorize(math.erf),
            "rsqrt": lambda x: 1 / np.sqrt(x),
        }[name]
    )
    np.testing.assert_allclose(actual, function(values), 1e-14)


def test_f64_sqrt_needs_no_library():
    module = module_of("math.sqrt %x", "f64", "f64", "hip:gfx942")
    assert not module.libraries
    assert "llvm.sqrt.f64" in module.text


@pytest.mark.parametrize(
    ("symbol", "type_", "text"),
    [
        ("__nv_fabsf", "f32", "llvm.fabs.f32"),
        ("__nv_floor", "f64", "llvm.floor.f64"),
        ("__ocml_rint_f32", "f32", "llvm.roundeven.f32"),
        ("__nv_popc", "i32", "llvm.ctpop.i32"),
        ("__nv_brevll", "i64", "llvm.bitreverse.i64"),
    ],
)
def test_functions_that_llvm_has_need_no_library(symbol, type_, text):
    module = module_of(extern(symbol), type_, type_, "cuda:90")
    assert not module.libraries
    assert text in module.text


@pytest.mark.parametrize(
    ("symbol", "operands", "function"),
    [
        ("__nv_fmaf", "%x, %x, %x", lambda x: x * x + x),
        ("__nv_copysignf", "%x, %x", lambda x: x),
        ("__nv_roundf", "%x", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)),
        ("__nv_tanhf", "%x", np.tanh),
        ("__nv_log2f", "%x", np.log2),
        ("__nv_powf", "%x, %x", lambda x: np.power(x, x)),
        ("__nv_cbrtf", "%x", np.cbrt),
    ],
)
def test_functions_by_name(symbol, operands, function):
    if symbol in ("__nv_powf", "__nv_cbrtf") and not has(symbol):
        pytest.skip("no libdevice on this machine")
    values = np.linspace(0.25, 7.75, 300).astype(np.float32)
    actual = computed(extern(symbol, operands), "f32", "f32", "cuda:90", values)
    np.testing.assert_allclose(actual, function(values.astype(np.float64)), 3e-6)


def test_missing_library_lists_the_search_path(monkeypatch):
    monkeypatch.setattr("weft.codegen.llvm.libraries._folders", lambda library: iter(()))
    with pytest.raises(CodegenError, match=r"__nv_cbrtf needs libdevice\.10\.bc") as caught:
        module_of(extern("__nv_cbrtf"), "f32", "f32", "cuda:90")
    for place in (VARIABLE, "CUDA_HOME", "/usr/local/cuda*", "the package triton"):
        assert place in str(caught.value)


def test_symbol_without_a_library_is_rejected():
    with pytest.raises(CodegenError, match="no known library defines my_function"):
        module_of(extern("my_function"), "f32", "f32", "cuda:90")


def test_missing_path_is_rejected(tmp_path):
    path = tmp_path / "mine.bc"
    with pytest.raises(CodegenError, match="the library of my_function does not exist"):
        module_of(extern("my_function", path=str(path)), "f32", "f32", "cuda:90")


def test_configured_folder_comes_first(monkeypatch, tmp_path):
    (tmp_path / "libdevice.10.bc").write_bytes(b"")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert library_of("__nv_cbrtf") == str(tmp_path / "libdevice.10.bc")


@pytest.mark.skipif(not has("__nv_sin"), reason="no libdevice on this machine")
def test_unknown_library_function_is_rejected(machine):
    module = module_of(extern("__nv_no_such_thing"), "f32", "f32", "cuda:90")
    with pytest.raises(CodegenError, match="LLVM refuses k") as caught:
        machine.emit(module, "assembly")
    assert "has no __nv_no_such_thing" in str(caught.value)


@pytest.mark.parametrize("chip", CHIPS)
def test_llvm_selects_every_function(chip, machine):
    for name in ("sin", "erf", "tanh", "exp", "log", "rsqrt", "floor"):
        for type_ in ("bf16", "f32"):
            machine.emit(module_of(f"math.{name} %x", type_, type_, chip, 2), "assembly")


@pytest.mark.parametrize(
    ("chip", "symbol"),
    [
        ("cuda:80", "__nv_erfinvf"),
        ("hip:gfx942", "__ocml_erfinv_f32"),
        ("hip:gfx1201", "__ocml_j0_f32"),
    ],
)
def test_libraries_are_linked_and_only_what_is_called(chip, symbol, machine):
    if not has(symbol):
        pytest.skip("the library is not on this machine")
    text = machine.emit(module_of(extern(symbol), "f32", "f32", chip, 2), "assembly").decode()
    assert symbol not in text  # it is part of the kernel now
    assert "__nv_" not in text
    assert "__oclc" not in text


@pytest.mark.parametrize(
    ("op", "type_", "instruction"),
    [
        ("math.exp2 %x", "f32", "ex2.approx.ftz.f32"),
        ("math.exp %x", "f32", "ex2.approx.f32"),
        ("math.sqrt %x", "f32", "sqrt.approx.ftz.f32"),
        ("math.rsqrt %x", "f32", "rsqrt.approx.ftz.f32"),
        ("tt.precise_sqrt %x", "f32", "sqrt.rn.f32"),
        ("math.sqrt %x", "f64", "sqrt.rn.f64"),
        ("math.floor %x", "f32", "cvt.rmi.f32.f32"),
        ("math.fma %x, %x, %x", "bf16", "fma.rn.bf16"),
    ],
)
def test_nvidia_instructions(op, type_, instruction, machine):
    text = machine.emit(module_of(op, type_, type_, "cuda:90"), "assembly").decode()
    assert text.count(instruction) in (4, 8)  # of 8 elements, or 4 pairs of them
