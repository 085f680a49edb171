"""Approximate functions, within the accuracy of f32."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ptx.run_ptx import run

X = np.random.default_rng(7).normal(size=400).astype(np.float32)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ex2.approx.ftz.f32 $0, $1;", np.exp2),
        ("lg2.approx.f32 $0, $1;", np.log2),
        ("tanh.approx.f32 $0, $1;", np.tanh),
        ("sin.approx.f32 $0, $1;", np.sin),
        ("cos.approx.f32 $0, $1;", np.cos),
        ("rsqrt.approx.ftz.f32 $0, $1;", lambda x: 1 / np.sqrt(x)),
        ("sqrt.rn.f32 $0, $1;", np.sqrt),
        ("rcp.approx.ftz.f32 $0, $1;", lambda x: 1 / x),
        ("div.full.f32 $0, 1.0, $1;", lambda x: 1 / x),
        ("copysign.f32 $0, -2.0, $1;", lambda x: -x),
    ],
)
def test_functions(text, expected):
    x = np.abs(X) + np.float32(0.01)
    exact = expected(x.astype(np.float64))
    assert np.allclose(run(text, np.float32, x), exact, rtol=6e-8, atol=1e-9)
