"""Kernels with the instructions of NVIDIA GPUs, on the CPU device."""

from __future__ import annotations

import numpy as np

from weft import gluon as gl
from weft.experimental import gluon
from weft.experimental.gluon.nvidia.hopper import TensorDescriptor
from weft.gluon.nvidia import blackwell as bw
from weft.gluon.nvidia.ampere import async_copy
from weft.gluon.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_init,
    warpgroup_mma_wait,
)

ROW = gl.BlockedLayout([1], [32], [4], [0])
rng = np.random.default_rng(0)


@gluon.jit
def copy_tma(src, dst, XBLOCK: gl.constexpr):
    smem = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.block_type.nbytes)
    i = gl.program_id(0)
    tma.async_copy_global_to_shared(src, [i * XBLOCK, 0], bar, smem)
    mbarrier.wait(bar, 0, deps=[smem])
    mbarrier.invalidate(bar)
    fence_async_shared()
    tma.async_copy_shared_to_global(dst, [i * XBLOCK, 0], smem)
    tma.store_wait(0)


@gluon.jit
def copy_cp(x, y, n, B: gl.constexpr, L: gl.constexpr):
    i = gl.program_id(0) * B + gl.arange(0, B, L)
    s = gl.allocate_shared_memory(x.dtype.element_ty, [B], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    async_copy.async_copy_global_to_shared(s, x + i, mask=i < n)
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(y + i, s.load(L), mask=i < n)


@gluon.jit
def wg(a_desc, b_desc, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    sa = gl.allocate_shared_memory(gl.float16, [M, K], a_desc.layout)
    sb = gl.allocate_shared_memory(gl.float16, [K, N], b_desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [0, 0], bar, sa)
    tma.async_copy_global_to_shared(b_desc, [0, 0], bar, sb)
    mbarrier.wait(bar, 0, deps=[sa, sb])
    L: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16])
    acc = warpgroup_mma_init(gl.zeros([M, N], gl.float32, L))
    acc = warpgroup_mma(sa, sb, acc, is_async=True)
    d = warpgroup_mma_wait(0, deps=[acc])
    r = gl.arange(0, M, gl.SliceLayout(1, L))
    q = gl.arange(0, N, gl.SliceLayout(0, L))
    gl.store(c + r[:, None] * N + q[None, :], d)


@gluon.jit
def producer(x, s, bar, n: gl.constexpr, L: gl.constexpr):
    i = gl.arange(0, n, L)
    s.store(gl.load(x + i) * 2)
    mbarrier.arrive(bar, count=1)


@gluon.jit
def consumer(y, s, bar, n: gl.constexpr, L: gl.constexpr):
    mbarrier.wait(bar, 0)
    gl.store(y + gl.arange(0, n, L), s.load(L))


@gluon.jit
def ws(x, y, n: gl.constexpr, L: gl.constexpr):
    s = gl.allocate_shared_memory(gl.float32, [n], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    gl.warp_specialize([(consumer, (y, s, bar, n, L)), (producer, (x, s, bar, n, L))], [4], [24])


@gluon.jit
def tc5(a_desc, b_desc, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    sa = gl.allocate_shared_memory(gl.float16, [M, K], a_desc.layout)
    sb = gl.allocate_shared_memory(gl.float16, [K, N], b_desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [0, 0], bar, sa)
    tma.async_copy_global_to_shared(b_desc, [0, 0], bar, sb)
    mbarrier.wait(bar, 0, deps=[sa, sb])
    TL: gl.constexpr = bw.TensorMemoryLayout([M, N], col_stride=1)
    acc = bw.allocate_tensor_memory(gl.float32, [M, N], TL)
    bar2 = mbarrier.allocate_mbarrier()
    mbarrier.init(bar2, count=1)
    bw.tcgen05_mma(sa, sb, acc, use_acc=False)
    bw.tcgen05_commit(bar2)
    mbarrier.wait(bar2, 0)
    L: gl.constexpr = bw.get_tmem_reg_layout(gl.float32, [M, N], TL, gl.num_warps())
    d = acc.load(L)
    r = gl.arange(0, M, gl.SliceLayout(1, L))
    q = gl.arange(0, N, gl.SliceLayout(0, L))
    gl.store(c + r[:, None] * N + q[None, :], d)


def describe(array, block):
    """Describe an array of fp16 by blocks with the default layout."""
    layout = gl.NVMMASharedLayout.get_default_for(block, gl.float16)
    return TensorDescriptor.from_tensor(array, block, layout)


def test_tma():
    x = rng.normal(size=(64, 64)).astype("f2")
    y = np.zeros_like(x)
    copy_tma[(2,)](describe(x, [32, 64]), describe(y, [32, 64]), 32)
    assert (x == y).all()


def test_cp_async():
    x = rng.normal(size=300).astype("f4")
    y = np.zeros_like(x)
    copy_cp[(3,)](x, y, 300, 128, ROW)
    assert (x == y).all()


def test_wgmma():
    a, b = rng.normal(size=(64, 32)).astype("f2"), rng.normal(size=(32, 64)).astype("f2")
    c = np.zeros((64, 64), "f4")
    wg[(1,)](describe(a, [64, 32]), describe(b, [32, 64]), c, 64, 64, 32)
    np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4"), rtol=1e-3, atol=1e-3)


def test_warp_specialize():
    x = rng.normal(size=128).astype("f4")
    y = np.zeros_like(x)
    ws[(1,)](x, y, 128, ROW)
    assert (2 * x == y).all()


def test_tcgen05():
    a, b = rng.normal(size=(128, 32)).astype("f2"), rng.normal(size=(32, 64)).astype("f2")
    c = np.zeros((128, 64), "f4")
    tc5[(1,)](describe(a, [128, 32]), describe(b, [32, 64]), c, 128, 64, 32)
    np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4"), rtol=1e-3, atol=1e-3)
