# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

import math

import numpy as np
import pytest

from tests.interpreter.kernels import DTYPES, apply, padded
from weft.errors import LaunchError

FUNCTIONS = {
    "exp": math.exp, "exp2": math.exp2, "expm1": math.expm1, "log": math.log, "log2": math.log2,
    "log10": math.log10, "log1p": math.log1p, "sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x),
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "tanh": math.tanh, "erf": math.erf,
    "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "roundeven": round,
    "round": lambda x: math.floor(x + 0.5),
}  # fmt: skip
BITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}


@pytest.mark.parametrize("type_", BITS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_within_four_units_in_the_last_place(name: str, type_: str) -> None:
    rng = np.random.default_rng(0)
    x = padded(np.concatenate((rng.uniform(0.01, 8, 900), [0.5, 1.5, 2.5, 1e-3])), DTYPES[type_])
    result = apply(f"%y = math.{name} %x0 : tensor<{{n}}x{type_}>", [(type_, x)], type_)
    expected = np.array([FUNCTIONS[name](float(v)) for v in x])
    ulp = np.maximum(np.abs(expected), 1e-5 if type_ == "f16" else 1e-30) * 2.0 ** (1 - BITS[type_])
    assert (np.abs(result.astype(np.float64) - expected) <= 4 * ulp).all()


def test_erf_over_the_whole_line() -> None:
    x = padded(
        np.concatenate((np.linspace(-7, 7, 2000), [0.0, 1e-20, np.inf, -np.inf])), DTYPES["f32"]
    )
    result = apply("%y = math.erf %x0 : tensor<{n}xf32>", [("f32", x)], "f32")
    expected = np.array([math.erf(v) for v in x])
    np.testing.assert_allclose(result, expected, rtol=1.2e-7)
    nan = apply("%y = math.erf %x0 : tensor<{n}xf64>", [("f64", np.full(64, np.nan))], "f64")
    assert np.isnan(nan).all()
    x = np.linspace(-6, 6, 640)
    result = apply("%y = math.erf %x0 : tensor<{n}xf64>", [("f64", x)], "f64")
    np.testing.assert_allclose(result, [math.erf(v) for v in x], rtol=1e-14)


def test_precise_sqrt() -> None:
    x = padded(np.linspace(0, 9, 64), DTYPES["f32"])
    result = apply("%y = tt.precise_sqrt %x0 : tensor<{n}xf32>", [("f32", x)], "f32")
    assert np.array_equal(result, np.sqrt(x))


def extern(symbol: str, inputs: list[tuple[str, np.ndarray]], output: str) -> np.ndarray:
    types = ", ".join(f"tensor<{{n}}x{t}>" for t, _ in inputs)
    names = ", ".join(f"%x{i}" for i in range(len(inputs)))
    text = (
        f'%y = tt.extern_elementwise {names} {{libname = "", libpath = "", pure = true, symbol = "{symbol}"}} '
        f": ({types}) -> tensor<{{n}}x{output}>"
    )
    return apply(text, inputs, output)


@pytest.mark.parametrize(
    ("symbol", "function"),
    [("__nv_tanhf", math.tanh), ("__nv_erff", math.erf), ("__nv_erfcf", math.erfc), ("__ocml_tanh_f32", math.tanh),
     ("__nv_fast_expf", math.exp), ("__ocml_native_exp2_f32", math.exp2), ("__nv_rsqrtf", lambda x: x**-0.5),
     ("__nv_asinhf", math.asinh), ("__nv_lgammaf", math.lgamma), ("__nv_tgammaf", math.gamma), ("__nv_cbrtf", math.cbrt),
     ("__nv_rintf", round), ("__nv_exp10f", lambda x: 10**x), ("__nv_fabsf", abs), ("__nv_floorf", math.floor),
     ("__nv_cospif", lambda x: math.cos(math.pi * x)), ("__nv_log1pf", math.log1p), ("__nv_roundf", lambda x: math.floor(x + 0.5))],
)  # fmt: skip
def test_library_functions(symbol: str, function: object) -> None:
    x = padded(np.random.default_rng(0).uniform(0.1, 4, 256), DTYPES["f32"])
    expected = np.array([function(float(v)) for v in x])  # pyright: ignore
    np.testing.assert_allclose(extern(symbol, [("f32", x)], "f32"), expected, rtol=2e-6, atol=1e-6)


def test_library_functions_of_two_and_three() -> None:
    rng = np.random.default_rng(0)
    x, y, z = (("f32", rng.uniform(0.5, 3, 64).astype(np.float32)) for _ in "xyz")
    np.testing.assert_allclose(extern("__nv_powf", [x, y], "f32"), x[1] ** y[1], rtol=1e-6)
    np.testing.assert_allclose(extern("__ocml_atan2_f32", [x, y], "f32"), np.arctan2(x[1], y[1]))
    exact = x[1].astype(float) * y[1].astype(float) + z[1]
    assert np.array_equal(extern("__nv_fmaf", [x, y, z], "f32"), exact.astype(np.float32))


def test_library_functions_on_integers_and_to_integers() -> None:
    x = padded([0, 1, -1, 12, 1 << 30], DTYPES["i32"])
    assert extern("__nv_popc", [("i32", x)], "i32")[:5].tolist() == [0, 1, 32, 2, 1]
    assert extern("__nv_clz", [("i32", x)], "i32")[:5].tolist() == [32, 31, 0, 28, 1]
    assert extern("__nv_ffs", [("i32", x)], "i32")[:5].tolist() == [0, 1, 1, 3, 31]
    assert extern("__nv_brev", [("i32", x)], "i32")[:5].tolist() == [
        0,
        -(1 << 31),
        -1,
        0x30000000,
        2,
    ]
    f = padded([np.nan, np.inf, 1.0], DTYPES["f32"])
    assert extern("__nv_isnanf", [("f32", f)], "i32")[:3].tolist() == [1, 0, 0]
    assert extern("__nv_isinff", [("f32", f)], "i32")[:3].tolist() == [0, 1, 0]


def test_an_unknown_library_function_is_named_with_what_is_near() -> None:
    with pytest.raises(
        LaunchError,
        match=r"does not support this library function[\s\S]*__nv_tahn[\s\S]*did you mean tan",
    ):
        extern("__nv_tahn", [("f32", np.zeros(64, np.float32))], "f32")
