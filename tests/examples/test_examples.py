"""Every example agrees with numpy, for every type and on sizes that fill no tile."""

from __future__ import annotations

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from tests.examples.loading import FOLDER, load
from tests.oracle import corpus

DTYPES = (np.float32, np.float16, ml_dtypes.bfloat16)
dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)


@dtypes
@pytest.mark.parametrize("length", [1, 1000, 5000])
def test_vector_add(dtype, length):
    load("vector_add").check(dtype, length)


@dtypes
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (7, 100), (33, 781)])
def test_softmax(dtype, rows, columns):
    load("softmax").check(dtype, rows, columns)


@dtypes
@pytest.mark.parametrize(("rows", "columns"), [(3, 256), (5, 1153)])
def test_layer_norm(dtype, rows, columns):
    load("layer_norm").check(dtype, rows, columns)


@dtypes
@pytest.mark.parametrize("activation", ["none", "relu", "silu"])
@pytest.mark.parametrize(("m", "n", "k"), [(64, 64, 32), (101, 75, 83)])
def test_matmul(dtype, activation, m, n, k):
    load("matmul").check(dtype, m, n, k, activation)


@dtypes
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize(("length", "head"), [(64, 32), (137, 64), (20, 16)])
def test_attention(dtype, causal, length, head):
    load("attention").check(dtype, 2, length, head, causal)


@pytest.mark.parametrize("target", ["hip:gfx942", "hip:gfx1201", "cuda:80", "cuda:90"])
@pytest.mark.parametrize("name", sorted({path.stem for path, _ in corpus.EXAMPLES}))
def test_every_case_compiles(name, target):
    import weft

    for kernel, signature, constexprs, options, *chips in load(name).CASES:
        if chips and target not in chips[0]:
            continue
        compiled = weft.compile(
            kernel, signature=signature, constexprs=constexprs, target=target, **options
        )
        assert f'ttg.target = "{target}"' in compiled.asm["ttgir"]


def test_the_demo_runs():
    done = subprocess.run(
        [sys.executable, str(FOLDER / "demo.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("hip:gfx942  4 warps × 64 lanes", "cuda:90  4 warps × 32 lanes", "conversions"):
        assert part in done.stdout
    assert done.stdout.count("largest error") == 6
