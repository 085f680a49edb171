"""Every libdevice and OCML function: the simulator compared with the interpreter."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from tests.codegen.conversions import computed, module_of
from tests.codegen.lowering.test_math import extern, has
from weft.codegen import lower
from weft.errors import CodegenError, LaunchError
from weft.frontend.semantics.builtins import libdevice_cuda, libdevice_hip
from weft.interpreter import run as interpret
from weft.ir.text import parse_module
from weft.language.extra import libdevice
from weft.simulator import run as simulate

# Bessel's functions without a closed form, and a reciprocal of 20 bits, run on a GPU only.
OF_AN_ORDER = re.compile(r"__nv_[jy]nf?")
KINDS = {"fp32": "f32", "fp64": "f64", "int32": "i32", "int64": "i64", "int1": "i32",
         "uint32": "i32", "uint64": "i64"}  # fmt: skip
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0.1, 1e-40, -3e38, 2.0**31, -(2.0**31), 3e9,
         2.0**63, 1e20, math.inf, -math.inf, math.nan]  # fmt: skip
EXACT = re.compile(
    r"__nv_(?:[fd](?:add|sub|mul|div|rcp|sqrt)_\w\w|fmaf?_\w\w|\w+2\w+_r\w|double2\w\wint|hiloint2double|\w+_as_\w+|is\w+|finitef|"
    r"signbit\w|copysignf?|nextafterf?|llrintf?|saturatef)|__ocml_(?:is\w+|signbit_f\d\d)"
)
COUNT = 256


def rows(tables: dict[str, tuple[str, ...]], chip: str) -> list[tuple[str, str, str, str]]:
    """Return chip, symbol, argument types and result type of every function."""
    actual = {}
    for lines in tables.values():
        for line in lines:
            types, symbol = line.rsplit(": ", 1)
            operand_types, result = types.split(" > ")
            actual[symbol, operand_types] = (chip, symbol, operand_types, result)
    return list(actual.values())


def text_of(symbol: str, given: list[str], result: str, chip: str) -> str:
    """Return TTGIR that applies a function to arrays."""
    lanes = 32 if chip.startswith("cuda") else 64
    kinds = [*given, result]
    pointers = ", ".join(f"%p{n}: !tt.ptr<{kind}>" for n, kind in enumerate(kinds))
    lines = []
    for n, kind in enumerate(kinds):
        pointer = f"tensor<{COUNT}x!tt.ptr<{kind}>, #b>"
        lines.append(f"%s{n} = tt.splat %p{n} : !tt.ptr<{kind}> -> {pointer}")
        lines.append(f"%a{n} = tt.addptr %s{n}, %i : {pointer}, tensor<{COUNT}xi32, #b>")
        if n < len(given):
            lines.append(f"%x{n} = tt.load %a{n} : {pointer}")
    names = ", ".join(f"%x{n}" for n in range(len(given)))
    types = ", ".join(f"tensor<{COUNT}x{kind}, #b>" for kind in given)
    lines.append(f"%y = {extern(symbol, names)} : ({types}) -> tensor<{COUNT}x{result}, #b>")
    last = len(given)
    lines.append(f"tt.store %a{last}, %y : tensor<{COUNT}x!tt.ptr<{result}>, #b>")
    body = "\n    ".join(lines)
    return f"""
