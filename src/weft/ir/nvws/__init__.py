"""The nvws dialect: how Triton splits a program among groups of warps on NVIDIA's chips.

reference  asynchronous references: rings of buffers that groups hand to each other
channel    tokens, loads into buffers, groups of warps
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.nvws.channel import *  # noqa: F403
from weft.ir.nvws.channel import OPERATIONS as _CHANNEL
from weft.ir.nvws.reference import *  # noqa: F403
from weft.ir.nvws.reference import OPERATIONS as _REFERENCE
from weft.ir.nvws.types import *  # noqa: F403
from weft.ir.nvws.types import ArefType, AsyncOpAttr, TokenType

Nvws = Dialect("nvws", [*_REFERENCE, *_CHANNEL], [ArefType, TokenType, AsyncOpAttr])
