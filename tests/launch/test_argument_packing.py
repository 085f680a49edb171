"""How the arguments of a launch are written."""

from __future__ import annotations

import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.compiler.argument_formats import formats_of
from weft.compiler.signature import Signature
from weft.errors import CodegenError
from weft.launch.argument_packing import packed as packed_by
from weft.launch.argument_packing import written


def of(*kinds: object) -> Signature:
    return Signature(tuple(f"a{n}" for n in range(len(kinds))), kinds)  # pyright: ignore


def packed(signature: Signature, values: list[object]) -> list[Any]:
    count = sum(1 for _ in signature.runtime_arguments())
    return packed_by(written(signature, ["?"] * count), values)


@pytest.mark.parametrize(
    ("kind", "format_", "llvm", "value", "written"),
    [
        ("u1", "?", "i1", np.bool_(True), True),
        ("i8", "b", "i8", -3, -3),
        ("u8", "B", "i8", 250, 250),
        ("i16", "h", "i16", -3, -3),
        ("u32", "I", "i32", 1 << 31, 1 << 31),
        ("i64", "q", "i64", np.int64(-5), -5),
        ("u64", "Q", "i64", (1 << 64) - 1, (1 << 64) - 1),
        ("fp16", "e", "half", 0.5, 0.5),
        ("fp32", "f", "float", 3, 3.0),
        ("fp64", "d", "double", np.float32(0.5), 0.5),
    ],
)
def test_numbers(kind, format_, llvm, value, written):
    assert formats_of(of(kind), [llvm]) == (format_,)
    assert packed(of(kind), [value]) == [written]
    struct.pack(format_, written)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_bf16_is_rounded_as_ml_dtypes_rounds(value):
    (bits,) = packed(of("bf16"), [value])
    with np.errstate(over="ignore"):
        wanted = np.float32(value).astype(ml_dtypes.bfloat16)
    if np.isnan(wanted):
        assert bits & 0x7F80 == 0x7F80
        assert bits & 0x7F
    else:
        assert bits == int(wanted.view(np.uint16))


def test_items_of_tuples_are_arguments_of_their_own():
    signature = of(("*fp32", "i32"), "constexpr", "bf16")
    assert formats_of(signature, ["ptr addrspace(1)", "i32", "bfloat"]) == ("P", "i", "H")
    array = np.zeros(3, np.float32)
    assert packed(signature, [(array, 7), None, 1.0]) == [array.ctypes.data, 7, 0x3F80]
    found = written(signature, ("P", "i", "H"))
    assert [(each.index, each.formats, each.as_given) for each in found] == [
        (0, ("P", "i"), False),
        (2, ("H",), False),
    ]
    assert [each.as_given for each in written(of("*fp32", "constexpr", "i32"), "Pi")] == [True] * 2


def test_an_entry_that_wants_something_else_is_an_error():
    with pytest.raises(CodegenError, match="takes other arguments than a launch gives") as caught:
        formats_of(of("*fp32", "i32"), ["ptr addrspace(1)", "i64"])
    assert "found: ptr addrspace(1), i64" in str(caught.value)
    assert "accepted: ptr addrspace(1), i32" in str(caught.value)
