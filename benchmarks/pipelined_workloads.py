"""Inputs, configurations and expected results of the kernels of pipelined_kernels.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

__all__ = ["Compiler", "Configuration", "Workload", "largest_error", "workloads"]

F16, BF16, F32 = torch.float16, torch.bfloat16, torch.float32
FP8 = torch.float8_e4m3fn
Tensors = tuple[torch.Tensor, ...]
_NAMES = {F16: "f16", BF16: "bf16"}


@dataclass(frozen=True, slots=True)
class Compiler:
    """One of the two compilers.

    Attributes:
        name: "weft" or "Triton".
        kernels: The module pipelined_kernels, loaded for it.
        descriptor: Makes a descriptor of a tensor and the shape of a tile.
    """

    name: str
    kernels: Any
    descriptor: Callable[[torch.Tensor, list[int]], Any]


@dataclass(frozen=True, slots=True)
class Configuration:
    """Sizes of tiles and launch options.

    Attributes:
        tile: BM, BN, BK of a matmul; M, N of attention.
        num_warps: Warps of a program.
        num_stages: Stages of the software pipeline.
    """

    tile: tuple[int, ...]
    num_warps: int
    num_stages: int

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.tile))} w{self.num_warps} s{self.num_stages}"

    @property
    def options(self) -> dict[str, int]:
        return {"num_warps": self.num_warps, "num_stages": self.num_stages}


@dataclass(frozen=True, slots=True)
class Workload:
    """One kernel, or several in a row, on tensors of one size.

    Attributes:
        name: For the table.
        configurations: What both compilers choose from.
        launch: Launches the kernels of a compiler in a configuration; returns what the launches do.
        outputs: The tensors that the kernels write.
        expected: Computes their expected contents with torch.
        flops: Multiplications and additions.
        bound: The bound of the error.
    """

    name: str
    configurations: tuple[Configuration, ...]
    launch: Callable[[Compiler, Configuration], tuple[Any, ...]]
    outputs: Tensors
    expected: Callable[[], Tensors]
    flops: float
    bound: float = 1e-2


def largest_error(outputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> float:
    """Compute the largest error, relative to the largest expected number of its tensor."""
    return max(
        ((result.float() - right.float()).abs().max() / right.float().abs().max()).item()
        for result, right in zip(outputs, expected, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes tensors on a device.

    Attributes:
        device: "cuda", or "cpu" for the interpreter.
        full: Whether sizes are those of a benchmark.
        sms: The number of persistent programs.
    """

    device: str
    full: bool
    sms: int = field(default=3)

    def normal(self, *shape: int, dtype: torch.dtype = F32) -> torch.Tensor:
        return torch.randn(*shape, device=self.device).to(dtype)

    def zeros(self, *shape: int, dtype: torch.dtype = F32) -> torch.Tensor:
        return torch.zeros(*shape, device=self.device, dtype=dtype)


def workloads(device: str, *, full: bool) -> Iterator[tuple[str, Callable[[], Workload]]]:
    """List the name of each workload and what makes it.

    Args:
        device: "cuda", or "cpu" for the interpreter.
        full: Whether sizes fill a GPU, or are those that an interpreter can run.
    """
    sms = torch.cuda.get_device_properties(0).multi_processor_count if device == "cuda" else 3
    make = _Maker(device, full, sms)
    sides = (1024, 2048, 4096, 8192) if full else (64,)
    ragged = (3000, 5000, 1000) if full else (72, 104, 40)
    sizes = [*((side, side, side) for side in sides), ragged]
    for dtype in (F16, BF16):
        for size in sizes:
            for kind in (
                "pointers", "block_pointers", "descriptors", "persistent", "persistent_descriptors",
            ):  # fmt: skip
                name = f"matmul {kind.replace('_', ' ')} {_NAMES[dtype]} {_label(size)}"
                yield name, partial(matmul, make, name, kind, dtype, size)
    for size in sizes[-4:-1]:
        name = f"matmul fp8 {_label(size)}"
        yield name, partial(matmul_fp8, make, name, size)
    yield "matmul grouped f16", partial(matmul_grouped, make, "matmul grouped f16")
    for direction, kind in (("forward", attention_forward), ("backward", attention_backward)):
        for width in (64, 128) if full else (16,):
            for causal in (False, True):
                name = f"attention {direction} D {width} {'causal' if causal else 'full'}"
                yield name, partial(kind, make, name, width, causal)


