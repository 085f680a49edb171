"""The ttng dialect: what only NVIDIA's chips have, one file per family.

types          tensor memory space, im2col descriptors
barrier        mbarriers, clusters, fences
tma            the tensor memory accelerator: copies by descriptor
wgmma          Hopper's products of warp groups
tensor_memory  Blackwell's tensor memory
tcgen5         Blackwell's products
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.ir.ttng.barrier import *  # noqa: F403
    from weft.ir.ttng.tcgen5 import *  # noqa: F403
    from weft.ir.ttng.tensor_memory import *  # noqa: F403
    from weft.ir.ttng.tma import *  # noqa: F403
    from weft.ir.ttng.types import *  # noqa: F403
    from weft.ir.ttng.wgmma import *  # noqa: F403

HOMES = object_references(
    {
        "weft.ir.ttng.barrier": (
            "ArriveBarrierOp AsyncCopyMbarrierArriveOp BarrierExpectOp ClusterArriveOp "
            "ClusterWaitOp FenceAsyncSharedOp FenceMBarrierInitReleaseClusterOp InitBarrierOp "
            "InvalBarrierOp WaitBarrierOp check_barrier check_cluster"
        ),
        "weft.ir.ttng.tcgen5": "TCGen5CommitOp TCGen5MMAOp TCGen5MMAScaledOp",
        "weft.ir.ttng.tensor_memory": (
            "TMEMAllocOp TMEMCopyOp TMEMLoadOp TMEMStoreOp TMEMSubSliceOp check_tensor_memory"
        ),
        "weft.ir.ttng.tma": (
            "AsyncTMACopyGlobalToLocalOp AsyncTMACopyLocalToGlobalOp AsyncTMAGatherOp "
            "AsyncTMAReduceOp AsyncTMAScatterOp ReinterpretTensorDescOp TMAStoreWaitOp "
            "TensormapCreateOp TensormapFenceproxyAcquireOp"
        ),
        "weft.ir.ttng.types": "ReduceModifierAttr TensorDescIm2ColType TensorMemoryAttr",
        "weft.ir.ttng.wgmma": "WarpGroupDotOp WarpGroupDotWaitOp check_product",
    }
)
"""Where a name is: most kernels need little of this, and the tables of passes name some of it."""

__getattr__ = lazy_getattr(__name__, HOMES)
