"""The nvws dialect: communication between the partitions of Triton's warp specialization.

types    asynchronous references, tokens
aref     asynchronous references: multi-buffered values with producers and consumers
ops      tokens, loads into buffers, groups of warps
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.nvws.aref import *  # noqa: F403
from weft.ir.nvws.aref import OPERATIONS as _AREF
from weft.ir.nvws.ops import *  # noqa: F403
from weft.ir.nvws.ops import OPERATIONS as _OPS
from weft.ir.nvws.types import *  # noqa: F403
from weft.ir.nvws.types import ArefType, AsyncOpAttr, TokenType

Nvws = Dialect("nvws", [*_AREF, *_OPS], [ArefType, TokenType, AsyncOpAttr])