_MATMUL = (
    Configuration((128, 256, 64), 8, 3),
    Configuration((128, 128, 64), 8, 3),
    Configuration((128, 128, 64), 4, 4),
    Configuration((128, 128, 32), 4, 4),
    Configuration((64, 256, 64), 4, 4),
    Configuration((64, 128, 64), 4, 4),
)
_FP8 = (
    Configuration((128, 256, 128), 8, 3),
    Configuration((128, 128, 128), 8, 3),
    Configuration((128, 128, 128), 4, 4),
    Configuration((64, 128, 128), 4, 4),
)
_FORWARD = (
    Configuration((128, 128), 8, 2),
    Configuration((128, 128), 8, 3),
    Configuration((128, 64), 8, 3),
    Configuration((128, 64), 4, 3),
    Configuration((64, 64), 4, 3),
)
_BACKWARD = (
    Configuration((64, 128), 8, 2),
    Configuration((64, 128), 8, 3),
    Configuration((32, 128), 8, 3),
    Configuration((64, 64), 4, 2),
    Configuration((32, 64), 4, 3),
)
_SMALL = (Configuration((32, 32, 32), 4, 3),)
_SMALL_ATTENTION = (Configuration((32, 16), 4, 3),)


def _label(size: Sequence[int]) -> str:
    return str(size[0]) if len({*size}) == 1 else "x".join(map(str, size))


