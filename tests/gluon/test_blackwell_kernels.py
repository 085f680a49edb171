"""Kernels that use scaled MMAs, scatters and packed fp4 on Blackwell."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import ml_dtypes
import numpy as np
import pytest

import weft.gluon as gl
from tests.gluon.running import CPU, check, devices
from weft.errors import CodegenError
from weft.experimental import gluon
from weft.experimental.gluon.nvidia.hopper import TensorDescriptor
from weft.gluon.nvidia import blackwell
from weft.gluon.nvidia.hopper import fence_async_shared, mbarrier, tma
from weft.kernel.compiled_kernel import CompiledKernel
from weft.testing import simulate

FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], "f4")


@gluon.jit
def scales_of(pointer, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    memory: gl.constexpr = blackwell.TensorMemoryScalesLayout()
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(
        gl.uint8, [ROWS, COLUMNS], memory, gl.num_warps()
    )
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    values = gl.load(pointer + rows[:, None] * COLUMNS + columns[None, :])
    return blackwell.allocate_tensor_memory(gl.uint8, [ROWS, COLUMNS], memory, values)


@gluon.jit
def multiply_scaled(
    x,
    x_scale,
    y,
    y_scale,
    out,
    M: gl.constexpr,
    N: gl.constexpr,
    K: gl.constexpr,
    X_TYPE: gl.constexpr,
    Y_TYPE: gl.constexpr,
):
    a = gl.allocate_shared_memory(x.dtype, x.block_type.shape, x.layout)
    b = gl.allocate_shared_memory(y.dtype, y.block_type.shape, y.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, x.block_type.nbytes + y.block_type.nbytes)
    tma.async_copy_global_to_shared(x, [0, 0], bar, a)
    tma.async_copy_global_to_shared(y, [0, 0], bar, b)
    mbarrier.wait(bar, 0, deps=[a, b])
    memory: gl.constexpr = blackwell.TensorMemoryLayout([M, N], col_stride=1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [M, N], memory)
    a_scale, b_scale = scales_of(x_scale, M, K // 32), scales_of(y_scale, N, K // 32)
    blackwell.tcgen05_mma_scaled(
        a, b.permute((1, 0)), acc, a_scale, b_scale, X_TYPE, Y_TYPE, use_acc=False
    )
    blackwell.tcgen05_commit(bar)
    mbarrier.wait(bar, 1, deps=[a, b])
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [M, N], memory, gl.num_warps())
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * N + columns[None, :], acc.load(layout))


def operand(
    kind: str, rows: int, k: int, seed: int, *, padded: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, gl.NVMMASharedLayout]:
    """Draw a scaled operand: its memory, its scales, its values, and its layout."""
    draw = np.random.default_rng(seed)
    scales = draw.integers(125, 130, (rows, k // 32)).astype("u1")
    factors = np.repeat(np.exp2(scales.astype("f4") - 127), 32, axis=1)
    if kind == "e2m1":
        codes = draw.integers(0, 16, (rows, k)).astype("u1")
        packed = codes[:, ::2] | codes[:, 1::2] << 4
        width = 128 if padded else min(128, k // 2)
        layout = gl.NVMMASharedLayout(width, 8, 2, fp4_padded=padded)
        return packed, scales, FP4[codes] * factors, layout
    class_ = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[kind]
    values = draw.integers(-4, 5, (rows, k)).astype(class_)
    layout = gl.NVMMASharedLayout(128, 8, 2)
    return values, scales, values.astype("f4") * factors, layout


@pytest.mark.parametrize(
    ("device", "types"),
    [
        *product([CPU, "cuda:100"], ["e4m3 e4m3", "e5m2 e4m3", "e2m1 e2m1"]),
        # Beside an operand of 8 bits, TMA pads 8 bytes of fp4 to 16.
        (CPU, "e2m1 e4m3"),
    ],
)
def test_scaled_mma(device, types):
    launch, out, expected = scaled_mma(*types.split())
    check(device, launch, [out], [expected])


def test_copies_that_pad_fp4_are_refused_by_code_generation():
    launch, _, _ = scaled_mma("e2m1", "e4m3")
    with simulate("cuda:100"), pytest.raises(CodegenError, match="that pad fp4 cannot be lowered"):
        launch()


def scaled_mma(
    left: str, right: str
) -> tuple[Callable[[], CompiledKernel], np.ndarray, np.ndarray]:
    """Prepare a launch; return it with its output and the expected values."""
    m, n, k = 128, 64, 128
    x, x_scale, a, x_layout = operand(left, m, k, 0, padded=left != right)
    y, y_scale, b, y_layout = operand(right, n, k, 1, padded=False)
    out = np.empty((m, n), "f4")

    def launch() -> CompiledKernel:
        x_desc = TensorDescriptor.from_tensor(x, list(x.shape), x_layout)
        y_desc = TensorDescriptor.from_tensor(y, list(y.shape), y_layout)
        return multiply_scaled[(1,)](x_desc, x_scale, y_desc, y_scale, out, m, n, k, left, right)

    return launch, out, a @ b.T


@gluon.jit
def copy_scales(
    x, out, M: gl.constexpr, N: gl.constexpr, COLUMNS: gl.constexpr, shared: gl.constexpr
):
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [4, 1], [1, 0])
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, blocked))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, blocked))
    values = gl.load(x + rows[:, None] * N + columns[None, :])
    buffer = gl.allocate_shared_memory(gl.int8, [M, N], shared, values)
    fence_async_shared()
    scales = blackwell.allocate_tensor_memory(gl.int8, [M, N], blackwell.TensorMemoryScalesLayout())
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    blackwell.tcgen05_copy(buffer, scales)
    blackwell.tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    # The 32 rows of tensor memory that each of the four warps has.
    memory: gl.constexpr = blackwell.TensorMemoryLayout([128, COLUMNS], col_stride=1)
    words = scales._reinterpret(gl.int8, [128, COLUMNS], memory).load(blocked)
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, blocked))
    columns = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, blocked))
    gl.store(out + rows[:, None] * COLUMNS + columns[None, :], words)


@pytest.mark.parametrize(("rows", "columns"), [(128, 8), (64, 16), (256, 4)])
def test_copies_of_scales(rows, columns):
    # The CPU device has no rows of tensor memory: only the simulator sees the four copies.
    x = np.random.default_rng(0).integers(-100, 100, (rows, columns)).astype("i1")
    groups = min(rows // 32, 4)
    bits = [[0, 1], [0, 2], *([32 << bit, 0] for bit in range(groups.bit_length() - 1))]
    bits += [[0, 4]] if groups == 2 else []
    bits += [[1 << bit, 0] for bit in range(5)]
    bits += [[128, 0]] if rows == 256 else [[0, 8 if groups == 2 else 4]]
    out = np.zeros((128, rows * columns // 32), "i1")
    # Four columns of 32 bits per copy: scales of the row, groups of rows, then columns.
    tile = x.reshape(rows // (32 * groups), groups, 32, columns // 4, 4)
    expected = np.tile(tile.transpose(2, 3, 0, 1, 4).reshape(32, -1), (4, 1))
    if rows == 256:
        expected = np.tile(tile.transpose(2, 0, 3, 1, 4).reshape(32, -1), (4, 1))

    def launch() -> CompiledKernel:
        shared = gl.SharedLinearLayout(bits)
        return copy_scales[(1,)](x, out, rows, columns, rows * columns // 32, shared)

    check("cuda:100", launch, [out], [expected])


@gluon.jit
def scatter_rows(x, index, target, ROWS: gl.constexpr, N: gl.constexpr):
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    offsets: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, blocked))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, blocked))
    tile = gl.load(x + rows[:, None] * N + columns[None, :])
    buffer = gl.allocate_shared_memory(target.dtype, [ROWS, N], target.layout, tile)
    fence_async_shared()
    to = gl.load(index + gl.arange(0, ROWS, layout=offsets))
    blackwell.tma.async_scatter(target, to, 0, buffer)
    tma.store_wait(0)


@devices("cuda:100")
def test_tma_scatter(device):
    draw = np.random.default_rng(0)
    x = draw.integers(-4, 5, (32, 64)).astype("f2")
    index = draw.permutation(48)[:32].astype("i4")
    index[5] = 60  # outside of the tensor: not written
    out = np.empty((48, 64), "f2")
    expected = np.ones_like(out)
    inside = index < 48
    expected[index[inside]] = x[inside]
    memory = gl.NVMMASharedLayout.get_default_for([1, 64], gl.float16)

    def launch() -> CompiledKernel:
        target = TensorDescriptor.from_tensor(out, [1, 64], memory)
        return scatter_rows[(1,)](x, index, target, 32, 64)

    check(device, launch, [out], [expected])
