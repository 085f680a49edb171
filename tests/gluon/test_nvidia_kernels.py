"""Kernels that use the instructions of NVIDIA's chips, by generation."""

from __future__ import annotations

import numpy as np
import pytest

import weft.gluon as gl
from tests.gluon.operands import f16_descriptor, numbers, product
from tests.gluon.running import check, devices
from weft.errors import CompilationError
from weft.experimental import gluon
from weft.experimental.gluon.nvidia.hopper import TensorDescriptor
from weft.gluon.nvidia import ampere, blackwell
from weft.gluon.nvidia.blackwell import float2
from weft.gluon.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_init,
    warpgroup_mma_wait,
)
from weft.kernel.compiled_kernel import CompiledKernel
from weft.language.propagate_nan import PropagateNan

ROW = gl.BlockedLayout([4], [32], [4], [0])


# ------------------------------------------------------------------------------------- Ampere


@gluon.jit
def mma_v2(x, y, out, K: gl.constexpr, blocked: gl.constexpr):
    layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, blocked))
    k = gl.arange(0, K, layout=gl.SliceLayout(0, blocked))
    a = gl.load(x + rows[:, None] * K + k[None, :])
    k = gl.arange(0, K, layout=gl.SliceLayout(1, blocked))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, blocked))
    b = gl.load(y + k[:, None] * 32 + columns[None, :])
    memory: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 4, [1, 0])
    a = gl.allocate_shared_memory(gl.float16, [32, K], memory, a)
    b = gl.allocate_shared_memory(gl.float16, [K, 32], memory, b)
    acc = ampere.mma_v2(
        a.load(gl.DotOperandLayout(0, layout, 2)),
        b.load(gl.DotOperandLayout(1, layout, 2)),
        gl.full([32, 32], 1.0, gl.float32, layout),
    )
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * 32 + columns[None, :], acc)


@devices("cuda:80", "cuda:90", "cuda:100")
def test_mma_v2(device):
    blocked = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    x, y, out = numbers(32, 64), numbers(64, 32), np.empty((32, 32), "f4")
    check(device, lambda: mma_v2[(1,)](x, y, out, 64, blocked), [out], [product(x, y) + 1])


@gluon.jit
def pipelined_copy(x, out, n, tiles, BLOCK: gl.constexpr, layout: gl.constexpr):
    memory: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffers = gl.allocate_shared_memory(x.dtype.element_ty, [2, BLOCK], memory)
    lanes = gl.arange(0, BLOCK, layout=layout)
    ampere.async_copy.async_copy_global_to_shared(buffers.index(0), x + lanes, mask=lanes < n)
    ampere.async_copy.commit_group()
    for tile in range(tiles):
        i = (tile + 1) * BLOCK + lanes
        ampere.async_copy.async_copy_global_to_shared(
            buffers.index((tile + 1) % 2), x + i, mask=i < n
        )
        ampere.async_copy.commit_group()
        ampere.async_copy.wait_group(1)
        i = tile * BLOCK + lanes
        gl.store(out + i, buffers.index(tile % 2).load(layout) * 2, mask=i < n)


@devices("cuda:80", "cuda:100")
def test_cp_async_in_groups(device):
    x, out = numbers(1500, dtype="f4"), np.empty(1500, "f4")
    check(device, lambda: pipelined_copy[(1,)](x, out, 1500, 3, 512, ROW), [out], [2 * x])


@gluon.jit
def copy_by_mbarrier(x, out, BLOCK: gl.constexpr, layout: gl.constexpr):
    memory: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [BLOCK], memory)
    bar = ampere.mbarrier.allocate_mbarrier()
    ampere.mbarrier.init(bar, count=128)
    i = gl.arange(0, BLOCK, layout=layout)
    ampere.async_copy.async_copy_global_to_shared(buffer, x + i)
    ampere.async_copy.mbarrier_arrive(bar, increment_count=False)
    ampere.mbarrier.wait(bar, 0)
    gl.store(out + i, buffer.load(layout))
    ampere.mbarrier.invalidate(bar)


@devices("cuda:80", "cuda:90")
def test_cp_async_arrives_on_an_mbarrier(device):
    x, out = numbers(512, dtype="f4"), np.empty(512, "f4")
    check(device, lambda: copy_by_mbarrier[(1,)](x, out, 512, ROW), [out], [x])


# ------------------------------------------------------------------------------------- Hopper