def _tiles(m: int, n: int, config: Configuration) -> int:
    return -(-m // config.tile[0]) * -(-n // config.tile[1])


def matmul(
    make: _Maker, name: str, kind: str, dtype: torch.dtype, size: tuple[int, int, int]
) -> Workload:
    """Multiply two matrices."""
    m, n, k = size
    by_descriptor, persistent = kind.endswith("descriptors"), kind.startswith("persistent")
    a, b, c = (
        make.normal(m, k, dtype=dtype),
        make.normal(k, n, dtype=dtype),
        make.zeros(m, n, dtype=dtype),
    )
    b_rows = b.T.contiguous()

    def launch(compiler: Compiler, config: Configuration) -> tuple[Any, ...]:
        bm, bn, bk = config.tile
        tiles = _tiles(m, n, config)
        kernel = getattr(compiler.kernels, f"matmul_{kind}")[
            (min(make.sms, tiles) if persistent else tiles,)
        ]
        if by_descriptor:
            pairs = ((a, [bm, bk]), (b_rows, [bn, bk]), (c, [bm, bn]))
            descriptors = [compiler.descriptor(tensor, tile) for tensor, tile in pairs]
            return (kernel(*descriptors, m, n, k, **config.options),)
        return (kernel(a, b, c, m, n, k, BM=bm, BN=bn, BK=bk, **config.options),)

    return Workload(
        name,
        _MATMUL if make.full else _SMALL,
        launch,
        (c,),
        lambda: ((a.float() @ b.float()),),
        2.0 * m * n * k,
    )


def matmul_fp8(make: _Maker, name: str, size: tuple[int, int, int]) -> Workload:
    """Multiply matrices of 8-bit floats with scales of rows and columns."""
    m, n, k = size
    a, b = make.normal(m, k, dtype=FP8), make.normal(n, k, dtype=FP8)
    a_scale, b_scale = make.normal(m).abs(), make.normal(n).abs()
    c = make.zeros(m, n, dtype=F16)

    def launch(compiler: Compiler, config: Configuration) -> tuple[Any, ...]:
        bm, bn, bk = config.tile
        kernel = compiler.kernels.matmul_fp8[(_tiles(m, n, config),)]
        arguments = (a, b, c, a_scale, b_scale, m, n, k)
        return (kernel(*arguments, BM=bm, BN=bn, BK=bk, **config.options),)

    def expected() -> Tensors:
        return ((a.float() @ b.float().T) * a_scale[:, None] * b_scale[None, :],)

    # Tensor cores of Hopper keep 14 bits of sums of 8-bit products.
    return Workload(
        name,
        _FP8 if make.full else _SMALL,
        launch,
        (c,),
        expected,
        2.0 * m * n * k,
        bound=2e-2,
    )


def matmul_grouped(make: _Maker, name: str) -> Workload:
    """Multiply groups of rows of different heights with one matrix each."""
    n, k = (4096, 4096) if make.full else (64, 64)
    heights = [512 * (1 + group % 5) for group in range(8)] if make.full else [40, 8, 72]
    rows, groups = sum(heights), len(heights)
    a, b, c = (
        make.normal(rows, k, dtype=F16),
        make.normal(groups, k, n, dtype=F16),
        make.zeros(rows, n, dtype=F16),
    )
    starts = [sum(heights[:group]) for group in range(groups + 1)]
    start = torch.tensor(starts, device=make.device, dtype=torch.int32)

    def launch(compiler: Compiler, config: Configuration) -> tuple[Any, ...]:
        bm, bn, bk = config.tile
        kernel = compiler.kernels.matmul_grouped[(make.sms,)]
        blocks = {"GROUPS": groups, "BM": bm, "BN": bn, "BK": bk}
        return (kernel(a, b, c, start, n, k, **blocks, **config.options),)

    def expected() -> Tensors:
        parts = a.float().split(heights)
        return (torch.cat([part @ b[group].float() for group, part in enumerate(parts)]),)

    return Workload(
        name,
        _MATMUL if make.full else _SMALL,
        launch,
        (c,),
        expected,
        2.0 * rows * n * k,
    )


def _heads(make: _Maker, width: int) -> tuple[int, int]:
    return (64 * 64 // width, 4096) if make.full else (2, 64)


def _torch_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool
) -> torch.Tensor:
    scaled = torch.nn.functional.scaled_dot_product_attention
    return scaled(q[None], k[None], v[None], is_causal=causal)[0]


def attention_forward(make: _Maker, name: str, width: int, causal: bool) -> Workload:
    """Attend over all keys, or over those of earlier positions."""
    heads, length = _heads(make, width)
    q, k, v = (make.normal(heads, length, width, dtype=F16) for _ in range(3))
    o, lse = torch.zeros_like(q), make.zeros(heads, length)
    scale = math.log2(math.e) / math.sqrt(width)

    def launch(compiler: Compiler, config: Configuration) -> tuple[Any, ...]:
        m, n = config.tile
        kernel = compiler.kernels.attention_forward[(length // m, heads)]
        constants = {"M": m, "N": n, "D": width, "CAUSAL": causal}
        return (kernel(q, k, v, o, lse, length, scale, **constants, **config.options),)

    flops = 4.0 * heads * length**2 * width * (0.5 if causal else 1.0)
    return Workload(
        name,
        _FORWARD if make.full else _SMALL_ATTENTION,
        launch,
        (o,),
        lambda: (_torch_attention(q.float(), k.float(), v.float(), causal),),
        flops,
    )


def attention_backward(make: _Maker, name: str, width: int, causal: bool) -> Workload:
    """Compute the gradients of queries, keys and values, in three launches."""
    heads, length = _heads(make, width)
    q, k, v, do = (make.normal(heads, length, width, dtype=F16) for _ in range(4))
    dq, dk, dv = (torch.zeros_like(q) for _ in range(3))
    factor = 1 / math.sqrt(width)
    scale = math.log2(math.e) * factor
    o, lse = _attention_and_sums(q, k, v, causal, factor)
    delta = make.zeros(heads, length)

    def launch(compiler: Compiler, config: Configuration) -> tuple[Any, ...]:
        m, n = config.tile
        kernels, grid = compiler.kernels, (length // n, heads)
        deltas = kernels.attention_deltas[(heads * length // 64,)]
        common, end = (q, k, v, do, lse, delta), (length, scale, factor)
        constants = {"M": m, "N": n, "D": width, "CAUSAL": causal}
        return (
            deltas(o, do, delta, M=64, D=width),
            kernels.attention_backward_keys[grid](
                *common, dk, dv, *end, **constants, **config.options
            ),
            kernels.attention_backward_queries[grid](
                *common, dq, *end, **constants, **config.options
            ),
        )

    def expected() -> Tensors:
        inputs = [x.float().requires_grad_() for x in (q, k, v)]
        return torch.autograd.grad(_torch_attention(*inputs, causal), inputs, do.float())

    flops = 14.0 * heads * length**2 * width * (0.5 if causal else 1.0)
    return Workload(
        name,
        _BACKWARD if make.full else (Configuration((16, 32), 4, 3),),
        launch,
        (dq, dk, dv),
        expected,
        flops,
        bound=2e-2,
    )


def _attention_and_sums(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, factor: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute attention, and the base-2 logarithms of the sums of exponentials, head by head."""
    outputs, sums = [], []
    length = q.shape[1]
    later = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
    for head in range(q.shape[0]):
        scores = (q[head].float() @ k[head].float().T) * factor
        if causal:
            scores = scores.masked_fill(later, -math.inf)
        sums.append(torch.logsumexp(scores, 1) * math.log2(math.e))
        outputs.append((torch.softmax(scores, 1) @ v[head].float()).to(q.dtype))
    return torch.stack(outputs), torch.stack(sums)
