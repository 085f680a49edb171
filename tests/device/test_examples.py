"""On a GPU: examples and products against torch.  python -m pytest -m device tests/device"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.device

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
TOLERANCE = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def random(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(3, 5), (64, 1000), (257, 4096)], ids=str)
def test_softmax(dtype, shape):
    from examples.softmax import launch

    x = random(*shape, dtype=dtype)
    out = torch.empty_like(x)
    launch(x, out)
    expected = torch.softmax(x.float(), 1)
    torch.testing.assert_close(out.float(), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_transpose(dtype):
    from examples.transpose import launch

    x = random(517, 389, dtype=dtype)
    out = torch.empty(389, 517, device="cuda", dtype=dtype)
    launch(x, out)
    assert torch.equal(out, x.T)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("sizes", [(64, 64, 64), (1000, 776, 520), (129, 257, 65)], ids=str)
@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_matmul(dtype, sizes, warps):
    from examples.matmul import matmul

    m, n, k = sizes
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    c = torch.empty(m, n, device="cuda", dtype=dtype)
    grid = (-(-m // 64) * -(-n // 64),)
    strides = (a.stride(0), b.stride(0), c.stride(0))
    blocks = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP": 8, "ACTIVATION": "none"}
    matmul[grid](a, b, c, m, n, k, *strides, **blocks, num_warps=warps)
    expected = (a.float() @ b.float()).to(dtype)
    torch.testing.assert_close(c, expected, rtol=TOLERANCE[dtype], atol=0.25)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("head", [32, 64, 128])
def test_attention(dtype, causal, head):
    from examples.attention import launch

    q, k, v = (random(4, 333, head, dtype=dtype) for _ in range(3))
    out = torch.empty_like(q)
    launch(q, k, v, out, causal)
    scaled = torch.nn.functional.scaled_dot_product_attention
    expected = scaled(q[None].float(), k[None].float(), v[None].float(), is_causal=causal)[0]
    torch.testing.assert_close(out.float(), expected, rtol=2e-2, atol=2e-2)
