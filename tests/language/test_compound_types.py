"""Pointer and block types: properties, names in signatures, errors."""

from __future__ import annotations

import pytest

from weft.errors import SignatureError, TypeMismatchError
from weft.language import dtypes
from weft.language.compound_types import block_type, check_block_shape, pointer_type, str_to_ty
from weft.language.dtypes import dtype


def test_types_compare_structurally():
    assert block_type(dtypes.int8, (4,)) == block_type(dtype("int8"), [4])
    assert pointer_type(dtypes.int8) != pointer_type(dtypes.int8, const=True)
    assert len({dtypes.int8, dtype("int8"), dtypes.uint8}) == 2


def test_block_properties():
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


def test_pointer_element_must_be_a_dtype():
    with pytest.raises(TypeMismatchError, match="element_ty has type `str`; expected `dtype`"):
        pointer_type("fp32")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([3], "Shape element 0 must be a power of 2"),
        ([4, 0], "Shape element 1 must be a power of 2"),
        ([4, "n"], "Shape element 1 must have type `constexpr[int]`"),
        ([1 << 11, 1 << 10], "numel (2097152) exceeds triton maximum tensor numel (1048576)"),
    ],
)
def test_invalid_block_shapes(shape, message):
    with pytest.raises(TypeMismatchError) as caught:
        block_type(dtypes.int32, shape)
    assert message in str(caught.value)


def test_hint_for_an_invalid_extent():
    with pytest.raises(TypeMismatchError, match="use 128 elements and mask the rest, or 64"):
        block_type(dtypes.int32, [100])


def test_signature_types():
    assert str_to_ty("*fp16") == pointer_type(dtypes.float16)
    assert str_to_ty("*ki8") == pointer_type(dtypes.int8, const=True)
    assert str_to_ty("u1") == dtypes.int1
    with pytest.raises(SignatureError) as caught:
        str_to_ty("fp12")
    assert "unknown type in a signature" in str(caught.value)
    assert "or fp16?" in str(caught.value)


def test_bool_is_an_extent():
    (extent,) = check_block_shape([True])
    assert type(extent) is int
    assert extent == 1
