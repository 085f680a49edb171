"""The names of Triton's `standard` module, private ones included."""

# Aliases are looked up lazily.
# pyright: reportCallIssue=false
from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.language import standard
from weft.language.constexpr import ConstexprFunction
from weft.language.kernel_function import KernelFunction

# What Triton's module imports, and a function for host code.
NO_COUNTERPART = {"annotations", "jit"}


@pytest.mark.oracle
def test_every_name_of_triton_has_a_counterpart():
    theirs = pytest.importorskip("triton.language.standard")
    names = {name for name in dir(theirs) if not name.startswith("__")}
    assert not {name for name in names - NO_COUNTERPART if not hasattr(standard, name)}


def test_aliases_are_functions_of_kernels():
    for name in standard._ALIASES:
        if name not in ("core", "math"):
            assert isinstance(getattr(standard, name), KernelFunction | ConstexprFunction), name
            assert name in dir(standard)
    assert standard.core is tl  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError, match="no_such_name"):
        standard.no_such_name  # pyright: ignore  # noqa: B018


def test_functions_of_constants():
    log2, is_power, flip_dim, int_dtype = (
        getattr(standard, name)
        for name in ("_log2", "_is_power_of_two", "_get_flip_dim", "_get_int_dtype")
    )
    assert [log2(n) for n in (0, 1, 2, 3, 64)] == [0, 0, 1, 1, 6]
    assert [is_power(n) for n in (0, 1, 2, 3, 64)] == [False, True, True, False, True]
    assert [flip_dim(dim, (2, 4)) for dim in (None, -1, -2, 0)] == [1, 1, 0, 0]
    assert int_dtype(16, False) == tl.uint16


@weft.jit
def reduced(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(out, tl.reduce(value, 0, tl.standard._sum_combine))
    tl.store(out + 1, tl.reduce(value, 0, tl.standard._elementwise_max))
    _, at = tl.reduce((value, i), 0, tl.standard._argmin_combine_tie_break_left)
    tl.store(out + 2, at.to(tl.float32))
    tl.store(out + 3, tl.standard._log2(N) * 1.0)


@weft.jit
def merged(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    steps: tl.constexpr = tl.standard._log2(N)
    value = tl.load(x + i)
    for stage in tl.static_range(1, steps + 1):
        value = tl.standard._bitonic_merge(value, stage, 2 if stage < steps else 1, steps)
    tl.store(out + i, value)


def test_kernels_use_private_functions():
    x = np.random.default_rng(0).permutation(64).astype(np.float32)
    out = np.zeros(4, np.float32)
    reduced[(1,)](x, out, N=64)
    assert out.tolist() == [x.sum(), 63, x.argmin(), 6]
    values = np.zeros(64, np.float32)
    merged[(1,)](x, values, N=64)
    assert values.tolist() == sorted(x.tolist(), reverse=True)


@weft.jit
def largest(x, out, K: tl.constexpr, N: tl.constexpr, descending: tl.constexpr):
    row, column = tl.arange(0, 4)[:, None], tl.arange(0, N)[None, :]
    value = tl.load(x + row * N + column)
    chosen = tl.topk(value, K, descending=descending)
    tl.store(out + row * K + tl.arange(0, K)[None, :], chosen)


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.float32])
@pytest.mark.parametrize("k", [1, 4, 16, 32])
def test_topk_of_either_end(k, dtype, descending):
    x = np.random.default_rng(k).integers(-50, 50, (4, 32)).astype(dtype)
    out = np.zeros((4, k), dtype)
    largest[(1,)](x, out, K=k, N=32, descending=descending)
    ordered = np.sort(x, axis=1)
    expected = ordered[:, ::-1] if descending else ordered
    np.testing.assert_array_equal(out, expected[:, :k])


@weft.jit
def uniform(out, seed):
    tl.store(out + tl.arange(0, 4), tl.rand(seed, tl.arange(0, 4)))


@pytest.mark.parametrize("seed", [2.5, np.zeros(1, np.int32)])
def test_a_seed_is_an_integer(seed):
    out = np.zeros(4, np.float32)
    uniform[(1,)](out, 7)
    assert np.all((0 <= out) & (out < 1))
    with pytest.raises(weft.errors.CompilationError, match="requires an integer seed"):
        uniform[(1,)](out, seed)