@gluon.jit
def copy_by_tma(source, target, ROWS: gl.constexpr, layout: gl.constexpr):
    buffer = gl.allocate_shared_memory(source.dtype, source.block_type.shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    first = gl.program_id(0) * ROWS
    mbarrier.expect(bar, source.block_type.nbytes)
    tma.async_copy_global_to_shared(source, [first, 0], bar, buffer)
    mbarrier.wait(bar, 0, deps=[buffer])
    buffer.store(buffer.load(layout) + 1)
    fence_async_shared()
    tma.async_copy_shared_to_global(target, [first, 0], buffer)
    tma.store_wait(0)


@devices("cuda:90", "cuda:100")
@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_tma(device, dtype):
    tile = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    x, out = numbers(50, 64, dtype=dtype), np.empty((50, 64), dtype)
    kind = gl.float16 if dtype == "f2" else gl.float32
    memory = gl.NVMMASharedLayout.get_default_for([32, 64], kind)

    def launch() -> CompiledKernel:
        source, target = (TensorDescriptor.from_tensor(a, [32, 64], memory) for a in (x, out))
        return copy_by_tma[(2,)](source, target, 32, tile)

    check(device, launch, [out], [x + 1])


@gluon.jit
def copy_tile(source, target):
    buffer = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_copy_global_to_shared(source, [0, 0], bar, buffer)
    mbarrier.wait(bar, 0, deps=[buffer])
    tma.async_copy_shared_to_global(target, [0, 0], buffer)
    tma.store_wait(0)


@devices("cuda:90", "cuda:100")
def test_tma_rounds_to_tf32(device):
    x = np.random.default_rng(0).normal(size=(16, 16)).astype("f4")
    out = np.empty_like(x)
    bits = x.view("i4")
    expected = (bits + 0xFFF + (bits >> 13 & 1) & ~0x1FFF).view("f4")
    memory = gl.NVMMASharedLayout(32, 32, 2)

    def launch() -> CompiledKernel:
        source = TensorDescriptor.from_tensor(x, [16, 16], memory, round_f32_to_tf32=True)
        return copy_tile[(1,)](source, TensorDescriptor.from_tensor(out, [16, 16], memory))

    check(device, launch, [out], [expected])


@gluon.jit
def wgmma(x, y, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, REGISTERS: gl.constexpr):
    a = gl.allocate_shared_memory(gl.float16, [M, K], x.layout)
    b = gl.allocate_shared_memory(gl.float16, [K, N], y.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16])
    acc = gl.full([M, N], 1.0, gl.float32, layout)
    for tile in range(2):
        mbarrier.expect(bar, x.block_type.nbytes + y.block_type.nbytes)
        tma.async_copy_global_to_shared(x, [0, tile * K], bar, a)
        tma.async_copy_global_to_shared(y, [tile * K, 0], bar, b)
        mbarrier.wait(bar, tile, deps=[a, b])
        if REGISTERS:
            lhs = a.load(gl.DotOperandLayout(0, layout, 2))
        else:
            lhs = a
        running = warpgroup_mma(lhs, b, warpgroup_mma_init(acc), is_async=True)
        acc = warpgroup_mma_wait(0, deps=[running])
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * N + columns[None, :], acc)


@devices("cuda:90")
@pytest.mark.parametrize("registers", [False, True])
def test_wgmma(device, registers):
    x, y, out = numbers(64, 64), numbers(64, 64), np.empty((64, 64), "f4")

    def launch() -> CompiledKernel:
        x_desc, y_desc = f16_descriptor(x, [64, 32]), f16_descriptor(y, [32, 64])
        return wgmma[(1,)](x_desc, y_desc, out, 64, 64, 32, registers)

    check(device, launch, [out], [product(x, y) + 1])