#b = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [{lanes}], warpsPerCTA = [4],
                    order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "{chip}",
                    "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @k({pointers}) {{
    %i = tt.make_range {{end = {COUNT} : i32, start = 0 : i32}} : tensor<{COUNT}xi32, #b>
    {body}
    tt.return
  }}
}}
"""


def values_of(kind: str, symbol: str, at: int) -> np.ndarray:
    """Return numbers for an argument: those with edges where the result is exact."""
    random = np.random.default_rng(at)
    if kind.startswith("f"):
        dtype = np.dtype(f"float{kind[1:]}")
        if not EXACT.fullmatch(symbol):
            return random.uniform(0.05, 0.95, COUNT).astype(dtype)
        ordinary = random.standard_normal(COUNT) * np.exp2(random.uniform(-20, 40, COUNT))
        with np.errstate(over="ignore"):
            numbers = np.append(np.repeat(EDGES, 3), ordinary)[:COUNT].astype(dtype)
        return np.roll(numbers, at * 5)
    dtype = np.dtype(f"int{kind[1:]}")
    if OF_AN_ORDER.fullmatch(symbol):
        return random.integers(-1, 4, COUNT).astype(dtype)
    if at and symbol.endswith(
        ("ldexpf", "ldexp", "scalbn", "scalbnf", "powi", "powif", "_f32", "_f64")
    ):
        return random.integers(-3, 4, COUNT).astype(dtype)
    limits = np.iinfo(dtype)
    edges = [0, 1, -1, limits.min, limits.max, 0x7FFFFF, 0x800000, 1 << 24, (1 << 24) + 1]
    return np.append(edges, random.integers(limits.min, limits.max, COUNT))[:COUNT].astype(dtype)


ROWS = [
    *rows(libdevice_cuda.SYMBOLS, "cuda:90"),
    *rows(libdevice_hip.SYMBOLS, "hip:gfx942"),
]


@pytest.mark.parametrize(("chip", "symbol", "given", "result"), ROWS, ids=[row[1] for row in ROWS])
def test_library_functions(chip, symbol, given, result):
    kinds = [KINDS[one] for one in given.split()]
    module = parse_module(text_of(symbol, kinds, KINDS[result], chip))
    try:
        llvm = lower(module)
    except CodegenError as error:
        if "needs" not in str(error):
            raise
        pytest.skip("its library is not on this machine")
    arguments = [values_of(kind, symbol, at) for at, kind in enumerate(kinds)]
    dtype = np.dtype(KINDS[result].replace("f", "float").replace("i", "int"))
    expected, actual = np.zeros(COUNT, dtype), np.zeros(COUNT, dtype)
    with np.errstate(all="ignore"):
        interpret(module, "k", (1,), [*arguments, expected])
        lanes = llvm.target.threads_per_warp
        simulate(llvm.text, grid=(1,), arguments=[*arguments, actual], warp_size=lanes)
    if EXACT.fullmatch(symbol):
        np.testing.assert_array_equal(actual, expected)
    else:
        np.testing.assert_allclose(actual, expected, 3e-6, 1e-30)


@pytest.mark.parametrize(
    ("symbol", "kind", "text"),
    [
        ("__nv_isnanf", "f32", "fcmp uno float"),
        ("__nv_isinfd", "f64", "fcmp oeq double"),
        ("__ocml_isfinite_f32", "f32", "fcmp one float"),
        ("__nv_float_as_int", "f32", "bitcast float"),
        ("__triton_hip_llrint", "f32", "llvm.roundeven.f32"),
        ("__nv_signbitf", "f32", "icmp slt i32"),
    ],
)
def test_native_functions_need_no_library(symbol, kind, text):
    after = "i64" if symbol.endswith("llrint") else "i32"
    module = module_of(extern(symbol), kind, after, "hip:gfx942")
    assert not module.libraries
    assert text in module.text


@pytest.mark.parametrize(
    ("symbol", "x", "wanted"),
    [
        ("__nv_erfinvf", [0.0, 0.5, -0.9, 1.0], [0.0, 0.4769362762, -1.163087154, math.inf]),
        ("__nv_normcdff", [0.0, 1.0, -2.0], [0.5, 0.8413447461, 0.02275013195]),
        ("__nv_cyl_bessel_i0f", [0.0, 1.0, 5.0], [1.0, 1.266065878, 27.23987182]),
        ("__nv_cyl_bessel_i1f", [0.0, 1.0, 5.0], [0.0, 0.5651591040, 24.33564214]),
        ("__nv_j0f", [0.0, 2.0, -40.0], [1.0, 0.2238907791, 0.007366890]),
        ("__nv_j1f", [0.0, 2.0, -40.0], [0.0, 0.5767248078, -0.1260383180]),
        ("__nv_y0f", [0.0, 2.0, 40.0], [-math.inf, 0.5103756726, 0.1259364207]),
        ("__nv_y1f", [1e-3, 2.0, -1.0], [-636.6221672, -0.1070324315, math.nan]),
        ("__nv_erfcxf", [0.0, 1.0, 40.0], [1.0, 0.4275835762, 0.01410033491]),
        ("__nv_frcp_rz", [3.0, 10.0], [0.3333333, 0.09999999]),
    ],
)
def test_reference_values(symbol, x, wanted):
    if not has(symbol):
        pytest.skip("no libdevice on this machine")
    actual = computed(extern(symbol), "f32", "f32", "cuda:90", np.array(x, np.float32))
    np.testing.assert_allclose(actual, np.array(wanted, np.float32), 1e-6)


def test_directed_rounding():
    one, tiny = np.full(COUNT, 1.0, np.float32), np.full(COUNT, -(2.0**-30), np.float32)
    for mode, expected in (("rn", 1.0), ("ru", 1.0), ("rd", 1 - 2.0**-24), ("rz", 1 - 2.0**-24)):
        module = parse_module(text_of(f"__nv_fadd_{mode}", ["f32", "f32"], "f32", "cuda:90"))
        actual = np.zeros(COUNT, np.float32)
        interpret(module, "k", (1,), [one, tiny, actual])
        assert (actual == np.float32(expected)).all()


@weft.jit
def quantised(x, y, scale, N: tl.constexpr):
    i = tl.arange(0, N)
    v = libdevice.rint(tl.load(x + i) / scale)
    v = tl.where(libdevice.isnan(v).to(tl.int1), 0.0, v)
    tl.store(y + i, libdevice.abs(v).to(tl.int8))


@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx90a", "hip:gfx1100", "hip:gfx1201"])
def test_functions_in_a_kernel(chip):
    require_same(weft.compile(quantised, signature="*fp32:16, *i8:16, fp32, 512", target=chip))


def test_missing_functions_are_named():
    inputs = [np.ones(COUNT, np.float32), np.ones(COUNT, np.float32)]
    module = parse_module(text_of("__nv_nothingf", ["f32"], "f32", "cuda:90"))
    with pytest.raises(LaunchError, match="does not support this library function"):
        interpret(module, "k", (1,), inputs)
    known = parse_module(text_of("__nv_j0f", ["f32"], "f32", "cuda:90"))
    if has("__nv_j0f"):
        text = lower(known).text.replace("__nv_j0f", "__nv_nothingf")
        with pytest.raises(
            CodegenError, match="the simulator does not support this library function"
        ):
            simulate(text, grid=(1,), arguments=inputs, warp_size=32)
