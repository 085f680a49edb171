"""Kernels of clusters: copies to several CTAs, cluster barriers, MMAs whose operands CTAs share."""

from __future__ import annotations

import numpy as np
import pytest

import weft.gluon as gl
from tests.gluon.operands import f16_descriptor, numbers, product
from tests.gluon.running import check, devices
from weft.experimental import gluon
from weft.gluon.nvidia import blackwell
from weft.gluon.nvidia.hopper import cluster, mbarrier, tma
from weft.kernel.compiled_kernel import CompiledKernel
from weft.layouts import cta_split


def cga(ctas: list[int], splits: list[int]) -> list[list[int]]:
    """Compute the CGA layout of a cluster whose CTAs are numbered along dimension 1 first."""
    return [list(basis) for basis in cta_split(ctas, splits, [1, 0])]


@gluon.jit
def scale_in_cluster(x, out, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    values = gl.load(x + i, mask=i < n)
    cluster.arrive(relaxed=True)
    cluster.wait()
    gl.store(out + i, values * 2, mask=i < n)


@devices("cuda:90", "cuda:100")
def test_a_tensor_over_two_ctas(device):
    layout = gl.BlockedLayout([4], [32], [4], [0], cga_layout=[[1]])
    x, out = numbers(3000), np.empty(3000, "f2")

    def launch() -> CompiledKernel:
        return scale_in_cluster[(3,)](x, out, 3000, 1024, layout, num_ctas=2)

    check(device, launch, [out], [2 * x])


@gluon.jit
def sums_along_an_axis(
    x, out, M: gl.constexpr, N: gl.constexpr, axis: gl.constexpr, layout: gl.constexpr
):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    sums = gl.sum(gl.load(x + rows[:, None] * N + columns[None, :]), axis=axis)
    gl.store(out + gl.arange(0, N if axis == 0 else M), sums)


@devices("cuda:90", "cuda:100")
@pytest.mark.parametrize("axis", [0, 1])
def test_a_linear_layout_over_two_ctas(device, axis):
    layout = gl.DistributedLinearLayout(
        [[1, 0], [2, 0]], [[0, 1], [4, 0], [0, 2], [8, 0], [0, 0]], [[16, 0], [32, 0]], [[64, 0]],
        [128, 4],
    )  # fmt: skip
    x = numbers(*layout.shape)
    out = np.empty(layout.shape[1 - axis], "f2")

    def launch() -> CompiledKernel:
        return sums_along_an_axis[(1,)](x, out, *x.shape, axis, layout, num_ctas=2)

    check(device, launch, [out], [x.sum(axis)])


@gluon.jit
def multicast(source, target):
    buffer = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.sync_cluster_init()
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_copy_global_to_shared(source, [0, 0], bar, buffer, multicast=True)
    mbarrier.wait(bar, 0, deps=[buffer])
    tma.async_copy_shared_to_global(target, [0, 0], buffer)
    tma.store_wait(0)


@devices("cuda:90", "cuda:100")
@pytest.mark.parametrize("ctas", [[2, 1], [4, 1], [1, 4]])
def test_copies_to_several_ctas(device, ctas):
    splits = [min(count, 2) for count in ctas]
    shape = [16 * count for count in splits]
    x, out = numbers(*shape), np.empty(shape, "f2")

    def launch() -> CompiledKernel:
        source, target = (f16_descriptor(a, shape, cga(ctas, splits)) for a in (x, out))
        compiled = multicast[(1,)](source, target, num_ctas=ctas[0] * ctas[1])
        if device.startswith("cuda"):
            assert (".multicast::cluster" in compiled.asm["ptx"]) == (splits != ctas)
        return compiled

    check(device, launch, [out], [x])


@gluon.jit
def multiply(
    x,
    y,
    out,
    M: gl.constexpr,
    N: gl.constexpr,
    memory: gl.constexpr,
    blocked: gl.constexpr,
    CGA: gl.constexpr,
    PAIR: gl.constexpr,
):
    a = gl.allocate_shared_memory(x.dtype, x.block_shape, x.layout)
    b = gl.allocate_shared_memory(y.dtype, y.block_shape, y.layout)
    load_bar = mbarrier.allocate_mbarrier(two_ctas=PAIR)
    mbarrier.init(load_bar, count=1)
    mma_bar = mbarrier.allocate_mbarrier()
    mbarrier.init(mma_bar, count=blackwell.tcgen05_mma_barrier_count([a, b], True))
    mbarrier.sync_cluster_init()
    mbarrier.expect(load_bar, x.nbytes_per_cta + y.nbytes_per_cta)
    tma.async_copy_global_to_shared(x, [0, 0], load_bar, a, multicast=True)
    tma.async_copy_global_to_shared(y, [0, 0], load_bar, b, multicast=True)
    mbarrier.wait(load_bar, 0, deps=[a, b])
    acc = blackwell.allocate_tensor_memory(gl.float32, [M, N], memory)
    blackwell.tcgen05_mma(a, b, acc, use_acc=False, multicast=True, mbarriers=[mma_bar])
    mbarrier.wait(mma_bar, 0, deps=[a, b])
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(
        gl.float32, [M, N], memory, gl.num_warps(), cga_layout=CGA
    )
    result = gl.convert_layout(acc.load(layout), blocked)
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, blocked))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, blocked))
    gl.store(out + rows[:, None] * N + columns[None, :], result)


@devices("cuda:100")
@pytest.mark.parametrize("ctas", [[2, 1], [2, 2]])
def test_tcgen05_mma_with_shared_operands(device, ctas):
    rows, columns = ctas
    m, n, k = 128 * rows, 32 * columns, 32
    x, y, out = numbers(m, k), numbers(k, n), np.empty((m, n), "f4")
    memory = blackwell.TensorMemoryLayout([128, 32], col_stride=1, cta_split_num=(rows, columns))
    blocked = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], cga_layout=cga(ctas, ctas))

    def launch() -> CompiledKernel:
        x_desc = f16_descriptor(x, [m, k], cga(ctas, [rows, 1]))
        y_desc = f16_descriptor(y, [k, n], cga(ctas, [1, columns]))
        return multiply[(1,)](
            x_desc, y_desc, out, m, n, memory, blocked, cga(ctas, ctas), False,
            num_ctas=rows * columns,
        )  # fmt: skip

    check(device, launch, [out], [product(x, y)])


@devices("cuda:100")
def test_tcgen05_mma_of_a_pair_of_ctas(device):
    m, n, k = 256, 64, 32
    x, y, out = numbers(m, k), numbers(k, n), np.empty((m, n), "f4")
    memory = blackwell.TensorMemoryLayout(
        [128, n], col_stride=1, two_ctas=True, cta_split_num=(2, 1)
    )
    blocked = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], cga_layout=[[1, 0]])

    def launch() -> CompiledKernel:
        x_desc = f16_descriptor(x, [m, k], [[1, 0]])
        y_desc = f16_descriptor(y, [k, n], [[0, 1]])
        return multiply[(1,)](
            x_desc, y_desc, out, m, n, memory, blocked, [[1, 0]], True, num_ctas=2
        )

    check(device, launch, [out], [product(x, y)])
