"""On a GPU: loops that Hopper's warp specialization divides between warp groups, beside torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
import weft  # noqa: E402
from tests.oracle.kernels import warp_specialized as kernels  # noqa: E402

pytestmark = pytest.mark.device
SIZE = 512
SCALE = 0.125


def _allocate(size: int, alignment: int, stream: int | None) -> Any:
    """Allocate the global scratch memory of descriptors that the kernel makes."""
    return torch.empty(size, dtype=torch.int8, device="cuda")


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    weft.set_allocator(_allocate)
    torch.manual_seed(0)


def half(*shape: int) -> Any:
    return (torch.rand(*shape, device="cuda") - 0.5).half()


def product(kernel: Any, parameters: dict[str, Any], stages: int) -> None:
    a, b = half(SIZE, SIZE), half(SIZE, SIZE)
    c = torch.zeros(SIZE, SIZE, dtype=torch.float16, device="cuda")
    tiles = (SIZE // parameters["BM"], SIZE // parameters["BN"])
    grid = (parameters["PROGRAMS"],) if "PROGRAMS" in parameters else tiles
    launch(kernel, grid, stages, a, b, c, SIZE, SIZE, SIZE, **parameters)
    close(c, a.float() @ b.float().T)


def biased_product(kernel: Any, parameters: dict[str, Any], stages: int) -> None:
    a, b = half(SIZE, SIZE), half(SIZE, SIZE)
    bias = torch.rand(SIZE, device="cuda") - 0.5
    c = torch.zeros(SIZE, SIZE, dtype=torch.float16, device="cuda")
    launch(kernel, (parameters["PROGRAMS"],), stages, a, b, bias, c, SIZE, SIZE, SIZE, **parameters)
    close(c, torch.relu(a.float() @ b.float().T + bias))


def scaled_operand(kernel: Any, parameters: dict[str, Any], stages: int) -> None:
    a, b = half(SIZE, SIZE), half(SIZE, SIZE)
    scales = torch.rand(SIZE // parameters["BK"], device="cuda")
    c = torch.zeros(SIZE, SIZE, dtype=torch.float16, device="cuda")
    grid = (SIZE // parameters["BM"], SIZE // parameters["BN"])
    launch(kernel, grid, stages, a, b, scales, c, SIZE, SIZE, SIZE, **parameters)
    scaled = a.float() * scales.repeat_interleave(parameters["BK"])
    close(c, scaled.half().float() @ b.float().T)


def attention(kernel: Any, parameters: dict[str, Any], stages: int) -> None:
    heads = 4 if "PROGRAMS" in parameters else 1
    rows, width = heads * SIZE, parameters["D"]
    q, k, v = half(rows, width), half(rows, width), half(rows, width)
    o = torch.zeros_like(q)
    if heads > 1:
        launch(
            kernel, (parameters["PROGRAMS"],), stages, q, k, v, o, SIZE, heads, SCALE, **parameters
        )
    else:
        grid = (SIZE // parameters["BM"],)
        launch(kernel, grid, stages, q, k, v, o, SIZE, SCALE, **parameters)
    q, k, v = (each.float().reshape(heads, SIZE, width) for each in (q, k, v))
    scores = q @ k.transpose(1, 2) * SCALE
    if kernel is kernels.causal_attention:
        later = torch.ones(SIZE, SIZE, device="cuda", dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    # The kernels compute powers of two.
    weights = torch.softmax(scores * 0.6931471805599453, 2)
    close(o, (weights @ v).reshape(rows, width))


def two_results(kernel: Any, parameters: dict[str, Any], stages: int) -> None:
    a, b = half(SIZE, SIZE), half(SIZE, SIZE)
    c = torch.zeros(SIZE, SIZE, dtype=torch.float32, device="cuda")
    tile = parameters["BN"]
    grid = (SIZE // parameters["BM"], SIZE // tile)
    launch(kernel, grid, stages, a, b, c, SIZE, SIZE, SIZE, **parameters)
    expected = torch.zeros(SIZE, SIZE, device="cuda")
    for first in range(0, SIZE, parameters["BK"]):
        k = slice(first, first + parameters["BK"])
        step = (a[:, k].float() @ b[:, k].float().T).reshape(SIZE, SIZE // tile, tile)
        expected[:, ::tile] = torch.maximum(expected[:, ::tile], step.amax(2))
    close(c, expected)


def launch(kernel: Any, grid: tuple[int, ...], stages: int, *arguments: Any, **named: Any) -> None:
    """Launch a kernel and check that its loop was specialized."""
    compiled = kernel[grid](*arguments, **named, num_stages=stages)
    assert "ttg.warp_specialize(" in compiled.asm["ttgir"]
    torch.cuda.synchronize()


def close(actual: Any, expected: Any) -> None:
    torch.testing.assert_close(actual.float(), expected.float(), atol=2e-2, rtol=2e-2)


TILE = {"BM": 128, "BN": 128, "BK": 64}
CASES: tuple[tuple[Callable[..., None], Any, dict[str, Any]], ...] = (
    (product, kernels.product, TILE | {"STAGES": 3}),
    (product, kernels.product, {"BM": 64, "BN": 128, "BK": 128, "STAGES": 2}),
    (product, kernels.product, {"BM": 64, "BN": 256, "BK": 64, "STAGES": 3}),
    (product, kernels.persistent_product, TILE | {"PROGRAMS": 7, "FLATTEN": False, "PARTS": 1}),
    (product, kernels.persistent_product, TILE | {"PROGRAMS": 7, "FLATTEN": False, "PARTS": 2}),
    (biased_product, kernels.biased_product, TILE | {"PROGRAMS": 7}),
    (scaled_operand, kernels.scaled_operand, TILE),
    (attention, kernels.attention, {"BM": 128, "BN": 128, "D": 64, "STAGES": 3}),
    (attention, kernels.attention, {"BM": 128, "BN": 64, "D": 128, "STAGES": 2}),
    (attention, kernels.attention, {"BM": 64, "BN": 64, "D": 64, "STAGES": 2}),
    (attention, kernels.causal_attention, {"BM": 128, "BN": 64, "D": 64}),
    (attention, kernels.persistent_attention, {"BM": 128, "BN": 64, "D": 64, "PROGRAMS": 5}),
    (two_results, kernels.two_results, TILE),
)


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize(
    ("check", "kernel", "parameters"),
    CASES,
    ids=[f"{case[1].name}-{number}" for number, case in enumerate(CASES)],
)
def test_results_are_those_of_torch(check, kernel, parameters, stages):
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("warp specialization on Hopper needs sm_90")
    check(kernel, dict(parameters), stages)
