"""The dtypes of the IR's types."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType

from weft.errors import LaunchError
from weft.interpreter.dtypes import dtype_of
from weft.ir import types


def test_dtypes():
    assert dtype_of(types.pointer(types.f32)) == np.int64
    assert dtype_of(types.tensor((8,), types.f16)) == np.float16


def test_unsupported_type():
    with pytest.raises(LaunchError, match=r"does not support this type[\s\S]*found: i128"):
        dtype_of(IntegerType(128))
