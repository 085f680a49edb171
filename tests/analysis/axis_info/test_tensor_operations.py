"""Axis info of operations that create, reshape or convert tensors."""

from __future__ import annotations

from tests.analysis.axis_info.infos import (
    FROM_ZERO,
    RANGE,
    V,
    info_of,
)
from weft.analysis.axis_info import (
    AxisInfo,
)


def test_two_dimensions():
    body = (
        RANGE
        + "%e = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>\n"
        + "%b = tt.broadcast %e : tensor<64x1xi32> -> tensor<64x32xi32>\n"
        + "%x = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x32xi32> -> tensor<32x64xi32>"
    )
    assert info_of(body, "%b", "tensor<64x32xi32>") == AxisInfo((64, 1), (FROM_ZERO, 1), (1, 32))
    assert info_of(body, "%x", "tensor<32x64xi32>") == AxisInfo((1, 64), (1, FROM_ZERO), (32, 1))


def test_equal_addresses_under_one_mask_load_equal_numbers():
    body = (
        RANGE
        + f"%four = arith.constant dense<4> : {V}\n%q = arith.divsi %r, %four : {V}\n"
        + "%ps = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
        + "%p = tt.addptr %ps, %q : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
        + "%m = tt.splat %c : i1 -> tensor<64xi1>\n"
        + "%x = tt.load %p, %m : tensor<64x!tt.ptr<i32>>\n"
        + "%y = tt.load %p, %m, %four : tensor<64x!tt.ptr<i32>>\n"
        + "%z = tt.load %p, %m, %r : tensor<64x!tt.ptr<i32>>"
    )
    assert info_of(body, "%x", V).constancy == (4,)
    assert info_of(body, "%y", V).constancy == (4,)
    assert info_of(body, "%z", V).constancy == (1,)


def test_pointers_of_another_size_are_not_contiguous():
    body = (
        RANGE
        + "%ps = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
        + "%p = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
        + "%x = tt.bitcast %p : tensor<64x!tt.ptr<i32>> -> tensor<64x!tt.ptr<f32>>\n"
        + "%y = tt.bitcast %p : tensor<64x!tt.ptr<i32>> -> tensor<64x!tt.ptr<i8>>"
    )
    assert info_of(body, "%x", "tensor<64x!tt.ptr<f32>>").contiguity == (64,)
    assert info_of(body, "%y", "tensor<64x!tt.ptr<i8>>").contiguity == (1,)


def test_equal_pointers_of_another_size_keep_their_divisibility():
    body = (
        "%ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
        "%x = tt.bitcast %ps : tensor<64x!tt.ptr<i32>> -> tensor<64x!tt.ptr<i8>>"
    )
    argument = "%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}"
    info = info_of(body, "%x", "tensor<64x!tt.ptr<i8>>", argument)
    assert info == AxisInfo((1,), (16,), (64,))


def test_contiguous_pointers_of_another_size_lose_their_divisibility():
    body = (
        RANGE
        + "%ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
        + "%q = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
        + "%x = tt.bitcast %q : tensor<64x!tt.ptr<i32>> -> tensor<64x!tt.ptr<i8>>"
    )
    argument = "%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}"
    info = info_of(body, "%x", "tensor<64x!tt.ptr<i8>>", argument)
    assert info == AxisInfo((1,), (1,), (1,))
