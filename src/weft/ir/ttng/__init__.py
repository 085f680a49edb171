"""The ttng dialect: operations that only NVIDIA GPUs have.

types            tensor memory space, im2col descriptors
barrier          mbarriers, clusters, proxy fences
tma              the tensor memory accelerator (TMA): copies by descriptor
wgmma            MMA of Hopper's warp groups (wgmma)
tensor_memory    Blackwell's tensor memory (TMEM)
tcgen5           Blackwell's MMA (tcgen05)
assembly         syntax that operations on tensor memory share
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.ttng.barrier import *  # noqa: F403
from weft.ir.ttng.barrier import OPERATIONS as _BARRIER
from weft.ir.ttng.tcgen5 import *  # noqa: F403
from weft.ir.ttng.tcgen5 import OPERATIONS as _TCGEN5
from weft.ir.ttng.tensor_memory import *  # noqa: F403
from weft.ir.ttng.tensor_memory import OPERATIONS as _TENSOR_MEMORY
from weft.ir.ttng.tma import *  # noqa: F403
from weft.ir.ttng.tma import OPERATIONS as _TMA
from weft.ir.ttng.types import *  # noqa: F403
from weft.ir.ttng.types import ReduceModifierAttr, TensorDescIm2ColType, TensorMemoryAttr
from weft.ir.ttng.wgmma import *  # noqa: F403
from weft.ir.ttng.wgmma import OPERATIONS as _WGMMA

Ttng = Dialect(
    "ttng",
    [*_BARRIER, *_TMA, *_WGMMA, *_TENSOR_MEMORY, *_TCGEN5],
    [TensorMemoryAttr, TensorDescIm2ColType, ReduceModifierAttr],
)
