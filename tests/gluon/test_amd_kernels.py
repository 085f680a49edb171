"""Kernels that use the instructions of AMD's chips, by generation."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import weft.gluon as gl
from tests.gluon.operands import numbers, product
from tests.gluon.running import check, devices
from weft.experimental import gluon
from weft.experimental.gluon.amd.gfx1250 import TensorDescriptor
from weft.gluon.amd import cdna3, cdna4, gfx1250, rdna3, rdna4
from weft.kernel.compiled_kernel import CompiledKernel

WAVE64 = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
WAVE32 = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])


@gluon.jit
def mfma(x, y, out, K: gl.constexpr, layout: gl.constexpr):
    a: gl.constexpr = gl.DotOperandLayout(0, layout, 4)
    b: gl.constexpr = gl.DotOperandLayout(1, layout, 4)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, a))
    k = gl.arange(0, K, layout=gl.SliceLayout(0, a))
    lhs = cdna3.buffer_load(x, rows[:, None] * K + k[None, :])
    k = gl.arange(0, K, layout=gl.SliceLayout(1, b))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, b))
    rhs = cdna3.buffer_load(
        y, k[:, None] * 32 + columns[None, :], mask=columns[None, :] < 30, other=0.0
    )
    acc = cdna3.mfma(lhs, rhs, gl.full([32, 32], 1.0, gl.float32, layout))
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    cdna3.buffer_store(acc, out, rows[:, None] * 32 + columns[None, :])


@devices("hip:gfx942", "hip:gfx950")
def test_mfma_and_buffer_instructions(device):
    version = 4 if device == "hip:gfx950" else 3
    layout = gl.amd.AMDMFMALayout(version, [16, 16, 16], True, [2, 2])
    x, y, out = numbers(32, 64), numbers(64, 32), np.empty((32, 32), "f4")
    expected = product(x, y) + 1
    expected[:, 30:] = 1
    check(device, lambda: mfma[(1,)](x, y, out, 64, layout), [out], [expected])


@gluon.jit
def count(x, sums, greatest, N: gl.constexpr, layout: gl.constexpr):
    index = gl.arange(0, N, layout=layout)
    value = cdna3.buffer_load(x, index)
    cdna3.buffer_atomic_add(sums, index % 16, value.to(gl.float32))
    cdna3.buffer_atomic_max(greatest, index % 16, value)


@devices("hip:gfx942", "hip:gfx950")
def test_buffer_atomics(device):
    layout = gl.BlockedLayout([1], [64], [4], [0])
    x, outputs = numbers(256, dtype="i4"), [np.empty(16, "f4"), np.empty(16, "i4")]
    groups = x.reshape(16, 16)
    expected = [groups.sum(0) + 1, np.maximum(groups.max(0), 1)]
    check(device, lambda: count[(1,)](x, *outputs, 256, layout), outputs, expected)


@gluon.jit
def copy_to_lds(x, out, n, N: gl.constexpr, layout: gl.constexpr, BUFFER: gl.constexpr):
    memory: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffers = gl.allocate_shared_memory(x.dtype.element_ty, [2, N], memory)
    for k in gl.static_range(2):
        index = k * N + gl.arange(0, N, layout=layout)
        if BUFFER:
            cdna4.async_copy.buffer_load_to_shared(buffers.index(k), x, index, mask=index < n)
        else:
            cdna4.async_copy.global_load_to_shared(buffers.index(k), x + index, mask=index < n)
        cdna4.async_copy.commit_group()
    for k in gl.static_range(2):
        cdna4.async_copy.wait_group(1 - k)
        index = k * N + gl.arange(0, N, layout=layout)
        value = cdna4.async_copy.load_shared_relaxed(buffers.index(k), layout)
        gl.store(out + index, value + 1, mask=index < n)


@devices("hip:gfx950")
@pytest.mark.parametrize("buffer", [False, True])
def test_copies_to_lds(device, buffer):
    layout = gl.BlockedLayout([4], [64], [4], [0])
    x, out = numbers(2000, dtype="f4"), np.empty(2000, "f4")
    check(device, lambda: copy_to_lds[(1,)](x, out, 2000, 1024, layout, buffer), [out], [x + 1])


@gluon.jit
def multiply_scaled(
    x, x_scale, y, y_scale, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr,
    layout: gl.constexpr, operands: gl.constexpr, scales: gl.constexpr, KIND: gl.constexpr,
    WMMA: gl.constexpr,
):  # fmt: skip
    a: gl.constexpr = gl.DotOperandLayout(0, operands, 16)
    b: gl.constexpr = gl.DotOperandLayout(1, operands, 16)
    PACK: gl.constexpr = 2 if KIND == "e2m1" else 1
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, a))
    k = gl.arange(0, K // PACK, layout=gl.SliceLayout(0, a))
    lhs = gl.load(x + rows[:, None] * (K // PACK) + k[None, :])
    k = gl.arange(0, K // PACK, layout=gl.SliceLayout(1, b))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, b))
    rhs = gl.load(y + k[:, None] * N + columns[None, :])
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, scales[0]))
    groups = gl.arange(0, K // 32, layout=gl.SliceLayout(0, scales[0]))
    lhs_scale = gl.load(x_scale + rows[:, None] * (K // 32) + groups[None, :])
    columns = gl.arange(0, N, layout=gl.SliceLayout(1, scales[1]))
    groups = gl.arange(0, K // 32, layout=gl.SliceLayout(0, scales[1]))
    rhs_scale = gl.load(y_scale + columns[:, None] * (K // 32) + groups[None, :])
    acc = gl.zeros([M, N], gl.float32, layout)
    if WMMA:
        acc = gfx1250.wmma_scaled(lhs, lhs_scale, KIND, rhs, rhs_scale, KIND, acc)
    else:
        acc = cdna4.mfma_scaled(lhs, lhs_scale, KIND, rhs, rhs_scale, KIND, acc)
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * N + columns[None, :], acc)


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E2M1 = np.concatenate([E2M1, -E2M1])


def scaled_operands(kind: str, m: int, n: int, k: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Draw both operands with scales, and multiply them."""
    random = np.random.default_rng(0)
    if kind == "e2m1":
        codes = random.integers(0, 16, (m, k)), random.integers(0, 16, (k, n))
        a, b = (E2M1[each] for each in codes)
        x = (codes[0][:, ::2] | codes[0][:, 1::2] << 4).astype("u1")
        y = (codes[1][::2] | codes[1][1::2] << 4).astype("u1")
    else:
        x, y = (
            numbers(*size, dtype="f4").astype(ml_dtypes.float8_e4m3fn) for size in ((m, k), (k, n))
        )
        a, b = x.astype("f4"), y.astype("f4")
    scales = [random.integers(125, 130, (size, k // 32)).astype("u1") for size in (m, n)]
    a_scale, b_scale = (np.exp2(each.astype("f4") - 127).repeat(32, 1) for each in scales)
    return [x, scales[0], y, scales[1]], (a * a_scale) @ (b * b_scale.T)


@pytest.mark.parametrize("kind", ["e2m1", "e4m3"])
@pytest.mark.parametrize("chip", ["hip:gfx950", "hip:gfx1250"])
@pytest.mark.parametrize("simulated", [False, True])
def test_scaled_dots(simulated, chip, kind):
    m, n, k = 32, 32, 128
    if chip == "hip:gfx950":
        layout = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
        scale_layout = cdna4.get_mfma_scale_layout
        operands = layout
    else:
        layout = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 128])
        # Two elements of e2m1 are one of a packed operand.
        depth = 64 if kind == "e2m1" else 128
        operands = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, depth])
        scale_layout = gfx1250.get_wmma_scale_layout
    scales = tuple(
        scale_layout(gl.DotOperandLayout(side, operands, 16), [size, k // 32])
        for side, size in enumerate((m, n))
    )
    arguments, expected = scaled_operands(kind, m, n, k)
    out = np.empty((m, n), "f4")
    wmma = chip == "hip:gfx1250"
    check(
        chip if simulated else "cpu",
        lambda: multiply_scaled[(1,)](
            *arguments, out, m, n, k, layout, operands, scales, kind, wmma
        ),
        [out],
        [expected],
        1e-5,
    )


@gluon.jit
def wmma(
    x, y, out, K: gl.constexpr, layout: gl.constexpr, WIDTH: gl.constexpr, MULTIPLY: gl.constexpr
):
    a: gl.constexpr = gl.DotOperandLayout(0, layout, WIDTH)
    b: gl.constexpr = gl.DotOperandLayout(1, layout, WIDTH)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, a))
    k = gl.arange(0, K, layout=gl.SliceLayout(0, a))
    lhs = gl.load(x + rows[:, None] * K + k[None, :])
    k = gl.arange(0, K, layout=gl.SliceLayout(1, b))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, b))
    rhs = gl.load(y + k[:, None] * 32 + columns[None, :])
    acc = MULTIPLY(lhs, rhs, gl.full([32, 32], 1.0, gl.float32, layout))
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * 32 + columns[None, :], acc)


