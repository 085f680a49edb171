"""Arithmetic of every type: the simulator agrees with the interpreter on both vendors."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.codegen.conversions import DTYPES, computed, every, module_of, text_of
from tests.codegen.running import interpreted, simulated
from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

CHIPS = ("cuda:90", "hip:gfx942")
ALL = ("cuda:80", "cuda:90", "cuda:100", "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100",
       "hip:gfx1201", "hip:gfx1250")  # fmt: skip
INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
BITS = "addi subi muli andi ori xori minsi minui maxsi maxui".split()
OF_INTEGERS = [
    *BITS,
    *"divsi divui remsi remui ceildivsi ceildivui floordivsi shli shrsi shrui".split(),
]
OF_FLOATS = "addf subf mulf divf remf maxnumf minnumf maximumf minimumf".split()
OTHERS = {
    "negf": ("arith.negf %x", FLOATS),
    "absf": ("math.absf %x", FLOATS),
    "absi": ("math.absi %x", INTEGERS),
    "fma": ("math.fma %x, %second, %x", FLOATS),
    "clamp": ("tt.clampf %x, %second, %third, propagateNan = none", FLOATS),
    "clamp with NaN": ("tt.clampf %x, %second, %third, propagateNan = all", FLOATS),
    "mulhi": ("tt.mulhiui %x, %second", ("i32", "i64")),
    "precise_divf": ("tt.precise_divf %x, %second", ("f32", "f64")),
    "precise_sqrt": ("tt.precise_sqrt %x", ("f32", "f64")),
}
CASES = [
    *((f"arith.{name} %x, %second", type_) for name in OF_INTEGERS for type_ in INTEGERS),
    *((f"arith.{name} %x, %second", "i1") for name in BITS),
    *((f"arith.{name} %x, %second", type_) for name in OF_FLOATS for type_ in FLOATS),
    *((op, type_) for op, types in OTHERS.values() for type_ in types),
]


def kernel(op: str, type_: str, chip: str) -> tuple[str, int]:
    """Return a kernel with operands from three thirds of an array, and the size of a third."""
    text = text_of(op, type_, type_, chip, 2)
    actual = re.search(r"%y = .*: (tensor<(\d+)x[^\n]*)", text)
    assert actual is not None
    tensor, count = actual[1], int(actual[2])
    index = tensor.replace(f"x{type_},", "xi32,")
    pointers = tensor.replace(f"x{type_},", f"x!tt.ptr<{type_}>,")
    lines = f"    %o = arith.constant dense<{count}> : {index}\n"
    before = "%i"
    for name in ("second", "third"):
        lines += (
            f"    %{name}_i = arith.addi {before}, %o : {index}\n"
            f"    %{name}_p = tt.addptr %ps, %{name}_i : {pointers}, {index}\n"
            f"    %{name} = tt.load %{name}_p : {pointers}\n"
        )
        before = f"%{name}_i"
    return text.replace("    %y =", lines + "    %y ="), count


def operands(op: str, type_: str, count: int) -> np.ndarray:
    """Return random numbers, none of which an operation is undefined for."""
    random = np.random.default_rng(0)
    if type_ == "i1":
        return random.integers(0, 2, 3 * count).astype(bool)
    if type_ in FLOATS:
        thirds = [random.normal(mean, 3, count) for mean in (0, 4, 9)]
        if "clamp" in op:
            thirds[2] = thirds[1] + np.abs(thirds[2])
        values = np.concatenate(thirds).astype(DTYPES[type_])
        values[: 3 if "sqrt" in op else 4] = [np.nan, 0.0, -0.0, 5.0][: 3 if "sqrt" in op else 4]
        if "clamp" not in op:
            values[count + 3] = np.nan
        return np.abs(values) if "sqrt" in op else values
    dtype = np.dtype(type_.replace("i", "int"))
    limits = np.iinfo(dtype)
    values = random.integers(limits.min, limits.max, 3 * count, dtype=dtype)
    second = values[count : 2 * count]
    if ".sh" in op:
        second[:] = random.integers(0, limits.bits, count)
    elif "div" in op or "rem" in op:
        second[: count // 2] = random.integers(1, 9, count // 2)
        second[second == 0] = 1
        second[(second == -1) & (values[:count] == limits.min)] = 1
    return values


@pytest.mark.parametrize(("op", "type_"), CASES)
@pytest.mark.parametrize("chip", CHIPS)
def test_arithmetic_matches_the_interpreter(chip, op, type_):
    text, count = kernel(op, type_, chip)
    values = operands(op, type_, count)
    arguments = [values, np.zeros(count, values.dtype)]
    expected = interpreted(parse_module(text), arguments)[1]
    actual = simulated(parse_module(text), arguments)[1]
    if type_ not in FLOATS:
        np.testing.assert_array_equal(actual, expected)
        return
    tolerance = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-22, "f64": 2.0**-46}[type_]
    wide, exact = actual.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(wide, exact, tolerance, 1e-30)


@pytest.mark.parametrize("chip", ALL)
def test_llvm_selects_arithmetic_of_every_type(chip):
    machine = Machine()
    try:
        for op, type_ in [*CASES, ("arith.ceildivsi %x, %second", "i1")][ALL.index(chip) :: 5]:
            machine.emit(lower(parse_module(kernel(op, type_, chip)[0])), "assembly")
    finally:
        machine.close()


FLOATS8 = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ")


@pytest.mark.parametrize("type_", FLOATS8)
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("op", "function"), [("math.absf", np.abs), ("arith.negf", np.negative)])
def test_signs_of_8_bit_floats(op, function, chip, type_):
    values = every(type_)
    actual, expected = computed(f"{op} %x", type_, type_, chip, values), function(values)
    is_nan = np.isnan(expected.astype(np.float32))
    np.testing.assert_array_equal(np.isnan(actual.astype(np.float32)), is_nan)
    codes = actual.view(np.uint8)[~is_nan]
    np.testing.assert_array_equal(codes, expected.view(np.uint8)[~is_nan])
    module = parse_module(text_of(f"{op} %x", type_, type_, chip))
    arguments = [np.resize(values, 2048), np.zeros(2048, values.dtype)]
    outputs = (run(module, arguments)[1].view(np.uint8) for run in (interpreted, simulated))
    np.testing.assert_array_equal(next(outputs), next(outputs))


@pytest.mark.parametrize("chip", ALL)
def test_llvm_selects_signs_of_8_bit_floats(chip):
    machine = Machine()
    try:
        for op in ("math.absf %x", "arith.negf %x"):
            for type_ in FLOATS8:
                machine.emit(module_of(op, type_, type_, chip), "assembly")
    finally:
        machine.close()


@pytest.mark.parametrize("type_", FLOATS8)
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(
    "op",
    [
        *(f"arith.{name} %x, %x" for name in OF_FLOATS if name != "remf"),
        "math.fma %x, %x, %x",
        "math.floor %x",
        "tt.clampf %x, %x, %x, propagateNan = none",
        "tt.clampf %x, %x, %x, propagateNan = all",
    ],
)
def test_arithmetic_of_8_bit_floats_is_refused_with_its_location(op, chip, type_):
    with pytest.raises(CodegenError, match="no chip computes with floats") as caught:
        module_of(op, type_, type_, chip)
    assert caught.value.location is not None
    assert "x.to(tl.float16)" in str(caught.value)
