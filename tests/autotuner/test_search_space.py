"""The search space holds every legal tiling by powers of two once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda
from weft.errors import LaunchError

DOT = {"tile": ("M", "N"), "reduced": ("K",), "target": "cuda:90"}


def expected_tilings(lanes: int, max_warps: int) -> set[tuple[int, int, int]]:
    """Compute M, N and the warps of every legal tiling of two dimensions."""
    tiles, micros, nanos = (32, 64, 128), (8, 16, 32), (1, 2, 4)
    tilings = set()
    for m, n, a, b, i, j in itertools.product(tiles, tiles, micros, micros, nanos, nanos):
        warps = (m // a) * (n // b)
        if (a // i) * (b // j) >= lanes and warps <= max_warps:
            tilings.add((m, n, warps))
    return tilings


@pytest.mark.parametrize(
    ("chip", "lanes"), [("cuda:90", 32), ("hip:gfx942", 64), ("hip:gfx1100", 32)]
)
def test_all_legal_tilings_occur_once(chip, lanes):
    space = weft.search_space(("M", "N"), target=chip)
    tilings = [(each.kwargs["M"], each.kwargs["N"], each.num_warps) for each in space]
    assert len(tilings) == len(set(tilings))
    assert set(tilings) == expected_tilings(lanes, 1024 // lanes)


def test_parameters_for_micro_and_nano_tiles():
    space = weft.search_space(("N",), micro=("MICRO",), nano=("NANO",), target="cuda:90")
    tilings = {(c.kwargs["N"], c.kwargs["MICRO"], c.kwargs["NANO"], c.num_warps) for c in space}
    assert tilings == {(32, 32, 1, 1), (64, 32, 1, 2), (128, 32, 1, 4)}


def test_operands_of_a_dot_fit_into_shared_memory():
    for config in weft.search_space(**DOT, num_stages=(2, 4), element_bytes=4):
        sizes = config.kwargs
        operand_bytes = (sizes["M"] + sizes["N"]) * sizes["K"] * 4 * config.num_stages  # pyright: ignore[reportOperatorIssue]
        assert operand_bytes <= 232448
    stages = {c.num_stages for c in weft.search_space(**DOT, num_stages=(2, 4))}
    assert stages == {2, 4}
    small = weft.search_space(**{**DOT, "target": "hip:gfx942"})
    assert not any(c.kwargs["M"] == c.kwargs["N"] == c.kwargs["K"] == 128 for c in small)


def test_other_ranges_and_fixed_parameters():
    space = weft.search_space(
        ("N",), tile_sizes=(256, 512), micro_sizes=(64, 128), nano_sizes=(2, 2),
        fixed={"GROUP": 8}, target="cuda:90",
    )  # fmt: skip
    assert [str(c) for c in space] == [
        "N: 256, GROUP: 8, num_warps: 4, num_ctas: 1, num_stages: 3",
        "N: 256, GROUP: 8, num_warps: 2, num_ctas: 1, num_stages: 3",
        "N: 512, GROUP: 8, num_warps: 8, num_ctas: 1, num_stages: 3",
        "N: 512, GROUP: 8, num_warps: 4, num_ctas: 1, num_stages: 3",
    ]


def test_default_target_is_the_current_gpu_or_the_cpu(monkeypatch):
    warps = {c.num_warps for c in weft.search_space(("M", "N"), tile_sizes=(128, 128))}
    assert warps == {16, 32, 64}, "the CPU device has one lane per warp"
    FakeCuda(monkeypatch, capability=80)
    assert weft.search_space(("M", "N")) == weft.search_space(("M", "N"), target="cuda:80")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"tile": "M"}, "needs the parameters of the tile's sizes"),
        ({"tile": ()}, "needs the parameters of the tile's sizes"),
        ({"tile_sizes": (32, 100)}, "tile_sizes of search_space must be a range of powers of two"),
        ({"micro_sizes": (16, 8)}, "micro_sizes of search_space must be a range"),
        ({"nano_sizes": (0, 4)}, "nano_sizes of search_space must be a range"),
        ({"micro": ("A",)}, "needs one micro parameter per tile parameter"),
        ({"nano": ("A", "B", "C")}, "needs one nano parameter per tile parameter"),
        ({"fixed": {"M": 3}}, "sets a parameter more than once"),
        ({"nano_sizes": (64, 64)}, "cuda:90 can run no tiling of this search space"),
        ({"micro_sizes": (256, 256)}, "with a micro-tile larger than its tile"),
        ({"tile_sizes": (4096, 4096)}, "with more than 32 warps in a block"),
        ({"nano_sizes": (32, 32)}, "fewer nano-tiles than the 32 lanes of a warp"),
        ({"element_bytes": 1 << 20}, "with operands of more than 232448 bytes"),
    ],
)
def test_wrong_arguments_are_an_error(arguments, text):
    with pytest.raises(LaunchError) as caught:
        weft.search_space(**{**DOT, **arguments})
    assert text in str(caught.value)


@weft.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, WIDTH: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, K, STEP):
        k = start + tl.arange(0, STEP)
        x = tl.load(a + rows[:, None] * K + k[None, :])
        y = tl.load(b + k[:, None] * WIDTH + columns[None, :])
        total += tl.dot(x, y)
    tl.store(c + rows[:, None] * WIDTH + columns[None, :], total)


def test_autotune_over_a_search_space():
    space = weft.search_space(
        ("M", "N"), reduced=("STEP",), tile_sizes=(32, 64), fixed={"WIDTH": 64}, target="cuda:90"
    )
    tuned = weft.autotune(space, key=["K"], warmup=0, rep=0)(matmul)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    c = np.zeros((64, 64), np.float32)
    tuned[lambda meta: (64 // meta["M"], 64 // meta["N"])](a, b, c, 64)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    assert set(tuned.configs_timings) == set(space)
    assert tuned.best_config in space
