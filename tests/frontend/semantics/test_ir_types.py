"""The IR types of the types of the language."""

from __future__ import annotations

import pytest

from weft.errors import TypeMismatchError
from weft.frontend.semantics.ir_types import ir_type
from weft.language import dtypes
from weft.language.compound_types import block_type, pointer_type


def test_ir_types():
    assert str(ir_type(block_type(pointer_type(dtypes.float16), [8]))) == "tensor<8x!tt.ptr<f16>>"
    assert ir_type(dtypes.uint32) == ir_type(dtypes.int32)


def test_void_has_no_ir_type():
    with pytest.raises(TypeMismatchError, match="fail to convert void to ir type"):
        ir_type(dtypes.void)
