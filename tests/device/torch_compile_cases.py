"""Functions under torch.compile, beside the same functions run eagerly: one case per process.

python -m tests.device.torch_compile_cases flex        # with `import triton` finding weft
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from typing import Any, cast

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from triton.tools.tensor_descriptor import TensorDescriptor

__all__ = ["CASES"]

# Any: where Triton is not installed, a type checker takes a decorated function for a plain one.
jit = cast(Any, triton.jit)
autotune = cast(Any, triton.autotune)


@jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@autotune([triton.Config({"BLOCK": size}) for size in (256, 1024)], key=["n"])
@jit
def exp_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.exp(tl.load(x + i, mask=i < n)), mask=i < n)


@jit
def increment_tiles(x, out, M: tl.constexpr, N: tl.constexpr):
    first = tl.program_id(0) * M
    i = (first + tl.arange(0, M))[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + i, x.load([first, 0]) + 1)


@triton_op("weft_tests::add", mutates_args={})
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(add_kernel)[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, device="cuda", dtype=dtype)


def compare(
    function: Callable[..., torch.Tensor], *args: torch.Tensor, tolerance: float = 1e-5
) -> None:
    """Compare a compiled function with the eager one, and their gradients if there are any."""
    expected, result = function(*args), torch.compile(function, fullgraph=True)(*args)
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
    inputs = [each for each in args if each.requires_grad]
    if inputs:
        ones = torch.ones_like(result)
        gradients = (torch.autograd.grad(each, inputs, ones) for each in (result, expected))
        torch.testing.assert_close(*gradients, rtol=tolerance, atol=5 * tolerance)


def flex() -> None:
    """Flex attention with a modified score and a block mask, forward and backward."""
    qkv = [random(2, 4, 1024, 64).requires_grad_() for _ in range(3)]
    mask = create_block_mask(lambda b, h, m, n: m >= n, None, None, 1024, 1024)
    compare(
        lambda q, k, v: flex_attention(q, k, v, lambda s, b, h, m, n: s + (m - n) * 0.01, mask),
        *qkv,
        tolerance=2e-2,
    )


def flex_decoding() -> None:
    q, k, v = random(4, 16, 1, 64), random(4, 4, 2048, 64), random(4, 4, 2048, 64)
    compare(lambda q, k, v: flex_attention(q, k, v, enable_gqa=True), q, k, v, tolerance=1e-2)


def user_kernels() -> None:
    """Kernels that the user launches: plain, tuned, with a host descriptor, as an operator."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        n = x.numel()
        total, exponential, tiles = (torch.empty_like(x) for _ in range(3))
        add_kernel[(triton.cdiv(n, 512),)](x.sin(), y, total, n, BLOCK=512)
        exp_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](total, exponential, n)
        described = TensorDescriptor.from_tensor(exponential, [64, 64])
        increment_tiles[(x.shape[0] // 64,)](described, tiles, 64, 64)
        return add(tiles.relu(), y) * 2

    compare(function, random(256, 64), random(256, 64))


def streams() -> None:
    """One compiled function in two streams."""
    function = torch.compile(lambda x: (x.softmax(1) + x.cumsum(1)).relu())
    x = random(512, 512)
    expected = (x.softmax(1) + x.cumsum(1)).relu()
    for _ in range(2):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            result = function(x)
        stream.synchronize()
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)


def aot_inductor() -> None:
    """torch.export, compiled ahead of time to a package, loaded and called."""

    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return add(x.softmax(1), y).relu().sum(1)

    args = random(300, 200), random(300, 200)
    program = torch.export.export(Model(), args)
    with tempfile.TemporaryDirectory() as folder:
        path = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/m.pt2")
        result = torch._inductor.aoti_load_package(path)(*args)
    torch.testing.assert_close(result, Model()(*args), rtol=1e-4, atol=1e-4)


CASES = {each.__name__: each for each in (flex, flex_decoding, user_kernels, streams, aot_inductor)}


if __name__ == "__main__":
    CASES[sys.argv[1]]()
