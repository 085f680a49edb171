"""Tensor descriptors of Gluon kernels."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import weft
import weft.gluon as gl
from weft.errors import LaunchError
from weft.launch.gluon_descriptors import TensorDescriptor
from weft.launch.tensor_descriptor import with_base

LAYOUT = gl.NVMMASharedLayout(64, 16, 2)


def test_fields_can_be_replaced():
    x = np.zeros((4, 32), np.float16)
    plain = dataclasses.replace(weft.TensorDescriptor.from_tensor(x, [2, 32]), padding="nan")
    assert plain.padding == "nan"
    value = TensorDescriptor.from_tensor(x, [2, 32], LAYOUT)
    narrow = dataclasses.replace(value, layout=gl.NVMMASharedLayout(32, 16, 2))
    assert (narrow.layout.swizzle_byte_width, narrow.shape) == (32, [4, 32])
    with pytest.raises(LaunchError, match="Illegal value for padding"):
        dataclasses.replace(value, padding="one")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layout": gl.SwizzledSharedLayout(1, 1, 1, [1, 0])}, "Layout must be NVMMASharedLayout"),
        ({"strides": [30, 1]}, "strides must be 16-byte aligned"),
        ({"strides": [1, 32]}, "Last dimension must be contiguous"),
        ({"shape": [0, 32]}, "shape must be positive"),
        ({"block_shape": [2, 16]}, "Expected block_shape.* to be at least 32 but got 16"),
        ({"block_shape": [32]}, "rank mismatch"),
        ({"round_f32_to_tf32": True}, "only supported for float32 tensors"),
        ({"layout": gl.NVMMASharedLayout(32, 8, 2)}, "the layout has elements of 8 bits"),
        ({"layout": gl.NVMMASharedLayout(64, 32, 2)}, "the layout has elements of 32 bits"),
    ],
)
def test_what_tma_cannot_copy(changes, message):
    value = TensorDescriptor.from_tensor(np.zeros((4, 32), np.float16), [2, 32], LAYOUT)
    with pytest.raises(LaunchError, match=message):
        dataclasses.replace(value, **changes)


def test_a_copy_with_another_base_keeps_the_layout():
    x = np.zeros((4, 32), np.float16)
    descriptor = TensorDescriptor.from_tensor(x, [2, 32], LAYOUT, padding="nan")
    other = with_base(descriptor, x.copy())
    assert other.base is not x
    assert isinstance(other, TensorDescriptor)
    assert dataclasses.replace(other, base=x) == descriptor
