"""Inputs and expected results, computed with torch, of the kernels of package_kernels.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as nn

__all__ = ["Workload", "largest_error", "workloads"]

F16, BF16, F32 = torch.float16, torch.bfloat16, torch.float32
I8, I32, I64 = torch.int8, torch.int32, torch.int64


@dataclass(frozen=True, slots=True)
class Workload:
    """One kernel on tensors of one size.

    Attributes:
        name: for the table.
        launch: launches the kernel of a module.
        outputs: tensors that the kernel writes.
        expected: their expected contents.
        bound: of the error.
    """

    name: str
    launch: Callable[[Any], Any]
    outputs: Sequence[torch.Tensor]
    expected: Sequence[torch.Tensor]
    bound: float


def largest_error(work: Workload) -> float:
    """Compute the largest error, relative to the expected value or to one."""
    return max(
        ((result.double() - right.double()).abs() / right.double().abs().clamp(min=1.0))
        .max()
        .item()
        for result, right in zip(work.outputs, work.expected, strict=True)
    )


def workloads(device: str, *, full: bool) -> Iterator[Workload]:
    """Make the workloads, at sizes that fill an H200 or that an interpreter does not mind."""
    make = _Maker(device, full)
    for kind in (
        rms_norm_backward, rotate, cross_entropy, kl_divergence, quantize_rows, dequantize_4_bits,
        top_k, linear_recurrence, causal_convolution, update_state, decode, count_experts,
    ):  # fmt: skip
        yield kind(make)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes tensors on a device. full: whether sizes are those of a benchmark."""

    device: str
    full: bool

    def size(self, large: int, small: int) -> int:
        return large if self.full else small

    def normal(self, *shape: int, dtype: torch.dtype = F32) -> torch.Tensor:
        return torch.randn(*shape, device=self.device).to(dtype)

    def below(self, limit: int, *shape: int, dtype: torch.dtype = I32) -> torch.Tensor:
        return torch.randint(0, limit, shape, device=self.device).to(dtype)

    def zeros(self, *shape: int, dtype: torch.dtype = F32) -> torch.Tensor:
        return torch.zeros(*shape, device=self.device, dtype=dtype)


