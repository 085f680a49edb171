"""The ttg dialect: what Triton adds once tensors have layouts, one file per family.

types            memory descriptors, asynchronous tokens, the shared memory space
layout           convert_layout, fp4_to_fp
memory           buffers: local_alloc, local_load, local_store, …
views            parts and other shapes of a buffer: memdesc_index, memdesc_subslice, …
copies           asynchronous copies into shared memory
specialization   warp_specialize: different warps run different regions
program          barrier, warp_id, predicates of software pipelines
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.ttg.copies import *  # noqa: F403
from weft.ir.ttg.copies import OPERATIONS as _COPIES
from weft.ir.ttg.layout import *  # noqa: F403
from weft.ir.ttg.layout import OPERATIONS as _LAYOUT
from weft.ir.ttg.memory import *  # noqa: F403
from weft.ir.ttg.memory import OPERATIONS as _MEMORY
from weft.ir.ttg.program import *  # noqa: F403
from weft.ir.ttg.program import OPERATIONS as _PROGRAM
from weft.ir.ttg.specialization import *  # noqa: F403
from weft.ir.ttg.specialization import OPERATIONS as _SPECIALIZATION
from weft.ir.ttg.types import *  # noqa: F403
from weft.ir.ttg.types import AsyncTokenType, MemDescType, SharedMemoryAttr
from weft.ir.ttg.views import *  # noqa: F403
from weft.ir.ttg.views import OPERATIONS as _VIEWS

Ttg = Dialect(
    "ttg",
    [*_LAYOUT, *_MEMORY, *_VIEWS, *_COPIES, *_PROGRAM, *_SPECIALIZATION],
    [AsyncTokenType, MemDescType, SharedMemoryAttr],
)