@pytest.mark.parametrize("simulated", [False, True])
@pytest.mark.parametrize(
    ("chip", "version", "shape", "width", "function"),
    [
        ("hip:gfx1100", 1, [16, 16, 16], 16, rdna3.wmma),
        ("hip:gfx1201", 2, [16, 16, 16], 8, rdna4.wmma),
        ("hip:gfx1250", 3, [16, 16, 32], 8, gfx1250.wmma),
    ],
)
def test_wmma(simulated, chip, version, shape, width, function):
    layout = gl.amd.AMDWMMALayout(version, True, [[0, 1], [1, 0]], [], shape)
    x, y, out = numbers(32, 64), numbers(64, 32), np.empty((32, 32), "f4")
    check(
        chip if simulated else "cpu",
        lambda: wmma[(1,)](x, y, out, 64, layout, width, function),
        [out],
        [product(x, y) + 1],
    )


@gluon.jit
def copy_by_tdm(source, target, ROWS: gl.constexpr, layout: gl.constexpr):
    buffers = gl.allocate_shared_memory(source.dtype, [2, 32, 64], source.layout)
    for k in gl.static_range(2):
        gfx1250.tdm.async_load(source, [k * ROWS, 0], buffers.index(k))
    for k in gl.static_range(2):
        gfx1250.tdm.async_wait(1)
        buffers.index(k).store(buffers.index(k).load(layout) + 1)
        gfx1250.tdm.async_store(target, [k * ROWS, 0], buffers.index(k))
    gfx1250.tdm.async_wait(0)


