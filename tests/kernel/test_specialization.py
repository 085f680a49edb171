"""Specialization by Triton's rules, and arguments that cannot be specialized."""

from __future__ import annotations

from collections import namedtuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import LaunchError
from weft.kernel.specialization import specialize
from weft.language.constexpr import constexpr
from weft.language.dtypes import bfloat16
from weft.language.kernel_function import KernelFunction


def _one(x):
    pass


ONE = KernelFunction(_one)
PLAIN = KernelFunction(_one, do_not_specialize=["x"])
UNALIGNED = KernelFunction(_one, do_not_specialize_on_alignment=[0])


def signature_of(value, kernel=ONE) -> str:
    return str(specialize(kernel, [value]))


def aligned(dtype, offset=0):
    """Return an array whose address is `offset` bytes past a multiple of 16."""
    memory = np.zeros(256, np.uint8)
    skip = -memory.ctypes.data % 16 + offset
    return memory[skip : skip + 64].view(dtype)


@pytest.mark.parametrize(
    ("value", "default", "unaligned", "plain"),
    [
        (0, "i32:16", "i32", "i32"),
        (1, "1", "1", "i32"),
        (2, "i32", "i32", "i32"),
        (-16, "i32:16", "i32", "i32"),
        (2**31 - 1, "i32", "i32", "i32"),
        (2**31, "i64:16", "i64", "i64"),
        (-(2**31) - 1, "i64", "i64", "i64"),
        (2**63, "u64:16", "u64", "u64"),
        (2**64 - 1, "u64", "u64", "u64"),
        (True, "u1", "u1", "u1"),
        (1.0, "fp32", "fp32", "fp32"),
        (None, "None", "None", "None"),
        (constexpr(3), "3", "3", "3"),
        (bfloat16, "bf16", "bf16", "bf16"),
        (np.int64(1), "1", "1", "i32"),
        (np.float64(0.5), "fp32", "fp32", "fp32"),
        (np.bool_(True), "u1", "u1", "u1"),
    ],
)
def test_scalars(value, default, unaligned, plain):
    assert signature_of(value) == default
    assert signature_of(value, UNALIGNED) == unaligned
    assert signature_of(value, PLAIN) == plain


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (np.bool_, "u1"),
        (np.int8, "i8"),
        (np.uint16, "u16"),
        (np.int64, "i64"),
        (np.float16, "fp16"),
        (np.float64, "fp64"),
        (ml_dtypes.bfloat16, "bf16"),
        (ml_dtypes.float8_e4m3fn, "fp8e4nv"),
        (ml_dtypes.float8_e5m2, "fp8e5"),
        (ml_dtypes.float8_e4m3fnuz, "fp8e4b8"),
        (ml_dtypes.float8_e5m2fnuz, "fp8e5b16"),
    ],
)
def test_arrays(dtype, name):
    assert signature_of(aligned(dtype)) == f"*{name}:16"
    assert signature_of(aligned(dtype, 8)) == f"*{name}"
    assert signature_of(aligned(dtype), PLAIN) == f"*{name}"
    assert signature_of(aligned(dtype), UNALIGNED) == f"*{name}"


class Tensor:
    """A class with the attributes of a torch tensor."""

    def __init__(self, array, dtype, device="cpu"):
        self.array, self.dtype, self.device, self.shape = array, dtype, device, array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self):
        return tuple(stride // self.array.itemsize for stride in self.array.strides)


def test_objects_with_data_ptr_and_dtype():
    assert signature_of(Tensor(aligned(np.float16), "torch.float16")) == "*fp16:16"
    assert signature_of(Tensor(aligned(np.int16), "torch.bfloat16")) == "*bf16:16"


class _ArrayInterface:
    dtype = np.dtype(np.float32)

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__


def test_array_interface():
    assert signature_of(_ArrayInterface(aligned(np.float32))) == "*fp32:16"


def test_tuples_keep_their_names():
    Pair = namedtuple("Pair", "data size")
    signature = specialize(ONE, [Pair(aligned(np.int8), (1, 16))])
    assert str(signature) == "(*i8:16, (1, i32:16))"
    assert signature.types[0].data == "*i8"  # pyright: ignore


def test_kernels_are_constants():
    assert specialize(ONE, [PLAIN]).constexprs == {(0,): PLAIN}


@given(st.integers(-(2**63), 2**64 - 1))
def test_an_integer_is_in_the_range_of_its_type(value):
    name, _, hint = signature_of(value, PLAIN).partition(":")
    bits = int(name[1:])
    assert not hint
    assert (-(2 ** (bits - 1)) if name[0] == "i" else 0) <= value < 2 ** (bits - (name[0] == "i"))


def _typed(x: "*fp16", n: tl.int64, scale: float, flag: bool):  # noqa: F722, F821  # pyright: ignore[reportUndefinedVariable]
    pass


TYPED = KernelFunction(_typed)


def test_annotations_determine_the_type():
    half = aligned(np.float16)
    assert str(specialize(TYPED, [half, 32, 2, True])) == "*fp16:16, i64:16, fp32, u1"
    assert str(specialize(TYPED, [half, 1, 2.0, False])) == "*fp16:16, i64, fp32, u1"
    assert specialize(TYPED, [None, 1, 2.0, False]).constexprs == {(0,): None}
    assert specialize(TYPED, [None, 1, 2.0, 3]).types[3] == "u1"


@pytest.mark.parametrize(
    ("values", "parameter", "found", "accepted"),
    [
        (
            (np.zeros(4, np.float32), 1, 1.0, True),
            "x",
            "an array of float32",
            "an array of float16",
        ),
        ((7, 1, 1.0, True), "x", "int 7", "an array of float16"),
        ((None, 2.0, 1.0, True), "n", "float 2.0", "i64"),
        ((None, 2**63, 1.0, True), "n", "int 9223372036854775808", "i64"),
        ((None, 1, "1", True), "scale", "str '1'", "fp32"),
        ((None, 1, 1.0, 0.5), "flag", "float 0.5", "u1"),
    ],
)
def test_arguments_that_do_not_fit_their_annotation(values, parameter, found, accepted):
    with pytest.raises(LaunchError) as caught:
        specialize(TYPED, values)
    text = str(caught.value)
    assert f"_typed: parameter {parameter}: argument does not fit its annotation" in text
    assert f"found: {found}" in text
    assert f"accepted: {accepted}" in text


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([1, 2], "list [1, 2]"),
        ("relu", "str 'relu'"),
        (2**64, "18446744073709551616"),
        (np.zeros(2, np.complex64), "an array of complex64"),
        (np.zeros(2, ">f4"), "an array of >f4"),
        ((1, np.zeros(2, object)), "an array of object"),
    ],
)
def test_unsupported_arguments(value, found):
    with pytest.raises(LaunchError) as caught:
        specialize(ONE, [value])
    assert "_one: parameter x" in str(caught.value)
    assert f"found: {found}" in str(caught.value)
    assert caught.value.accepted


class Storage:
    """A tensor of which only the size of the storage matters."""

    dtype = np.dtype(np.float32)

    def __init__(self, size):
        self.size = size

    def data_ptr(self):
        return 16

    def ptr_range(self):
        return self.size


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Storage(2**31 - 1), "*fp32:16S"),
        (Storage(2**31), "*fp32:16"),
        (aligned(np.float32, 4), "*fp32:S"),
    ],
)
def test_pointer_ranges(value, expected):
    assert str(specialize(ONE, [value], pointer_ranges=True)) == expected
    assert str(specialize(PLAIN, [value], pointer_ranges=True)) == "*fp32"
    assert "S" not in signature_of(value)
