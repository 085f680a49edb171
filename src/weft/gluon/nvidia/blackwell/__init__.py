"""Functions for Blackwell: tensor memory and tcgen05."""

from __future__ import annotations

from collections.abc import Sequence

from weft.gluon.builtin import builtin_of
from weft.gluon.layouts import (
    DistributedLinearLayout,
    TensorMemoryLayout,
    TensorMemoryLinearLayout,
    TensorMemoryScalesLayout,
)
from weft.gluon.layouts.base import Bases, require
from weft.gluon.layouts.tensor_memory_registers import register_layout
from weft.gluon.nvidia.ampere import async_copy, mma_v2
from weft.gluon.nvidia.blackwell import tma
from weft.gluon.nvidia.blackwell.tensor_memory import tensor_memory_descriptor
from weft.gluon.nvidia.hopper import fence_async_shared, mbarrier
from weft.gluon.types import tensor_memory_descriptor_type
from weft.language.constexpr import constexpr_function
from weft.language.dtypes import dtype

__all__ = [
    "TensorMemoryLayout",
    "TensorMemoryScalesLayout",
    "_TensorMemoryLinearLayout",
    "allocate_tensor_memory",
    "async_copy",
    "fence_async_shared",
    "get_tmem_reg_layout",
    "mbarrier",
    "mma_v2",
    "tcgen05_commit",
    "tcgen05_copy",
    "tcgen05_mma",
    "tcgen05_mma_barrier_count",
    "tcgen05_mma_scaled",
    "tensor_memory_descriptor",
    "tensor_memory_descriptor_type",
    "tma",
]

_TensorMemoryLinearLayout = TensorMemoryLinearLayout
_declare = builtin_of("nvidia.blackwell")


@constexpr_function
def get_tmem_reg_layout(
    element_ty: dtype,
    shape: Sequence[int],
    layout: TensorMemoryLayout | TensorMemoryScalesLayout,
    num_warps: int,
    instr_variant: str = "32x32b",
    cga_layout: Bases | tuple[()] = (),
) -> DistributedLinearLayout:
    """Return the layout of registers in which a buffer in tensor memory is loaded and stored.

    Args:
        element_ty: The type of an element.
        shape: The shape of the buffer.
        layout: The layout of the buffer.
        num_warps: The number of warps that take part.
        instr_variant: The instruction: "32x32b", "16x64b", "16x128b", "16x256b" or
            "32x32b_splitn", after which `split` needs no exchange.
        cga_layout: Basis vectors over the CTAs of a cluster.

    Raises:
        LayoutError: There is no such layout.
    """
    return register_layout(element_ty, shape, layout, num_warps, instr_variant, cga_layout)


@_declare
def allocate_tensor_memory(element_ty, shape, layout, value=None):
    """Allocate a buffer in tensor memory.

    Args:
        element_ty: The type of an element.
        shape: The shape.
        layout: The layout.
        value: A tensor to store to it.
    """


@_declare
def tcgen05_copy(src, dst):
    """Start to copy a buffer in shared memory to tensor memory."""


@_declare
def tcgen05_mma(
    a, b, acc, *, use_acc=True, pred=True, multicast=False, mbarriers=None, mbarrier_preds=None
):
    """Set acc to a * b + acc.

    Args:
        a: A buffer in shared or tensor memory.
        b: A buffer in shared memory.
        acc: A buffer in tensor memory.
        use_acc: Add the old `acc` unless it is false.
        pred: No effect if it is false.
        multicast: Whether the arrivals are for all CTAs of the cluster that share operands.
        mbarriers: mbarriers to arrive on once it is complete; without them it is synchronous.
        mbarrier_preds: Whether to arrive on each of them.
    """


@_declare
def tcgen05_mma_scaled(
    a, b, acc, a_scale, b_scale, a_type, b_type, *, use_acc=True, pred=True, mbarriers=None,
    mbarrier_preds=None,
):  # fmt: skip
    """Set acc to (a * a_scale) * (b * b_scale) + acc.

    Args:
        a: A buffer in shared or tensor memory.
        b: A buffer in shared memory.
        acc: A buffer in tensor memory.
        a_scale: The scales of `a`, in tensor memory.
        b_scale: The scales of `b`, in tensor memory.
        a_type: The type of an element of `a`: "e2m1", "e4m3" or "e5m2".
        b_type: The type of an element of `b`.
        use_acc: Add the old `acc` unless it is false.
        pred: No effect if it is false.
        mbarriers: mbarriers to arrive on once it is complete; without them it is synchronous.
        mbarrier_preds: Whether to arrive on each of them.
    """


@constexpr_function
def tcgen05_mma_barrier_count(smems: Sequence[object], multicast: bool) -> int:
    """Count the CTAs that arrive on an mbarrier for an MMA.

    Args:
        smems: The buffers in shared memory that are its operands, at most two.
        multicast: Whether the arrivals are for all CTAs of the cluster that share operands.
    """
    require(
        len(smems) <= 2,
        "tcgen05_mma_barrier_count supports 0, 1, or 2 smem descriptors",
        len(smems),
    )
    if not smems or not multicast:
        return 1
    layouts: list[Bases] = [getattr(smem, "layout").cga_layout for smem in smems]  # noqa: B009
    shared = [1 << sum(not any(basis) for basis in layout) for layout in layouts]
    if len(layouts) == 1:
        return shared[0]
    require(
        all(any(one) or any(other) for one, other in zip(*layouts, strict=True)),
        "the operands must not both be shared along one basis vector",
        layouts,
    )
    return sum(shared) - 1


@_declare
def tcgen05_commit(barrier, pred=True, descs=()):
    """Arrive on an mbarrier once the MMAs and copies that this thread has started are complete.

    Args:
        barrier: The mbarrier.
        pred: No effect if it is false.
        descs: The operands in shared memory, if TMA copied them to several CTAs: the arrival is
            for all CTAs that share them.
    """
