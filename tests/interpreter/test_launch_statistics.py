"""What a launch reads, writes and computes: counted as by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import weft
import weft.language as tl
from weft import interpreter
from weft.errors import OutOfBoundsError
from weft.interpreter import LaunchStatistics, Traffic


@weft.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i % 16, mask=i < n), mask=i < n)


@weft.jit
def product(a, b, c, K, PRECISION: tl.constexpr):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    total = tl.zeros((16, 16), tl.float32)
    for k in range(0, K, 16):
        left = tl.load(a + tl.program_id(0) * 16 * K + i * K + k + j)
        total = tl.dot(left, tl.load(b + (k + i) * 16 + j), total, input_precision=PRECISION)
    tl.store(c + tl.program_id(0) * 256 + i * 16 + j, total)


@weft.jit
def scaled(a, b, scale, c, FORMAT: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, K)
    left = tl.load(a + i[:, None] * K + k[None, :])
    scales = tl.load(scale + i[:, None] * 2 + tl.arange(0, 2)[None, :])
    right = tl.load(b + tl.arange(0, 64)[:, None] * 16 + j[None, :])
    total = tl.dot_scaled(left, scales, FORMAT, right, None, "fp16")
    tl.store(c + i[:, None] * 16 + j[None, :], total)


@weft.jit
def counts(x, bins, lock):
    value = tl.load(x + tl.program_id(0))
    tl.atomic_add(bins + value, 1)
    tl.atomic_cas(lock, 0, 1)


@weft.jit
def by_descriptor(x, out):
    tile = tl.make_tensor_descriptor(x, [8, 16], [16, 1], [4, 16])
    tl.store(out + tl.arange(0, 16), tl.sum(tile.load([tl.program_id(0) * 4, 0]), 0))


def tallied(
    kernel: weft.JITFunction,
    signature: str,
    grid: Sequence[int],
    args: Sequence[Any],
    programs: Sequence[int] | None = None,
) -> LaunchStatistics:
    module = weft.compile(kernel, signature=signature, target="cpu").module("ttir")
    statistics = LaunchStatistics()
    prepared = interpreter.prepare(module, kernel.name)
    prepared.run(grid, args, statistics=statistics, programs=programs)
    return statistics


def test_bytes_count_once_and_masked_lanes_not_at_all():
    x, y, out = (np.zeros(100, np.float32) for _ in range(3))
    statistics = tallied(add, "*fp32, *fp32, *fp32, i32, 32", (4,), (x, y, out, 90))
    assert statistics.traffic() == {
        "x": Traffic(360, 0),
        "y": Traffic(64, 0),
        "out": Traffic(0, 360),
    }
    assert not statistics.operations


def test_some_programs():
    x, y, out = (np.zeros(100, np.float32) for _ in range(3))
    statistics = tallied(add, "*fp32, *fp32, *fp32, i32, 32", (4,), (x, y, out, 90), (1, 3))
    assert statistics.traffic()["x"].read == 4 * 32, "the last begins at 96"


@pytest.mark.parametrize(
    ("element", "dtype", "precision", "kind"),
    [
        ("fp32", np.float32, "tf32", "tf32"),
        ("fp32", np.float32, "ieee", "f32"),
        ("fp16", np.float16, "tf32", "f16"),
        ("bf16", ml_dtypes.bfloat16, "tf32", "bf16"),
        ("fp8e5", ml_dtypes.float8_e5m2, "tf32", "f8"),
    ],
)
def test_products_count_by_type_in_each_program(element, dtype, precision, kind):
    a, b, c = np.ones((48, 64), dtype), np.ones((64, 16), dtype), np.zeros((48, 16), np.float32)
    signature = f"*{element}, *{element}, *fp32, i32, '{precision}'"
    statistics = tallied(product, signature, (3,), (a, b, c, 64))
    assert statistics.operations == {kind: 2 * 48 * 16 * 64}
    assert statistics.traffic()["b"] == Traffic(b.nbytes, 0)
    assert statistics.traffic()["c"] == Traffic(0, c.nbytes)


@pytest.mark.parametrize(("format_", "kind", "k"), [("e2m1", "f4", 32), ("e4m3", "f8", 64)])
def test_scaled_products(format_, kind, k):
    a, b = np.zeros((16, k), np.uint8), np.ones((64, 16), np.float16)
    scale, c = np.full((16, 2), 127, np.uint8), np.zeros((16, 16), np.float32)
    signature = f"*u8, *fp16, *u8, *fp32, '{format_}', {k}"
    statistics = tallied(scaled, signature, (1,), (a, b, scale, c))
    assert statistics.operations == {kind: 2 * 16 * 16 * 64}


def test_atomics_read_and_write():
    x, bins, lock = np.array([3, 3, 5], np.int32), np.zeros(8, np.int32), np.zeros(1, np.int32)
    statistics = tallied(counts, "*i32, *i32, *i32", (3,), (x, bins, lock))
    assert statistics.traffic() == {
        "x": Traffic(12, 0),
        "bins": Traffic(8, 8),
        "lock": Traffic(4, 4),
    }


def test_tiles_of_descriptors():
    x, out = np.zeros((8, 16), np.float32), np.zeros(16, np.float32)
    statistics = tallied(by_descriptor, "*fp32, *fp32", (2,), (x, out))
    assert statistics.traffic() == {"x": Traffic(512, 0), "out": Traffic(0, 64)}


def test_an_access_out_of_bounds_is_still_an_error():
    x, y, out = (np.zeros(10, np.float32) for _ in range(3))
    with pytest.raises(OutOfBoundsError, match="outside of array x"):
        tallied(add, "*fp32, *fp32, *fp32, i32, 32", (1,), (x, y, out, 30))