def rms_norm_backward(make: _Maker) -> Workload:
    rows, n, per_program = make.size(8192, 5), 4096, make.size(63, 3)
    programs = -(-rows // per_program)
    x, dy = (make.normal(rows, n, dtype=BF16) for _ in range(2))
    weight = make.normal(n, dtype=BF16)
    rstd = torch.rsqrt((x.float() ** 2).mean(1) + 1e-6)
    dx, dweight = torch.zeros_like(x), make.zeros(programs, n)
    wide_x, wide_dy, r = x.float(), dy.float(), rstd[:, None]
    scaled = wide_dy * weight.float()
    right = r * (scaled - (scaled * wide_x).mean(1, keepdim=True) * r * r * wide_x)
    shares = (wide_dy * wide_x * r).split(per_program)
    arguments = (dy, x, weight, rstd, dx, dweight, rows, n, per_program)
    return Workload(
        "rms norm backward bf16",
        lambda kernels: kernels.rms_norm_backward[(programs,)](
            *arguments, BLOCK=4096, num_warps=16
        ),
        (dx, dweight),
        (right.to(BF16), torch.stack([share.sum(0) for share in shares])),
        5e-2,
    )


def rotate(make: _Maker) -> Workload:
    length, heads, key_heads, width = make.size(8192, 3), 32, 8, 128
    q, k = (make.normal(length, count, width, dtype=BF16) for count in (heads, key_heads))
    cos, sin = (make.normal(length, width // 2, dtype=BF16) for _ in range(2))

    def turned(x: torch.Tensor) -> torch.Tensor:
        first, second = x.float().split(width // 2, -1)
        c, s = cos[:, None].float(), sin[:, None].float()
        return torch.cat([first * c - second * s, second * c + first * s], -1).to(BF16)

    right = turned(q), turned(k)
    sizes = {"Q_HEADS": heads, "K_HEADS": key_heads, "WIDTH": width}
    return Workload(
        "rotary embedding bf16",
        lambda kernels: kernels.rotate[(length,)](q, k, cos, sin, length, **sizes),
        (q, k),
        right,
        5e-2,
    )


def cross_entropy(make: _Maker) -> Workload:
    rows, n = make.size(2048, 2), 32000
    x, right = make.normal(rows, n, dtype=BF16), make.below(n, rows, dtype=I64)
    loss, wide = make.zeros(rows), x.float()
    gradient = torch.softmax(wide, 1) - nn.one_hot(right, n)
    expected = gradient.to(BF16), nn.cross_entropy(wide, right, reduction="none")
    return Workload(
        "cross entropy, gradient bf16",
        lambda kernels: kernels.cross_entropy_with_gradient[(rows,)](
            x, right, loss, n, BLOCK=16384, num_warps=32
        ),
        (x, loss),
        expected,
        2e-2,
    )


def kl_divergence(make: _Maker) -> Workload:
    rows, n = make.size(4096, 2), 10000
    y = torch.log_softmax(make.normal(rows, n), 1)
    target, loss = torch.softmax(make.normal(rows, n), 1), make.zeros(rows)
    return Workload(
        "KL divergence f32",
        lambda kernels: kernels.kl_divergence[(rows,)](
            y, target, loss, n, 1e-10, BLOCK=4096, num_warps=8
        ),
        (loss,),
        ((target * (target.clamp(min=1e-10).log() - y)).sum(1),),
        1e-3,
    )


def quantize_rows(make: _Maker) -> Workload:
    rows, n = make.size(8192, 3), 4096
    x, q, scale = make.normal(rows, n, dtype=BF16), make.zeros(rows, n, dtype=I8), make.zeros(rows)
    largest = x.float().abs().amax(1)
    right = (x.float() * (127 / largest)[:, None]).round()
    return Workload(
        "quantisation to 8 bits bf16",
        lambda kernels: kernels.quantize_rows[(rows,)](x, q, scale, n, BLOCK=4096, num_warps=8),
        (q, scale),
        (right, largest / 127),
        1.0,  # halves may go either way: torch rounds them to even
    )


def dequantize_4_bits(make: _Maker) -> Workload:
    rows, columns, group = make.size(4096, 128), make.size(4096, 256), 64
    words = torch.randint(-(2**31), 2**31, (rows, columns // 8), device=make.device).to(I32)
    scale = make.normal(rows // group, columns, dtype=F16)
    zero = make.below(16, rows // group, columns, dtype=F16)
    out = make.zeros(rows, columns, dtype=F16)
    shifts = torch.arange(8, device=make.device) * 4
    q = ((words[:, :, None].long() >> shifts) & 15).reshape(rows, columns).to(F16)
    of_row = torch.arange(rows, device=make.device) // group
    grid, tile = (rows // 32, columns // 128), {"GROUP": group, "BLOCK_M": 32, "BLOCK_N": 128}
    return Workload(
        "dequantisation of 4 bits f16",
        lambda kernels: kernels.dequantize_4_bits[grid](words, scale, zero, out, columns, **tile),
        (out,),
        ((q - zero[of_row]) * scale[of_row],),
        2e-2,
    )


def top_k(make: _Maker) -> Workload:
    rows, n, k = make.size(32768, 4), 256, 8
    x, value, index = make.normal(rows, n), make.zeros(rows, k), make.zeros(rows, k, dtype=I32)
    result = torch.topk(x, k, 1)
    return Workload(
        "top 8 of 256 f32",
        lambda kernels: kernels.top_k[(rows,)](x, value, index, n, K=k, BLOCK=256, num_warps=1),
        (value, index),
        (result.values, result.indices),
        0.0,
    )


def linear_recurrence(make: _Maker) -> Workload:
    length, width = make.size(2048, 70), make.size(8192, 32)
    a, b = torch.sigmoid(make.normal(length, width)), make.normal(length, width)
    y, right = torch.zeros_like(a), torch.zeros_like(a)
    for step in range(length):
        right[step] = (a[step] * right[step - 1] if step else 0) + b[step]
    sizes = {"WIDTH": width, "BLOCK_T": 64, "BLOCK_D": 32}
    return Workload(
        "linear recurrence f32",
        lambda kernels: kernels.linear_recurrence[(width // 32,)](a, b, y, length, **sizes),
        (y,),
        (right,),
        1e-3,
    )


def causal_convolution(make: _Maker) -> Workload:
    batches, length, width, taps = make.size(4, 2), make.size(2048, 40), make.size(4096, 130), 4
    x = make.normal(batches, length, width, dtype=BF16)
    weight, bias = make.normal(width, taps, dtype=BF16), make.normal(width, dtype=BF16)
    y, padded = torch.zeros_like(x), nn.pad(x.float().transpose(1, 2), (taps - 1, 0))
    right = nn.conv1d(padded, weight.float()[:, None], bias.float(), groups=width).transpose(1, 2)
    grid = (-(-width // 128), -(-length // 32), batches)
    arguments, tile = (x, weight, bias, y, length, width), {"BLOCK_T": 32, "BLOCK_D": 128}
    return Workload(
        "causal convolution bf16",
        lambda kernels: kernels.causal_convolution[grid](*arguments, TAPS=taps, **tile),
        (y,),
        (nn.silu(right).to(BF16),),
        2e-2,
    )


def update_state(make: _Maker) -> Workload:
    batches, width, states = make.size(128, 2), make.size(4096, 20), 16
    state, a = make.normal(batches, width, states), -make.normal(width, states).abs()
    x, dt = (make.normal(batches, width, dtype=BF16) for _ in range(2))
    b, c = (make.normal(batches, states, dtype=BF16) for _ in range(2))
    out, soft = make.zeros(batches, width), nn.softplus(dt.float())
    after = state * (a * soft[..., None]).exp() + b.float()[:, None] * (soft * x.float())[..., None]
    expected = after, (after * c.float()[:, None]).sum(-1)
    arguments = (state, x, dt, a, b, c, out, width)
    return Workload(
        "state update bf16",
        lambda kernels: kernels.update_state[(-(-width // 16), batches)](
            *arguments, STATES=states, BLOCK=16
        ),
        (state, out),
        expected,
        1e-3,
    )


def decode(make: _Maker) -> Workload:
    batches, heads, group, longest, width = make.size(64, 2), 32, 4, make.size(2048, 150), 128
    q = make.normal(batches, heads, width, dtype=BF16)
    k, v = (make.normal(batches, heads // group, longest, width, dtype=BF16) for _ in range(2))
    length = (make.below(longest // 2, batches) + longest // 2 + 1).to(I32)
    out, scale = make.zeros(batches, heads, width), 1 / math.sqrt(width)
    rows = q.float().reshape(batches, -1, group, width)
    score = rows @ k.float().transpose(2, 3) * scale
    beyond = torch.arange(longest, device=make.device) >= length[:, None]
    share = torch.softmax(score.masked_fill(beyond[:, None, None], -math.inf), -1)
    arguments = (q, k, v, out, length, scale, heads, group, longest)
    return Workload(
        "decode attention bf16",
        lambda kernels: kernels.decode[(batches, heads)](*arguments, WIDTH=width, BLOCK=64),
        (out,),
        ((share @ v.float()).reshape(batches, heads, width),),
        2e-2,
    )


def count_experts(make: _Maker) -> Workload:
    blocks, experts = make.size(8192, 2), 64
    expert = make.below(experts, blocks * 256)
    count = make.zeros(blocks, experts, dtype=I32)
    right = nn.one_hot(expert.reshape(blocks, 256).long(), experts).sum(1)
    return Workload(
        "experts counted i32",
        lambda kernels: kernels.count_experts[(blocks,)](
            expert, count, blocks * 256, EXPERTS=experts, BLOCK=256
        ),
        (count,),
        (right,),
        0.0,
    )
