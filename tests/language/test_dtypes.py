"""Element types: names, properties and errors; every property against Triton."""

from __future__ import annotations

import pytest

from weft.compat.as_triton import as_triton
from weft.errors import CompilationError, TypeMismatchError
from weft.language import dtypes
from weft.language.compound_types import block_type, pointer_type
from weft.language.dtypes import dtype

NAMES = [name for name in dtypes._ROWS if name != "void"]
# Triton raises an exception for void, and is_dtype takes a name.
EXCLUDED = ("is_dtype", "is_void")
PREDICATES = [name for name in vars(dtype) if name.startswith("is_") and name not in EXCLUDED]


def test_names():
    assert str(dtypes.float32) == "fp32"
    assert repr(dtypes.float32) == "weft.language.float32"
    with as_triton():
        assert repr(dtypes.float32) == "triton.language.float32"
    assert str(dtypes.int32) == "int32"
    assert dtypes.int1.signature_name == "i1"
    assert str(pointer_type(dtypes.float16)) == "pointer<fp16>"
    assert str(pointer_type(dtypes.float16, const=True)) == "const_pointer<fp16>"
    assert str(block_type(dtypes.float32, [16, 8])) == "<['16', '8'], fp32>"
    assert block_type(pointer_type(dtypes.float16), [16]).mangle() == "Pfp16S16S"


def test_integer_ranges():
    assert dtypes.int8.get_int_min_value() == -128
    assert dtypes.uint8.get_int_max_value() == 255
    assert dtypes.int1.get_int_max_value() == 1
    with pytest.raises(TypeMismatchError, match="expected an integer type"):
        dtypes.float32.get_int_max_value()


def test_unknown_name():
    with pytest.raises(TypeMismatchError) as caught:
        dtype("fp33")
    assert "unknown element type" in str(caught.value)
    assert "did you mean fp32" in str(caught.value)


@pytest.mark.oracle
@pytest.mark.parametrize("name", NAMES)
def test_properties_against_triton(name):
    tl = pytest.importorskip("triton.language")
    ours, theirs = dtype(name), tl.dtype(name)
    assert str(ours) == str(theirs)
    assert ours.mangle() == theirs.mangle()
    assert ours.itemsize == theirs.itemsize
    for predicate in PREDICATES:
        if hasattr(theirs, predicate):
            assert getattr(ours, predicate)() == getattr(theirs, predicate)(), predicate
    for attribute in ("primitive_bitwidth", "fp_mantissa_width", "exponent_bias", "int_bitwidth"):
        if hasattr(theirs, attribute):
            assert getattr(ours, attribute) == getattr(theirs, attribute), attribute


def test_integer_type_of_a_width():
    assert dtypes.get_int_dtype(32, True) == dtypes.int32
    assert dtypes.get_int_dtype(8, False) == dtypes.uint8
    with pytest.raises(CompilationError, match="Unsupported bitwidth 24 and signedness True"):
        dtypes.get_int_dtype(24, True)
