"""fp8e4b15: every code converts to its number, and every fp16 to the nearest code."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import kernel_of, require_same
from weft.interpreter import run

CODES = np.arange(256, dtype=np.uint8)
SIZES = ((CODES & 0x7F).astype(np.uint16) << 7).view(np.float16)
NUMBERS = np.where(CODES & 0x80, -SIZES, SIZES)


@weft.jit
def widen(p, q):
    i = tl.arange(0, 256)
    tl.store(q + i, tl.load(p + i).to(q.dtype.element_ty))


@weft.jit
def narrow(p, q):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(q + i, tl.load(p + i).to(tl.float8e4b15))


@weft.jit
def sizes(p, q):
    i = tl.arange(0, 256)
    tl.store(q + i, tl.abs(tl.load(p + i)))


def interpreted(kernel: weft.JITFunction, signature: str, grid: int, *arrays: np.ndarray) -> None:
    module = weft.compile(kernel, signature=signature, target="cuda:80").module("ttir")
    with np.errstate(all="ignore"):
        run(module, kernel_of(module).symbol, (grid,), list(arrays))


@pytest.mark.parametrize(("name", "dtype"), [("fp16", "f2"), ("fp32", "f4")])
def test_every_code_converts_to_its_number(name, dtype):
    actual = np.zeros(256, dtype)
    interpreted(widen, f"*fp8e4b15, *{name}", 1, CODES.view(np.int8), actual)
    np.testing.assert_array_equal(actual, NUMBERS.astype(dtype))
    assert np.signbit(actual[0x80])


@pytest.mark.parametrize("name", ["fp16", "fp32"])
def test_every_number_converts_to_the_nearest_code(name):
    values = np.arange(65536, dtype=np.uint32).astype(np.uint16).view(np.float16)
    actual = np.zeros(65536, np.int8)
    inputs = values if name == "fp16" else values.astype(np.float32)
    interpreted(narrow, f"*{name}, *fp8e4b15", 256, inputs, actual)
    with np.errstate(invalid="ignore"):
        sizes_ = np.minimum(np.abs(values), np.float16(1.75))
    sizes_ = np.where(np.isnan(values), np.float16(1.75), sizes_).astype(np.float64)
    known = SIZES[:127].astype(np.float64)  # the code above 1.75 is none that narrowing makes
    above = np.searchsorted((known[1:] + known[:-1]) / 2, sizes_, side="right")
    expected = above | np.where(np.signbit(values), 0x80, 0)
    np.testing.assert_array_equal(actual.view(np.uint8), expected)


def test_its_size():
    actual = np.zeros(256, np.int8)
    interpreted(sizes, "*fp8e4b15, *fp8e4b15", 1, CODES.view(np.int8), actual)
    np.testing.assert_array_equal(actual, CODES & 0x7F)


@pytest.mark.parametrize("name", ["fp16", "fp32", "bf16"])
def test_machine_code_agrees(name):
    require_same(weft.compile(narrow, signature=f"*{name}, *fp8e4b15", target="cuda:90"))
    require_same(weft.compile(widen, signature=f"*fp8e4b15, *{name}", target="cuda:80"))


@weft.jit
def products(p, q, out):
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    places = rows * 16 + columns
    tl.store(out + places, tl.dot(tl.load(p + places), tl.load(q + places)))


@pytest.mark.parametrize("chip", ["cuda:75", "cuda:80", "cuda:89"])
def test_products_are_those_of_the_numbers(chip, recwarn):
    compiled = weft.compile(
        products, signature="*fp8e4b15:16, *fp8e4b15:16, *fp32:16", target=chip, num_warps=1
    )
    assert not [each for each in recwarn if "fp8e4b15" in str(each.message)]
    actual = np.zeros((16, 16), np.float32)
    codes = CODES.view(np.int8).reshape(16, 16)
    module = compiled.module("ttir")
    operands = [codes, np.ascontiguousarray(codes.T)]
    run(module, kernel_of(module).symbol, (1,), [*operands, actual])
    numbers = NUMBERS.reshape(16, 16).astype(np.float32)
    np.testing.assert_allclose(actual, numbers @ numbers.T, rtol=1e-6)
    require_same(compiled, tolerance=1e-5)
