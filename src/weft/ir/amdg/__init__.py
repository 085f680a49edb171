"""The amdg dialect: operations that only AMD GPUs have.

buffer          loads, stores and atomics by buffer instructions
register_ops    slices and transposes of tensors in registers, casts of small floats
async_copy      asynchronous copies by threads, transposing loads
tdm             copies by the tensor data mover (TDM)
barrier         barriers, cluster barriers, scheduling hints
masked_access   masked vector loads and stores
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.amdg.async_copy import *  # noqa: F403
from weft.ir.amdg.async_copy import OPERATIONS as _ASYNC_COPY
from weft.ir.amdg.barrier import *  # noqa: F403
from weft.ir.amdg.barrier import OPERATIONS as _BARRIER
from weft.ir.amdg.buffer import *  # noqa: F403
from weft.ir.amdg.buffer import OPERATIONS as _BUFFER
from weft.ir.amdg.masked_access import *  # noqa: F403
from weft.ir.amdg.masked_access import OPERATIONS as _MASKED_ACCESS
from weft.ir.amdg.register_ops import *  # noqa: F403
from weft.ir.amdg.register_ops import OPERATIONS as _REGISTER_OPS
from weft.ir.amdg.tdm import *  # noqa: F403
from weft.ir.amdg.tdm import OPERATIONS as _TDM
from weft.ir.amdg.types import *  # noqa: F403
from weft.ir.amdg.types import SchedHintVariantAttr

Amdg = Dialect(
    "amdg",
    [*_BUFFER, *_REGISTER_OPS, *_ASYNC_COPY, *_TDM, *_BARRIER, *_MASKED_ACCESS],
    [SchedHintVariantAttr],
)
