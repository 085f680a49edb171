"""Gluon kernels for the comparison with Triton, with Triton's imports.

`test_gluon.py` executes the file with weft in Triton's place, `triton_side.py` with Triton.
CASES: kernel, type of each parameter, constants, targets.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import blackwell
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import (
    cluster,
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_init,
    warpgroup_mma_wait,
)


@gluon.jit
def row_sums(x, out, columns, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    lanes = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    inside = (rows[:, None] < M) & (lanes[None, :] < columns)
    tile = gl.load(x + rows[:, None] * columns + lanes[None, :], mask=inside, other=0.0)
    total = gl.sum(tile, axis=1) + gl.max(gl.abs(tile), axis=1)
    gl.store(out + rows, total)


@gluon.jit
def inferred(x, out, N: gl.constexpr):
    i = gl.arange(0, N)
    value = gl.load(gl.set_auto_layout(x + i, gl.CoalescedLayout()))
    j = gl.arange(0, N, layout=gl.CoalescedLayout())
    gl.store(out + j, value + 1)


@gluon.jit
def through_shared(x, out, N: gl.constexpr, layout: gl.constexpr, memory: gl.constexpr):
    i = gl.arange(0, N, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    offsets = i[:, None] * N + j[None, :]
    buffers = gl.allocate_shared_memory(x.dtype.element_ty, [2, N, N], memory)
    for k in range(2):
        buffers.index(k).store(gl.load(x + k * N * N + offsets))
    total = gl.zeros([N, N], gl.float32, layout)
    for k in gl.static_range(2):
        half = buffers.index(k).slice(0, N // 2, dim=1)
        total += buffers.index(k).permute((1, 0)).load(layout)
        half._keep_alive()
    gl.store(out + offsets, total)


@gluon.jit
def async_copies(x, out, n, B: gl.constexpr, layout: gl.constexpr):
    i = gl.program_id(0) * B + gl.arange(0, B, layout=layout)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [B], shared)
    async_copy.async_copy_global_to_shared(buffer, x + i, mask=i < n)
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + i, buffer.load(layout), mask=i < n)


@gluon.jit
def wgmma(x, y, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    a_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([M, K], gl.float16)
    b_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([K, N], gl.float16)
    a_desc = tma.make_tensor_descriptor(x, [M, K], [K, 1], [M, K], a_layout)
    b_desc = tma.make_tensor_descriptor(y, [K, N], [N, 1], [K, N], b_layout)
    a = gl.allocate_shared_memory(gl.float16, [M, K], a_layout)
    b = gl.allocate_shared_memory(gl.float16, [K, N], b_layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [0, 0], bar, a)
    tma.async_copy_global_to_shared(b_desc, [0, 0], bar, b)
    mbarrier.wait(bar, 0, deps=[a, b])
    fence_async_shared()
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16])
    acc = warpgroup_mma_init(gl.zeros([M, N], gl.float32, layout))
    acc = warpgroup_mma(a, b, acc, is_async=True)
    result = warpgroup_mma_wait(0, deps=[acc])
    i = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    gl.store(out + i[:, None] * N + j[None, :], result)


@gluon.jit
def produce(x, buffer, bar, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    buffer.store(gl.load(x + gl.arange(0, N, layout=layout)) * 2)
    mbarrier.arrive(bar, count=1)


@gluon.jit
def consume(out, buffer, bar, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    mbarrier.wait(bar, 0)
    value = buffer.load(layout)
    gl.store(out + gl.arange(0, N, layout=layout), value)
    return gl.sum(value, axis=0)


@gluon.jit
def partitions(x, out, N: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float32, [N], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    total = gl.warp_specialize(
        [(consume, (out, buffer, bar, N)), (produce, (x, buffer, bar, N))], [2], [24]
    )
    gl.store(out + N, total)


@gluon.jit
def tensor_memory(x, out, M: gl.constexpr, N: gl.constexpr):
    memory: gl.constexpr = blackwell.TensorMemoryLayout([M, N], col_stride=1)
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [M, N], memory, gl.num_warps())
    i = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    offsets = i[:, None] * N + j[None, :]
    buffer = blackwell.allocate_tensor_memory(gl.float32, [M, N], memory, gl.load(x + offsets))
    buffer.store(buffer.load(layout) + 1)
    half = buffer.slice(0, N // 2)
    small: gl.constexpr = blackwell.get_tmem_reg_layout(
        gl.float32, [M, N // 2], half.layout, gl.num_warps()
    )
    half.store(half.load(small) * 2)
    gl.store(out + offsets, buffer.load(layout))


@gluon.jit
def mfma(x, y, out, layout: gl.constexpr):
    a_layout: gl.constexpr = gl.DotOperandLayout(0, layout, 8)
    b_layout: gl.constexpr = gl.DotOperandLayout(1, layout, 8)
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, a_layout))
    k = gl.arange(0, 16, layout=gl.SliceLayout(0, a_layout))
    a = gl.amd.cdna3.buffer_load(x, i[:, None] * 16 + k[None, :])
    k = gl.arange(0, 16, layout=gl.SliceLayout(1, b_layout))
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, b_layout))
    b = gl.amd.cdna3.buffer_load(y, k[:, None] * 32 + j[None, :], mask=j[None, :] < 30, other=0.0)
    acc = gl.amd.cdna3.mfma(a, b, gl.zeros([32, 32], gl.float32, layout))
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    gl.amd.cdna3.buffer_store(acc, out, i[:, None] * 32 + j[None, :])


@gluon.jit
def scaled_mma(x, y, scales, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([M, K], gl.float8e4nv)
    x_desc = tma.make_tensor_descriptor(x, [M, K], [K, 1], [M, K], shared)
    y_desc = tma.make_tensor_descriptor(y, [N, K], [K, 1], [N, K], shared)
    a = gl.allocate_shared_memory(gl.float8e4nv, [M, K], shared)
    b = gl.allocate_shared_memory(gl.float8e4nv, [N, K], shared)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, x_desc.block_type.nbytes + y_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(x_desc, [0, 0], bar, a)
    tma.async_copy_global_to_shared(y_desc, [0, 0], bar, b)
    mbarrier.wait(bar, 0, deps=[a, b])
    factors: gl.constexpr = blackwell.TensorMemoryScalesLayout()
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(gl.uint8, [M, K // 32], factors, 4)
    i = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    k = gl.arange(0, K // 32, layout=gl.SliceLayout(0, layout))
    values = gl.load(scales + i[:, None] * (K // 32) + k[None, :])
    a_scale = blackwell.allocate_tensor_memory(gl.uint8, [M, K // 32], factors, values)
    b_scale = blackwell.allocate_tensor_memory(gl.uint8, [N, K // 32], factors)
    memory: gl.constexpr = blackwell.TensorMemoryLayout([M, N], col_stride=1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [M, N], memory)
    blackwell.tcgen05_mma_scaled(
        a, b.permute((1, 0)), acc, a_scale, b_scale, "e4m3", "e4m3", use_acc=False, mbarriers=[bar]
    )
    mbarrier.wait(bar, 1, deps=[a, b])
    read: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [M, N], memory, 4)
    result, least = acc.load_min(read, abs=True)
    i = gl.arange(0, M, layout=gl.SliceLayout(1, read))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, read))
    gl.store(out + i[:, None] * N + j[None, :], result)
    gl.store(out + M * N + gl.arange(0, M, layout=least.type.layout), least)


@gluon.jit
def multicast(x, out, N: gl.constexpr, shared: gl.constexpr):
    source = tma.make_tensor_descriptor(x, [N, N], [N, 1], [N, N], shared)
    target = tma.make_tensor_descriptor(out, [N, N], [N, 1], [N, N], shared)
    buffer = gl.allocate_shared_memory(gl.float16, [N, N], shared)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.sync_cluster_init()
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_copy_global_to_shared(source, [0, 0], bar, buffer, multicast=True)
    mbarrier.wait(bar, 0, deps=[buffer])
    tma.async_copy_shared_to_global(target, [0, 0], buffer)
    tma.store_wait(0)
    cluster.arrive(relaxed=True)
    cluster.wait()


@gluon.jit
def move_rows(x, out, index, ROWS: gl.constexpr, N: gl.constexpr):
    shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([1, N], gl.float16)
    offsets: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))
    source = tma.make_tensor_descriptor(x, [64, N], [N, 1], [1, N], shared)
    target = tma.make_tensor_descriptor(out, [64, N], [N, 1], [1, N], shared)
    buffer = gl.allocate_shared_memory(gl.float16, [ROWS, N], shared)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, ROWS * source.block_type.nbytes)
    rows = gl.load(index + gl.arange(0, ROWS, layout=offsets))
    blackwell.tma.async_gather(source, rows, 0, bar, buffer)
    mbarrier.wait(bar, 0, deps=[buffer])
    blackwell.tma.async_scatter(target, rows, 0, buffer)
    tma.store_wait(0)


@gluon.jit
def move_rows_by_tdm(x, out, index, ROWS: gl.constexpr, N: gl.constexpr, shared: gl.constexpr):
    tdm: gl.constexpr = gl.amd.gfx1250.tdm
    offsets: gl.constexpr = gl.SliceLayout(1, gl.BlockedLayout([ROWS, 1], [1, 32], [1, 4], [0, 1]))
    source = tdm.make_tensor_descriptor(x, [64, N], [N, 1], [ROWS, N], shared)
    target = tdm.make_tensor_descriptor(out, [64, N], [N, 1], [ROWS, N], shared)
    buffer = gl.allocate_shared_memory(gl.float16, [ROWS, N], shared)
    rows = gl.load(index + gl.arange(0, ROWS, layout=offsets))
    tdm.async_gather(source, rows, 0, buffer)
    tdm.async_wait(0)
    tdm.async_scatter(target, rows, 0, buffer)
    tdm.async_wait(0)


TILE = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
ROW = gl.BlockedLayout([4], [32], [4], [0])
LINEAR = gl.DistributedLinearLayout(
    [[1, 0], [2, 0]],
    [[0, 1], [4, 0], [0, 2], [8, 0], [0, 0]],
    [[16, 0], [32, 0]],
    [[64, 0]],
    [128, 4],
)
SWIZZLED = gl.SwizzledSharedLayout(4, 1, 8, [1, 0])
MFMA = gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [1, 1])
NVIDIA = ("cuda:80", "cuda:90", "cuda:100")
FLOATS = {"x": "*fp32", "out": "*fp32"}
HALVES = {"x": "*fp16", "y": "*fp16", "out": "*fp32"}
FP8 = {"x": "*fp8e4nv", "y": "*fp8e4nv", "scales": "*u8", "out": "*fp32"}
ROWS = {"x": "*fp16", "out": "*fp16"}
SHARED = gl.NVMMASharedLayout.get_default_for([32, 32], gl.float16, cga_layout=[[0, 0]])
CASES = (
    (row_sums, FLOATS | {"columns": "i32"}, {"M": 64, "N": 32, "layout": TILE}, NVIDIA),
    (
        row_sums,
        FLOATS | {"columns": "i32"},
        {"M": 128, "N": 4, "layout": LINEAR, "num_ctas": 2},
        ("cuda:90", "cuda:100"),
    ),
    (inferred, FLOATS, {"N": 512}, NVIDIA),
    (through_shared, FLOATS, {"N": 32, "layout": TILE, "memory": SWIZZLED}, NVIDIA),
    (async_copies, FLOATS | {"n": "i32"}, {"B": 512, "layout": ROW}, NVIDIA),
    (wgmma, HALVES, {"M": 64, "N": 64, "K": 32}, ("cuda:90",)),
    (partitions, FLOATS, {"N": 128}, ("cuda:90", "cuda:100")),
    (tensor_memory, FLOATS, {"M": 128, "N": 64}, ("cuda:100",)),
    (scaled_mma, FP8, {"M": 128, "N": 128, "K": 128}, ("cuda:100", "cuda:103")),
    (multicast, ROWS, {"N": 32, "shared": SHARED, "num_ctas": 2}, ("cuda:90", "cuda:100")),
    (move_rows, ROWS | {"index": "*i32"}, {"ROWS": 32, "N": 64}, ("cuda:100",)),
    (
        move_rows_by_tdm,
        ROWS | {"index": "*i32"},
        {"ROWS": 8, "N": 64, "shared": gl.SwizzledSharedLayout(1, 1, 1, [1, 0])},
        ("hip:gfx1250",),
    ),
    (mfma, HALVES, {"layout": MFMA, "num_warps": 1}, ("hip:gfx942",)),
)
