"""The ttg dialect: Triton's operations on tensors with layouts and on shared memory.

types              memory descriptors, asynchronous tokens, the shared memory space
layout             convert_layout, fp4_to_fp
memory             buffers: local_alloc, local_load, local_store, …
memdesc_views      views of a buffer: memdesc_index, memdesc_subslice, …
async_copy         asynchronous copies from global to shared memory (cp.async)
warp_specialize    warp_specialize: groups of warps run different regions
program            barrier, warp_id, predicates of software pipelines
folds              folds of these operations
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.ttg.async_copy import *  # noqa: F403
from weft.ir.ttg.async_copy import OPERATIONS as _ASYNC_COPY
from weft.ir.ttg.layout import *  # noqa: F403
from weft.ir.ttg.layout import OPERATIONS as _LAYOUT
from weft.ir.ttg.memdesc_views import *  # noqa: F403
from weft.ir.ttg.memdesc_views import OPERATIONS as _VIEWS
from weft.ir.ttg.memory import *  # noqa: F403
from weft.ir.ttg.memory import OPERATIONS as _MEMORY
from weft.ir.ttg.program import *  # noqa: F403
from weft.ir.ttg.program import OPERATIONS as _PROGRAM
from weft.ir.ttg.types import *  # noqa: F403
from weft.ir.ttg.types import AsyncTokenType, MemDescType, SharedMemoryAttr
from weft.ir.ttg.warp_specialize import *  # noqa: F403
from weft.ir.ttg.warp_specialize import OPERATIONS as _WARP_SPECIALIZE

Ttg = Dialect(
    "ttg",
    [*_LAYOUT, *_MEMORY, *_VIEWS, *_ASYNC_COPY, *_PROGRAM, *_WARP_SPECIALIZE],
    [AsyncTokenType, MemDescType, SharedMemoryAttr],
)
