"""Op interfaces: what passes and analyses ask an operation without knowing its class.

region_branch    where control goes between an operation and its regions, and with which values
loop_like        bounds, induction variable and loop-carried values of a loop
branch           terminators that branch between the blocks of one region
call             calls and the functions that they call
forwarding       which values control flow assigns to a value, over regions and blocks
memory_effects   which effects on memory an operation has

They are MLIR's interfaces of the same names. An operation implements one by inheriting from it;
`isinstance(op, LoopLikeOpInterface)` asks for it. No interface imports a dialect.
"""

from __future__ import annotations

from weft.ir.interfaces.branch import BlockEdge, BranchOpInterface
from weft.ir.interfaces.call import CallableOpInterface, CallOpInterface
from weft.ir.interfaces.forwarding import forwarded_from, forwarded_to
from weft.ir.interfaces.loop_like import LoopBounds, LoopLikeOpInterface
from weft.ir.interfaces.memory_effects import (
    Effect,
    MemoryEffectOpInterface,
    get_effects,
    is_memory_effect_free,
    is_trivially_dead,
    would_be_trivially_dead,
)
from weft.ir.interfaces.region_branch import (
    RegionBranchOpInterface,
    RegionBranchTerminatorOpInterface,
    RegionEdge,
)

__all__ = [
    "BlockEdge",
    "BranchOpInterface",
    "CallOpInterface",
    "CallableOpInterface",
    "Effect",
    "LoopBounds",
    "LoopLikeOpInterface",
    "MemoryEffectOpInterface",
    "RegionBranchOpInterface",
    "RegionBranchTerminatorOpInterface",
    "RegionEdge",
    "forwarded_from",
    "forwarded_to",
    "get_effects",
    "is_memory_effect_free",
    "is_trivially_dead",
    "would_be_trivially_dead",
]