@devices("hip:gfx1250")
def test_tdm(device):
    memory = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [32, 64], [1, 0])
    x, out = numbers(50, 64), np.empty((50, 64), "f2")

    def launch() -> CompiledKernel:
        source, target = (TensorDescriptor.from_tensor(a, [32, 64], memory) for a in (x, out))
        return copy_by_tdm[(1,)](source, target, 32, WAVE32)

    check(device, launch, [out], [x + 1])


@gluon.jit
def move_rows(source, index, target, ROWS: gl.constexpr, N: gl.constexpr):
    offsets: gl.constexpr = gl.SliceLayout(1, gl.BlockedLayout([ROWS, 1], [1, 32], [1, 4], [0, 1]))
    rows = gl.load(index + gl.arange(0, ROWS, layout=offsets))
    buffer = gl.allocate_shared_memory(source.dtype, [ROWS, N], source.layout)
    gfx1250.tdm.async_gather(source, rows, 0, buffer)
    gfx1250.tdm.async_wait(0)
    gl.barrier()
    gfx1250.tdm.async_scatter(target, rows, 0, buffer)
    gfx1250.tdm.async_wait(0)


@devices("hip:gfx1250")
@pytest.mark.parametrize("kind", ["i2", "i4"])
def test_tdm_gather_and_scatter(device, kind):
    memory = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    x, out = numbers(40, 64), np.empty((40, 64), "f2")
    index = np.random.default_rng(1).permutation(40)[:8].astype(kind)
    expected = np.ones_like(out)
    expected[index] = x[index]

    def launch() -> CompiledKernel:
        source, target = (TensorDescriptor.from_tensor(a, [8, 64], memory) for a in (x, out))
        return move_rows[(1,)](source, index, target, 8, 64)

    check(device, launch, [out], [expected])


@gluon.jit
def copy_by_mbarrier(x, out, N: gl.constexpr, layout: gl.constexpr):
    memory: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [N], memory)
    bar = gl.allocate_shared_memory(gl.int64, [1], gfx1250.mbarrier.MBarrierLayout())
    gfx1250.mbarrier.init(bar, count=128)
    index = gl.arange(0, N, layout=layout)
    gfx1250.async_copy.global_to_shared(buffer, x + index)
    gfx1250.async_copy.mbarrier_arrive(bar)
    gfx1250.mbarrier.wait(bar, 0)
    buffer.store(buffer.load(layout) * 2)
    gl.barrier()
    gfx1250.async_copy.shared_to_global(out + index, buffer)
    gfx1250.async_copy.commit_group()
    gfx1250.async_copy.wait_group(0)


@devices("hip:gfx1250")
def test_copies_and_mbarriers_of_gfx1250(device):
    layout = gl.BlockedLayout([4], [32], [4], [0])
    x, out = numbers(512, dtype="f4"), np.empty(512, "f4")
    check(device, lambda: copy_by_mbarrier[(1,)](x, out, 512, layout), [out], [2 * x])
