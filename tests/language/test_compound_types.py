"""Pointers and blocks: facts, names in signatures, and errors."""

from __future__ import annotations

import pytest

from weft.errors import SignatureError, TypeMismatchError
from weft.language import dtypes
from weft.language.compound_types import block_type, check_block_shape, pointer_type, str_to_ty
from weft.language.dtypes import dtype


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


def test_a_truth_value_is_an_extent():
    (extent,) = check_block_shape([True])
    assert type(extent) is int
    assert extent == 1
