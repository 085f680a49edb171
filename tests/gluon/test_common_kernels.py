"""Kernels that use what Gluon has for all chips: layouts, conversions, shared memory."""

from __future__ import annotations

import numpy as np
import pytest

import weft.gluon as gl
from tests.gluon.running import check, devices
from weft.experimental import gluon

CHIPS = ("cuda:80", "cuda:90", "cuda:100", "hip:gfx942", "hip:gfx950", "hip:gfx1201", "hip:gfx1250")


def lanes(device: str) -> int:
    """Count the lanes of a warp."""
    return 64 if device in ("hip:gfx942", "hip:gfx950") else 32


def numbers(*shape: int, dtype: str = "f4") -> np.ndarray:
    """Draw small integers, so that sums are exact."""
    return np.random.default_rng(0).integers(-8, 8, shape).astype(dtype)


@gluon.jit
def convert(x, out, N: gl.constexpr, source: gl.constexpr, middle: gl.constexpr, end: gl.constexpr):
    rows = gl.arange(0, N, layout=gl.SliceLayout(1, source))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, source))
    tile = gl.load(x + rows[:, None] * N + columns[None, :])
    tile = gl.convert_layout(gl.convert_layout(tile, middle) + 1, end)
    rows = gl.arange(0, N, layout=gl.SliceLayout(1, end))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, end))
    gl.store(out + rows[:, None] * N + columns[None, :], tile)


