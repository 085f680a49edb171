"""Accesses to global memory: vectors, requests and sectors."""

from __future__ import annotations

import pytest

from tests.lowering_plans.modules import BLOCKED, instructions, summary

ROW = BLOCKED % (4, 32, 4, 0)


def body(divisibility: int, size: int = 1024) -> str:
    return f"""
tt.func public @k(%p: !tt.ptr<f32> {{tt.divisibility = {divisibility} : i32}}) {{
  %i = tt.make_range {{end = {size} : i32, start = 0 : i32}} : tensor<{size}xi32, {ROW}>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<{size}x!tt.ptr<f32>, {ROW}>
  %q = tt.addptr %s, %i : tensor<{size}x!tt.ptr<f32>, {ROW}>, tensor<{size}xi32, {ROW}>
  %x = tt.load %q : tensor<{size}x!tt.ptr<f32>, {ROW}>
  tt.store %q, %x : tensor<{size}x!tt.ptr<f32>, {ROW}>
  tt.return
}}
"""


@pytest.mark.parametrize(("divisibility", "expected"), [(16, (128, 2)), (4, (32, 8))])
def test_alignment_decides_the_vector(divisibility, expected):
    ((_, bits, count, warps),) = summary(body(divisibility), "tt.load")
    assert ((bits, count), warps) == (expected, 4)


def test_sectors_of_vectors_and_of_scalars():
    (vectors,) = instructions(body(16), "tt.load")
    (scalars,) = instructions(body(4), "tt.load")
    assert (vectors.sectors, vectors.ideal_sectors, vectors.distinct_sectors) == (128, 128, 128)
    assert (scalars.sectors, scalars.ideal_sectors, scalars.distinct_sectors) == (512, 128, 128)


def test_of_replicas_only_the_first_warp_stores():
    assert summary(body(16, 128), "tt.load") == [("global load", 128, 1, 4)]
    assert summary(body(16, 128), "tt.store") == [("global store", 128, 1, 1)]
