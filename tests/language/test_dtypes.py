"""Element types, pointers and blocks: facts, names, errors; and each fact against Triton's."""

from __future__ import annotations

import pytest

from weft.errors import SignatureError, TypeMismatchError
from weft.language import dtypes
from weft.language.dtypes import block_type, dtype, pointer_type, str_to_ty

NAMES = [name for name in dtypes._ROWS if name != "void"]
# Triton answers the question for void with an exception, and is_dtype takes a name
UNANSWERED = ("is_dtype", "is_void")
QUESTIONS = [name for name in vars(dtype) if name.startswith("is_") and name not in UNANSWERED]


def test_names():
    assert str(dtypes.float32) == "fp32"
    assert repr(dtypes.float32) == "weft.language.float32"
    assert str(dtypes.int32) == "int32"
    assert dtypes.int1.signature_name == "i1"
    assert str(pointer_type(dtypes.float16)) == "pointer<fp16>"
    assert str(pointer_type(dtypes.float16, const=True)) == "const_pointer<fp16>"
    assert str(block_type(dtypes.float32, [16, 8])) == "<['16', '8'], fp32>"
    assert block_type(pointer_type(dtypes.float16), [16]).mangle() == "Pfp16S16S"


def test_equality_is_by_parts():
    assert block_type(dtypes.int8, (4,)) == block_type(dtype("int8"), [4])
    assert pointer_type(dtypes.int8) != pointer_type(dtypes.int8, const=True)
    assert len({dtypes.int8, dtype("int8"), dtypes.uint8}) == 2


def test_block_facts():
    block = block_type(dtypes.float16, (16, 8))
    assert (block.numel, block.nbytes, block.shape, block.scalar) == (
        128,
        256,
        (16, 8),
        dtypes.float16,
    )
    assert block.is_block()
    assert not block.is_floating()
    assert block.with_element_ty(dtypes.int8) == block_type(dtypes.int8, (16, 8))


def test_integer_ranges():
    assert dtypes.int8.get_int_min_value() == -128
    assert dtypes.uint8.get_int_max_value() == 255
    assert dtypes.int1.get_int_max_value() == 1
    with pytest.raises(TypeMismatchError, match="only an integer type has a range"):
        dtypes.float32.get_int_max_value()


def test_unknown_name():
    with pytest.raises(TypeMismatchError) as caught:
        dtype("fp33")
    assert "unknown element type" in str(caught.value)
    assert "did you mean fp32" in str(caught.value)


def test_pointer_to_nothing():
    with pytest.raises(TypeMismatchError, match="a pointer points to an element type or a block"):
        pointer_type("fp32")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([3], "dimension 0 of a block must be a power of two"),
        ([4, 0], "dimension 1 of a block must be a power of two"),
        ([4, "n"], "dimension 1 of a block must be known when compiling"),
        ([1 << 11, 1 << 10], "a block has too many elements"),
    ],
)
def test_shapes_that_no_block_has(shape, message):
    with pytest.raises(TypeMismatchError) as caught:
        block_type(dtypes.int32, shape)
    assert message in str(caught.value)


def test_hint_for_an_extent():
    with pytest.raises(TypeMismatchError, match="take 128 elements and mask the rest off, or 64"):
        block_type(dtypes.int32, [100])


def test_signature_types():
    assert str_to_ty("*fp16") == pointer_type(dtypes.float16)
    assert str_to_ty("*ki8") == pointer_type(dtypes.int8, const=True)
    assert str_to_ty("u1") == dtypes.int1
    with pytest.raises(SignatureError) as caught:
        str_to_ty("fp12")
    assert "unknown type in a signature" in str(caught.value)
    assert "or fp16?" in str(caught.value)


@pytest.mark.oracle
@pytest.mark.parametrize("name", NAMES)
def test_facts_against_triton(name):
    tl = pytest.importorskip("triton.language")
    ours, theirs = dtype(name), tl.dtype(name)
    assert str(ours) == str(theirs)
    assert ours.mangle() == theirs.mangle()
    assert ours.itemsize == theirs.itemsize
    for question in QUESTIONS:
        if hasattr(theirs, question):
            assert getattr(ours, question)() == getattr(theirs, question)(), question
    for fact in ("primitive_bitwidth", "fp_mantissa_width", "exponent_bias", "int_bitwidth"):
        if hasattr(theirs, fact):
            assert getattr(ours, fact) == getattr(theirs, fact), fact
