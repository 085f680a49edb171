"""Run final TTGIR with clusters, partitions, direct-to-LDS copies and TDM; compare with numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.matmul_kernels import substitute
from weft.errors import LaunchError
from weft.interpreter import run
from weft.ir import tt
from weft.ir.text import parse_module

GOLDEN = Path(__file__).parents[1] / "codegen" / "golden"


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.ttgir").read_text()


def execute(text: str, arguments: list[object], grid: tuple[int, ...] = (1,)) -> None:
    module = parse_module(text)
    kernel = next(op for op in module.walk() if isinstance(op, tt.FuncOp) and op.is_public)
    run(module, kernel.symbol, grid, arguments)


def random(*shape: int, dtype: type = np.float16, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def fields(array: np.ndarray) -> list[object]:
    """A descriptor that the host makes: its sizes and strides are arguments, too."""
    rows, columns = array.shape
    return [array, rows, columns, columns, 1]


@pytest.mark.parametrize(
    ("name", "rows", "columns", "depth", "grid"),
    [
        ("multicast_matmul", 512, 128, 384, (2, 1)),
        ("pairs_matmul", 512, 256, 128, (1, 1)),
        ("pairs_specialised", 256, 128, 192, (1, 1)),
    ],
)
def test_clusters(name, rows, columns, depth, grid):
    a, b = random(rows, depth), random(depth, columns, seed=1)
    c = np.zeros((rows, columns), np.float16)
    execute(golden(name), [*fields(a), *fields(b), *fields(c), depth], grid)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 5e-2)


def test_partitions_of_a_cluster():
    a, b = random(128, 256), random(256, 128, seed=1)
    c = np.zeros((128, 128), np.float16)
    buffers = (x.reshape(-1) for x in (a, b, c))
    execute(golden("specialised_cluster"), [*buffers, 128, 128, 256], (1, 1))
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 5e-2)


def test_partitions_of_a_matmul():
    a, b, c = random(136, 96), random(128, 96, seed=1), np.zeros((136, 128), np.float16)
    text = golden("specialised_matmul")
    execute(text, [a, b, c, 136, 128, 96], (2,))
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 5e-2)


@pytest.mark.parametrize("name", ["specialised_attention", "specialised_tensor_memory"])
def test_partitions_of_attention(name):
    q, k, v = (random(256, 64, seed=seed) for seed in range(3))
    out = np.zeros((256, 64), np.float16)
    rows = 128 if name == "specialised_attention" else 256
    q, k, v, out = q[:rows], k[:rows], v[:rows], out[:rows]
    execute(golden(name), [q, k, v, out, rows, 0.18], (rows // 64,) if rows == 128 else (1, 1))
    scores = q.astype(np.float32) @ k.astype(np.float32).T * 0.18
    weights = np.exp2(scores - scores.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ v.astype(np.float32)
    written_rows = slice(None) if rows == 128 else slice(128)
    actual = out.astype(np.float32)[written_rows]
    np.testing.assert_allclose(actual, expected[written_rows], 1e-2, 2e-3)


@pytest.mark.parametrize("turns", [1, 5])
def test_copies_to_lds_in_groups(turns):
    x, y = random(turns + 2, 64, 64), np.zeros((64, 64), np.float32)
    execute(golden("gfx950_copies_in_groups"), [x, y, turns])
    np.testing.assert_allclose(y, x[:turns].astype(np.float32).sum(axis=0), 1e-5, 1e-5)


def test_a_wait_for_too_few_groups_of_copies_reads_undefined_elements():
    x, y = random(7, 64, 64), np.zeros((64, 64), np.float32)
    text = substitute(
        r"ttg.async_wait \{num = 2 : i32\}",
        "ttg.async_wait {num = 9 : i32}",
        golden("gfx950_copies_in_groups"),
    )
    execute(text, [x, y, 5])
    assert np.isnan(y).all()


def test_waits_for_instructions_are_refused():
    text = substitute(
        r"ttg.async_wait \{num = 2 : i32\}",
        "amdg.async_wait {num_inst = 4 : i32}",
        golden("gfx950_copies_in_groups"),
    )
    with pytest.raises(LaunchError, match="does not count the instructions of a copy"):
        execute(text, [random(7, 64, 64), np.zeros((64, 64), np.float32), 5])


def test_copies_arrive_on_lds_barriers():
    x, y = random(1024, dtype=np.float32), np.zeros(1024, np.float32)
    text = golden("gfx1250_copies_that_arrive")
    execute(text, [x, y, 1000])
    np.testing.assert_array_equal(y[:1000], x[:1000])
    assert not y[1000:].any()
    with pytest.raises(LaunchError, match="deadlock"):
        execute(substitute(r".*amdg.async_copy_mbarrier_arrive.*\n", "", text), [x, y, 1000])


def test_tdm_copies_arrive_on_lds_barriers():
    x, y = random(70, 80), np.zeros((70, 80), np.float16)
    text = golden("gfx1250_tiles_that_arrive")
    execute(text, [x, y, 70, 80, 3, 8])
    expected = np.zeros_like(x)
    expected[3:67, 8:72] = x[3:67, 8:72]
    np.testing.assert_array_equal(y, expected)
    y[...] = 0
    execute(substitute(r".*amdg.wait_barrier.*\n", "", text), [x, y, 70, 80, 3, 8])
    assert np.isnan(y).any()


def test_tdm_copies_of_five_dimensions():
    shape = (4, 3, 5, 9, 24)
    x, y = random(*shape), np.zeros(shape, np.float16)
    execute(golden("gfx1250_tile_of_five"), [x, y, *shape])
    place = tuple(slice(size - n, None) for size, n in zip(shape, (3, 2, 1, 4, 5), strict=True))
    expected = np.zeros_like(x)
    expected[place][:2] = x[place][:2]
    np.testing.assert_array_equal(y, expected)


def test_a_prefetch_has_no_effect():
    x, y = random(30, 80), np.zeros((32, 64), np.float16)
    execute(golden("gfx1250_tile_prefetched"), [x, y, 30, 80, 20, 16, 1])
    np.testing.assert_array_equal(y[:10], x[20:, 16:])
    assert not y[10:].any()


@pytest.mark.parametrize("turns", [1, 5])
def test_partitions_on_gfx1250(turns):
    x, y = random(32, 64 * turns), np.zeros((32, 64), np.float32)
    execute(golden("gfx1250_specialised_sum"), [x, y, 32, 64 * turns, turns])
    expected = x.reshape(32, turns, 64).astype(np.float32).sum(axis=1)
    np.testing.assert_allclose(y, expected, 1e-5, 1e-5)
