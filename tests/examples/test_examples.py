"""Every example agrees with numpy, for every type and on sizes that fill no tile."""

from __future__ import annotations

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from tests.examples.loading import EXAMPLES, FOLDER, GLUON_EXAMPLES, load
from tests.oracle import corpus

DTYPES = (np.float32, np.float16, ml_dtypes.bfloat16)
FP8 = (ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz)
dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)


def test_every_example_is_listed():
    names = {path.stem for path in FOLDER.glob("*.py")} - {"demo"}
    assert names == {*EXAMPLES, *GLUON_EXAMPLES}
    assert [name for name in EXAMPLES if not load(name).CASES] == []


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


@dtypes
@pytest.mark.parametrize(("rows", "columns"), [(1, 16), (37, 300)])
def test_layer_norm_backward(dtype, rows, columns):
    load("layer_norm_backward").check(dtype, rows, columns)


@dtypes
@pytest.mark.parametrize(("rows", "columns"), [(6, 2), (7, 256), (11, 781)])
def test_cross_entropy(dtype, rows, columns):
    load("cross_entropy").check(dtype, rows, columns)


@dtypes
@pytest.mark.parametrize("interleaved", [False, True], ids=["halves", "interleaved"])
@pytest.mark.parametrize(("tokens", "heads", "pairs"), [(3, 4, 32), (7, 5, 24), (1, 1, 1)])
def test_rotary_embedding(dtype, interleaved, tokens, heads, pairs):
    load("rotary_embedding").check(dtype, tokens, heads, pairs, interleaved)


@pytest.mark.parametrize("dtype", [*DTYPES, *FP8], ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (64, 32), (101, 75)])
def test_transpose(dtype, rows, columns):
    load("transpose").check(dtype, rows, columns)


@dtypes
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (64, 32), (101, 75)])
def test_gluon_transpose(dtype, rows, columns):
    load("gluon_transpose").check(dtype, rows, columns)


@dtypes
@pytest.mark.parametrize(("length", "bins"), [(100, 1), (4096, 64), (10_007, 10)])
def test_histogram(dtype, length, bins):
    load("histogram").check(dtype, length, bins)


@dtypes
@pytest.mark.parametrize("length", [1, 1024, 20_011])
def test_prefix_sum(dtype, length):
    load("prefix_scan").check(dtype, length)


@dtypes
@pytest.mark.parametrize(("rows", "length"), [(1, 1), (4, 128), (5, 300)])
def test_recurrence(dtype, rows, length):
    load("prefix_scan").check_recurrence(dtype, rows, length)


@dtypes
@pytest.mark.parametrize("b_columns", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize(("m", "n", "k"), [(64, 64, 32), (101, 75, 83)])
def test_matmul_block_pointer(dtype, b_columns, m, n, k):
    load("matmul_block_pointer").check(dtype, m, n, k, b_columns)


@pytest.mark.parametrize("dtype", [*DTYPES, *FP8], ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("from_host", [False, True], ids=["kernel", "host"])
@pytest.mark.parametrize(("m", "n", "k"), [(64, 64, 32), (101, 72, 80)])
def test_matmul_descriptor(dtype, from_host, m, n, k):
    out_dtype = np.float16 if dtype in FP8 else dtype
    load("matmul_descriptor").check(dtype, out_dtype, m, n, k, from_host)


@dtypes
@pytest.mark.parametrize("operand", FP8, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize(("m", "n", "k"), [(64, 64, 64), (101, 75, 83)])
def test_matmul_fp8(dtype, operand, m, n, k):
    load("matmul_fp8").check(operand, dtype, m, n, k)


@dtypes
@pytest.mark.parametrize("a_format", ["e2m1", "fp16", "bf16"])
@pytest.mark.parametrize(("m", "n", "k"), [(32, 64, 64), (37, 75, 96)])
def test_matmul_mxfp4(dtype, a_format, m, n, k):
    load("matmul_mxfp4").check(a_format, dtype, m, n, k)


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
    process = subprocess.run(
        [sys.executable, str(FOLDER / "demo.py")], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr
    for part in ("hip:gfx942  4 warps × 64 lanes", "cuda:90  4 warps × 32 lanes", "conversions"):
        assert part in process.stdout
    assert process.stdout.count("largest error") == 6
