"""The layouts that Gluon kernels spell.

distributed      registers: blocked, slice, linear, operands and results of dots, inferred layouts
amd              registers: results of matrix instructions of AMD GPUs
shared           shared memory: swizzled, padded, linear, what TMA and MMA instructions read
tensor_memory    tensor memory of Blackwell GPUs
warps            the warps along each dimension of a tensor
from_encoding    the layout that names an encoding of the IR
"""

from __future__ import annotations

from weft.gluon.layouts.amd import AMDMFMALayout, AMDWMMALayout
from weft.gluon.layouts.base import Layout
from weft.gluon.layouts.distributed import (
    AutoLayout,
    BlockedLayout,
    CoalescedLayout,
    DistributedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    SliceLayout,
)
from weft.gluon.layouts.shared import (
    NVMMASharedLayout,
    PaddedSharedLayout,
    SharedLayout,
    SharedLinearLayout,
    SwizzledSharedLayout,
)
from weft.gluon.layouts.tensor_memory import (
    TensorMemoryLayout,
    TensorMemoryLinearLayout,
    TensorMemoryScalesLayout,
)
from weft.gluon.layouts.warps import bases_per_dim, warps_per_cta

__all__ = [
    "AMDMFMALayout",
    "AMDWMMALayout",
    "AutoLayout",
    "BlockedLayout",
    "CoalescedLayout",
    "DistributedLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "Layout",
    "NVMMADistributedLayout",
    "NVMMASharedLayout",
    "PaddedSharedLayout",
    "SharedLayout",
    "SharedLinearLayout",
    "SliceLayout",
    "SwizzledSharedLayout",
    "TensorMemoryLayout",
    "TensorMemoryLinearLayout",
    "TensorMemoryScalesLayout",
    "bases_per_dim",
    "warps_per_cta",
]