@devices(*CHIPS)
def test_convert_layout(device):
    warp = lanes(device)
    source = gl.BlockedLayout([1, 4], [warp // 8, 8], [4, 1], [1, 0])
    end = gl.BlockedLayout([2, 1], [8, warp // 8], [1, 4], [0, 1])
    bits = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]][: warp.bit_length() - 1]
    rest = [v for v in [[0, 4], [0, 8], [8, 0], [16, 0]] if v not in bits]
    middle = gl.DistributedLinearLayout(rest[:-2] or [], bits, rest[-2:], [], [32, 16])
    middle = gl.DistributedLinearLayout([*middle.reg_bases, [0, 16]], bits, rest[-2:], [], [32, 32])
    x, out = numbers(32, 32), np.empty((32, 32), "f4")
    check(device, lambda: convert[(1,)](x, out, 32, source, middle, end), [out], [x + 1])


@gluon.jit
def shapes(x, out, layout: gl.constexpr):
    # (64, 2) -> halves -> (64, 2) swapped -> (2, 64) -> 128 numbers
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 2, layout=gl.SliceLayout(0, layout))
    first, second = gl.load(x + rows[:, None] * 2 + columns[None, :]).split()
    swapped = gl.join(second, first)
    result = gl.reshape(gl.permute(swapped, (1, 0)), [128])
    index = gl.arange(0, 128, layout=result.type.layout)
    gl.store(out + index, result)


@devices("cuda:90", "hip:gfx942", "hip:gfx1201")
def test_join_split_permute_reshape(device):
    layout = gl.BlockedLayout([1, 2], [lanes(device), 1], [4, 1], [1, 0])
    x, out = numbers(64, 2), np.empty(128, "f4")
    expected = x[:, ::-1].T.reshape(128)
    check(device, lambda: shapes[(1,)](x, out, layout), [out], [expected])


@gluon.jit
def reductions(x, sums, scans, counts, layout: gl.constexpr, row: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * 64 + columns[None, :]
    tile = gl.load(x + offsets)
    gl.store(sums + rows, gl.sum(tile, axis=1) + gl.max(tile, axis=1))
    gl.store(scans + offsets, gl.associative_scan(tile, 1, total))
    bins = gl.histogram(gl.reshape(tile.to(gl.int32) + 8, [2048]), 16, layout=row)
    gl.store(counts + gl.arange(0, 16, layout=row), bins)


@gluon.jit
def total(a, b):
    return a + b


@devices("cuda:80", "hip:gfx942")
def test_reduce_scan_histogram(device):
    warp = lanes(device)
    layout = gl.BlockedLayout([1, 4], [warp // 8, 8], [2, 2], [1, 0])
    row = gl.BlockedLayout([1], [warp], [4], [0])
    x = numbers(32, 64)
    outputs = [np.empty(32, "f4"), np.empty((32, 64), "f4"), np.empty(16, "i4")]
    expected = [
        x.sum(1) + x.max(1),
        x.cumsum(1),
        np.bincount(x.astype(int).reshape(-1) + 8, minlength=16),
    ]
    check(device, lambda: reductions[(1,)](x, *outputs, layout, row), outputs, expected)


@gluon.jit
def buffers(x, out, N: gl.constexpr, layout: gl.constexpr, memory: gl.constexpr):
    rows = gl.arange(0, N, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * N + columns[None, :]
    stages = gl.allocate_shared_memory(x.dtype.element_ty, [2, N, N], memory)
    for k in range(2):
        stages.index(k).store(gl.load(x + k * N * N + offsets))
    result = stages.index(0).permute((1, 0)).load(layout) + stages.index(1).load(layout)
    upper = stages.index(0).slice(0, N // 2)
    upper.store(stages.index(1).slice(N // 2, N // 2).load(layout))
    gl.store(out + offsets, result)
    gl.store(out + N * N + offsets, stages.index(0).load(layout))


@devices(*CHIPS)
def test_shared_memory(device):
    layout = gl.BlockedLayout([1, 4], [lanes(device) // 8, 8], [4, 1], [1, 0])
    x, out = numbers(2, 32, 32), np.empty((2, 32, 32), "f4")
    moved = np.concatenate([x[1, 16:], x[0, 16:]])
    for memory in (
        gl.SwizzledSharedLayout(4, 1, 8, [1, 0]),
        gl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0]),
    ):
        check(
            device,
            lambda memory=memory: buffers[(1,)](x, out, 32, layout, memory),
            [out],
            [np.stack([x[0].T + x[1], moved])],
        )


@gluon.jit
def indirect(x, index, gathered, scattered, layout: gl.constexpr, memory: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * 32 + columns[None, :]
    tile, indices = gl.load(x + offsets), gl.load(index + offsets)
    buffer = gl.allocate_shared_memory(gl.float32, [32, 32], memory, tile)
    gl.store(gathered + offsets, buffer.gather(indices, axis=0))
    other = gl.allocate_shared_memory(gl.float32, [32, 32], memory)
    other.scatter(tile, indices, axis=0)
    gl.store(scattered + offsets, other.load(layout))


@devices("cuda:90", "hip:gfx942", "hip:gfx1250")
def test_gather_and_scatter(device):
    layout = gl.BlockedLayout([1, 4], [lanes(device) // 8, 8], [4, 1], [1, 0])
    memory = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    random = np.random.default_rng(1)
    x = numbers(32, 32)
    index = np.argsort(random.random((32, 32)), axis=0).astype("i4")
    scattered = np.empty_like(x)
    np.put_along_axis(scattered, index, x, 0)
    outputs = [np.empty_like(x), np.empty_like(x)]
    expected = [np.take_along_axis(x, index, 0), scattered]
    check(device, lambda: indirect[(1,)](x, index, *outputs, layout, memory), outputs, expected)


@gluon.jit
def reinterpreted(x, out, layout: gl.constexpr):
    memory: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    index = gl.arange(0, 256, layout=layout)
    buffer = gl.allocate_shared_memory(gl.float32, [256], memory, gl.load(x + index))
    words = buffer._reinterpret(gl.int32, [256], memory)
    words.store(words.load(layout) ^ -2147483648)
    gl.store(out + index, buffer.load(layout))


@devices("cuda:90", "hip:gfx942")
def test_a_reinterpreted_buffer_is_the_same_memory(device):
    layout = gl.BlockedLayout([1], [lanes(device)], [4], [0])
    x, out = numbers(256), np.empty(256, "f4")
    check(device, lambda: reinterpreted[(1,)](x, out, layout), [out], [-x])


@gluon.jit
def inferred(x, out, N: gl.constexpr):
    index = gl.arange(0, N)
    value = gl.load(gl.set_auto_layout(x + index, gl.CoalescedLayout()))
    gl.store(out + gl.arange(0, N, layout=gl.CoalescedLayout()), value + 1)


@devices("cuda:80", "cuda:100")
def test_inferred_layouts(device):
    x, out = numbers(512), np.empty(512, "f4")
    check(device, lambda: inferred[(1,)](x, out, 512), [out], [x + 1])


@gluon.jit
def multiply(x, y, out, layout: gl.constexpr):
    a: gl.constexpr = gl.DotOperandLayout(0, layout, 0)
    b: gl.constexpr = gl.DotOperandLayout(1, layout, 0)
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 16, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * 16 + columns[None, :]
    lhs = gl.convert_layout(gl.load(x + offsets), a)
    rhs = gl.convert_layout(gl.load(y + offsets), b)
    gl.store(out + offsets, gl.dot_fma(lhs, rhs, gl.zeros([16, 16], gl.float32, layout)))


@devices("cuda:80", "hip:gfx942", "hip:gfx1201")
def test_dot_fma(device):
    layout = gl.BlockedLayout([1, 1], [lanes(device) // 8, 8], [4, 1], [1, 0])
    x, y, out = numbers(16, 16), numbers(16, 16) + 1, np.empty((16, 16), "f4")
    check(device, lambda: multiply[(1,)](x, y, out, layout), [out], [x @ y])


@gluon.jit
def part_of_a_part(x, out, layout: gl.constexpr, small: gl.constexpr, memory: gl.constexpr):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * 64 + columns[None, :]
    buffer = gl.allocate_shared_memory(gl.float32, [64, 64], memory, gl.load(x + offsets))
    part = buffer.slice(48, 16, dim=0).slice(16, 16, dim=1)
    part.store(part.load(small) * 2)
    gl.store(out + offsets, buffer.load(layout))


@devices("cuda:90", "hip:gfx942")
@pytest.mark.parametrize(
    "memory",
    [
        gl.PaddedSharedLayout.with_identity_for([[32, 4]], [64, 64], [0, 1]),
        gl.SharedLinearLayout(
            [[0, 1 << bit] for bit in range(6)] + [[1 << bit, 0] for bit in range(6)]
        ),
        gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
    ],
    ids=["padded", "linear", "plain"],
)
def test_a_part_of_a_part_of_a_buffer(device, memory):
    layout = gl.BlockedLayout([1, 4], [lanes(device) // 16, 16], [4, 1], [1, 0])
    x, out = numbers(64, 64), np.empty((64, 64), "f4")
    expected = x.copy()
    expected[48:, 16:32] *= 2
    check(device, lambda: part_of_a_part[(1,)](x, out, layout, layout, memory), [out], [expected])