@gluon.jit
def produce(x, buffers, full, empty, TILES: gl.constexpr, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    for tile in range(TILES):
        mbarrier.wait(empty.index(tile % 2), tile // 2 & 1 ^ 1)
        index = tile * N + gl.arange(0, N, layout=layout)
        buffers.index(tile % 2).store(gl.load(x + index) * 2)
        mbarrier.arrive(full.index(tile % 2), count=1)


@gluon.jit
def consume(out, buffers, full, empty, TILES: gl.constexpr, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    total = gl.zeros([N], gl.float32, layout)
    for tile in range(TILES):
        mbarrier.wait(full.index(tile % 2), tile // 2 & 1)
        value = buffers.index(tile % 2).load(layout)
        mbarrier.arrive(empty.index(tile % 2), count=1)
        gl.store(out + tile * N + gl.arange(0, N, layout=layout), value)
        total += value
    return gl.sum(total, axis=0)


@gluon.jit
def partitions(x, out, TILES: gl.constexpr, N: gl.constexpr):
    memory: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffers = gl.allocate_shared_memory(gl.float32, [2, N], memory)
    full = mbarrier.allocate_mbarrier(batch=2)
    empty = mbarrier.allocate_mbarrier(batch=2)
    for k in gl.static_range(2):
        mbarrier.init(full.index(k), count=1)
        mbarrier.init(empty.index(k), count=1)
    total = gl.warp_specialize(
        [
            (consume, (out, buffers, full, empty, TILES, N)),
            (produce, (x, buffers, full, empty, TILES, N)),
        ],
        [4],
        [32],
    )
    gl.store(out + TILES * N, total)


@devices("cuda:90", "cuda:100")
def test_warp_specialize(device):
    x, out = numbers(5 * 128, dtype="f4"), np.empty(5 * 128 + 1, "f4")
    expected = np.append(2 * x, 2 * x.sum())
    check(device, lambda: partitions[(1,)](x, out, 5, 128), [out], [expected])


# ---------------------------------------------------------------------------------- Blackwell


@gluon.jit
def tensor_memory(x, out, M: gl.constexpr, N: gl.constexpr):
    memory: gl.constexpr = blackwell.TensorMemoryLayout([M, N], col_stride=1)
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [M, N], memory, gl.num_warps())
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * N + columns[None, :]
    buffer = blackwell.allocate_tensor_memory(gl.float32, [M, N], memory, gl.load(x + offsets))
    half = buffer.slice(N // 2, N // 2)
    small: gl.constexpr = blackwell.get_tmem_reg_layout(
        gl.float32, [M, N // 2], half.layout, gl.num_warps()
    )
    half.store(half.load(small) * 2)
    # The same columns as f16: each column of 32 bits holds two of them.
    packed_memory: gl.constexpr = blackwell.TensorMemoryLayout([M, N], col_stride=1)
    packed = buffer.slice(0, N // 2)._reinterpret(gl.float16, [M, N], packed_memory)
    packed_layout: gl.constexpr = blackwell.get_tmem_reg_layout(
        gl.float16, [M, N], packed_memory, gl.num_warps()
    )
    packed.store(gl.full([M, N], 1.0, gl.float16, packed_layout))
    gl.store(out + offsets, buffer.load(layout))


@devices("cuda:100", "cuda:103")
def test_tensor_memory(device):
    x, out = numbers(128, 64, dtype="f4"), np.empty((128, 64), "f4")
    expected = 2 * x
    expected[:, :32] = np.ones((128, 64), "f2").view("f4")
    check(device, lambda: tensor_memory[(1,)](x, out, 128, 64), [out], [expected])


@gluon.jit
def row_extremes(x, values, low, high, M: gl.constexpr, N: gl.constexpr, NAN: gl.constexpr):
    memory: gl.constexpr = blackwell.TensorMemoryLayout([M, N], col_stride=1)
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [M, N], memory, gl.num_warps())
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * N + columns[None, :]
    buffer = blackwell.allocate_tensor_memory(gl.float32, [M, N], memory, gl.load(x + offsets))
    loaded, least = buffer.load_min(layout, abs=True, propagate_nan=NAN)
    _, greatest = buffer.load_max(layout, propagate_nan=NAN)
    gl.store(values + offsets, loaded)
    gl.store(low + gl.arange(0, M, layout=least.type.layout), least)
    gl.store(high + gl.arange(0, M, layout=greatest.type.layout), greatest)


@devices("cuda:103")
@pytest.mark.parametrize("nan", [PropagateNan.NONE, PropagateNan.ALL])
def test_loads_that_reduce_rows(device, nan):
    x = np.random.default_rng(0).normal(size=(128, 32)).astype("f4")
    x[3, 5] = np.nan
    outputs = [np.empty_like(x), np.empty(128, "f4"), np.empty(128, "f4")]
    least, greatest = (np.min, np.max) if nan is PropagateNan.ALL else (np.nanmin, np.nanmax)
    expected = [x, least(abs(x), axis=1), greatest(x, axis=1)]
    check(device, lambda: row_extremes[(1,)](x, *outputs, 128, 32, nan), outputs, expected)


def test_other_values_of_propagate_nan():
    x = numbers(128, 32, dtype="f4")
    outputs = [np.empty_like(x), np.empty(128, "f4"), np.empty(128, "f4")]
    with pytest.raises(CompilationError, match="Unexpected propagate_nan all"):
        row_extremes[(1,)](x, *outputs, 128, 32, "all")


@gluon.jit
def tcgen05(x, y, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, COMMIT: gl.constexpr):
    a = gl.allocate_shared_memory(gl.float16, [M, K], x.layout)
    b = gl.allocate_shared_memory(gl.float16, [K, N], y.layout)
    loaded, multiplied = mbarrier.allocate_mbarrier(), mbarrier.allocate_mbarrier()
    mbarrier.init(loaded, count=1)
    mbarrier.init(multiplied, count=1)
    memory: gl.constexpr = blackwell.TensorMemoryLayout([M, N], col_stride=1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [M, N], memory)
    use_acc = False
    for tile in range(2):
        mbarrier.expect(loaded, x.block_type.nbytes + y.block_type.nbytes)
        tma.async_copy_global_to_shared(x, [0, tile * K], loaded, a)
        tma.async_copy_global_to_shared(y, [tile * K, 0], loaded, b)
        mbarrier.wait(loaded, tile, deps=[a, b])
        if COMMIT:
            blackwell.tcgen05_mma(a, b, acc, use_acc=use_acc)
            blackwell.tcgen05_commit(multiplied)
        else:
            blackwell.tcgen05_mma(a, b, acc, use_acc=use_acc, mbarriers=[multiplied])
        mbarrier.wait(multiplied, tile, deps=[a, b])
        use_acc = True
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [M, N], memory, gl.num_warps())
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * N + columns[None, :], acc.load(layout))


@devices("cuda:100")
@pytest.mark.parametrize("commit", [False, True])
def test_tcgen05_mma(device, commit):
    x, y, out = numbers(128, 64), numbers(64, 64), np.empty((128, 64), "f4")

    def launch() -> CompiledKernel:
        x_desc, y_desc = f16_descriptor(x, [128, 32]), f16_descriptor(y, [32, 64])
        return tcgen05[(1,)](x_desc, y_desc, out, 128, 64, 32, commit)

    check(device, launch, [out], [product(x, y)])


@gluon.jit
def copy_to_tensor_memory(x, out, M: gl.constexpr, N: gl.constexpr, blocked: gl.constexpr):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 32, 2)
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, blocked))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, blocked))
    tile = gl.load(x + rows[:, None] * N + columns[None, :])
    buffer = gl.allocate_shared_memory(gl.float32, [M, N], shared, tile)
    fence_async_shared()
    memory: gl.constexpr = blackwell.TensorMemoryLayout([M, N], col_stride=1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [M, N], memory)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    blackwell.tcgen05_copy(buffer, acc)
    blackwell.tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [M, N], memory, gl.num_warps())
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * N + columns[None, :], acc.load(layout))


