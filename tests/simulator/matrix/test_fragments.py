"""Fragments: every element of a matrix has a position, and products match numpy."""

from __future__ import annotations

import numpy as np
import pytest

from weft.simulator.matrix.fragments import (
    Shape,
    mfma_shape,
    mma_shape,
    multiply,
    to_tf32,
    wmma_shape,
)

SHAPES = {
    "mma f16": mma_shape(16, 16, 16),
    "mma f64": mma_shape(8, 4, 64),
    "mfma 32x32x8": mfma_shape(32, 32, 8, is_f64=False),
    "mfma 16x16x4 f64": mfma_shape(16, 16, 4, is_f64=True),
    "wmma gfx12": wmma_shape(16, 8),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_positions_cover_each_matrix_once(shape: Shape):
    for positions, size in (
        (shape.a, shape.m * shape.k),
        (shape.b, shape.n * shape.k),
        (shape.d, shape.m * shape.n),
    ):
        assert len(np.unique(positions.reshape(-1, 2), axis=0)) == size
        assert positions.shape[0] * positions.shape[1] == size


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_products(shape: Shape):
    random = np.random.default_rng(0)
    a, b = (random.integers(-4, 5, (rows, shape.k)) for rows in (shape.m, shape.n))
    lanes = shape.a.shape[0]
    left, right = (
        matrix[positions[..., 0], positions[..., 1]]
        for matrix, positions in ((a, shape.a), (b, shape.b))
    )
    d = multiply(shape, left, right, np.ones((lanes, shape.d.shape[1]), np.float32))
    expected = (a @ b.T + 1)[shape.d[..., 0], shape.d[..., 1]]
    np.testing.assert_array_equal(d, expected)


def test_tf32_is_truncated():
    value = np.array([0x3F801FFF], np.uint32).view(np.float32)
    assert to_tf32(value).tolist() == [1.0]