@devices("cuda:100")
def test_tcgen05_copy(device):
    blocked = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    x, out = numbers(128, 32, dtype="f4"), np.empty((128, 32), "f4")
    check(device, lambda: copy_to_tensor_memory[(1,)](x, out, 128, 32, blocked), [out], [x])


@gluon.jit
def gather_rows(source, index, out, ROWS: gl.constexpr, N: gl.constexpr):
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    offsets: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))
    buffer = gl.allocate_shared_memory(source.dtype, [ROWS, N], source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, ROWS * source.block_type.nbytes)
    rows = gl.load(index + gl.arange(0, ROWS, layout=offsets))
    blackwell.tma.async_gather(source, rows, 0, bar, buffer)
    mbarrier.wait(bar, 0, deps=[buffer])
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, blocked))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, blocked))
    gl.store(out + rows[:, None] * N + columns[None, :], buffer.load(blocked))


@devices("cuda:100")
def test_tma_gather(device):
    x = numbers(40, 64)
    index = np.random.default_rng(1).integers(0, 40, 32).astype("i4")
    out = np.empty((32, 64), "f2")
    memory = gl.NVMMASharedLayout.get_default_for([1, 64], gl.float16)

    def launch() -> CompiledKernel:
        source = TensorDescriptor.from_tensor(x, [1, 64], memory)
        return gather_rows[(1,)](source, index, out, 32, 64)

    check(device, launch, [out], [x[index]])


@gluon.jit
def pairs(x, y, out, layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * 32 + columns[None, :]
    a = float2.pack(gl.load(x + offsets), axis=1)
    b = float2.pack(gl.load(y + offsets), axis=1)
    result = float2.fma(a, b, float2.full_like(a, gl.to_tensor(2.0))) + a * b
    gl.store(out + offsets, float2.unpack(result, axis=1))


@devices("cuda:100")
def test_pairs_of_floats(device):
    layout = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
    x, y, out = (
        numbers(32, 32, dtype="f4"),
        numbers(32, 32, dtype="f4") + 1,
        np.empty((32, 32), "f4"),
    )
    check(device, lambda: pairs[(1,)](x, y, out, layout), [out], [2 * x * y + 2])
