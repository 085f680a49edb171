"""Which buffers hold mbarriers, and until when their memory may hold nothing else.

    %a = ttg.local_alloc          used, invalidated      its memory is free after inval_barrier
    %b = ttg.local_alloc          used                   its memory is never free again
    %c = ttg.local_alloc          not used               nothing waits for it or arrives on it
    ttng.init_barrier %a, 1
    ttng.init_barrier %b, 1
    ttng.init_barrier %c, 1       without code
    ttng.wait_barrier %a, %p
    ttng.wait_barrier %b, %p
    ttng.inval_barrier %a

Memory of an mbarrier may be used for something else only after mbarrier.inval (PTX ISA, "mbarrier
object"). On an H200, a TMA copy into the memory of a valid mbarrier left words of the mbarrier in
the copied tile. Passes initialize mbarriers that nothing uses; they must not extend live ranges.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from weft.analysis.buffer_aliases import Aliases
from weft.ir import ttng
from weft.ir.builtin import SSAValue

__all__ = ["MbarrierUses", "mbarrier_uses"]


class MbarrierUses(Struct):
    """What happens to the mbarriers of one buffer.

    Attributes:
        is_used: Something waits for them, arrives on them, or may.
        is_invalidated: They are invalidated.
    """

    is_used: bool = False
    is_invalidated: bool = False


def mbarrier_uses(aliases: Aliases) -> Mapping[SSAValue, MbarrierUses]:
    """Find the buffers in which a function initializes mbarriers.

    Args:
        aliases: The buffers that each value of the function may refer to.

    Returns:
        The uses of the mbarriers by buffer. Other buffers are missing.
    """
    uses: dict[SSAValue, MbarrierUses] = {}
    initialized: set[SSAValue] = set()
    for value, buffers in aliases.items():
        for user in (use.operation for use in value.uses):
            for buffer in buffers:
                each = uses.setdefault(buffer, MbarrierUses())
                if isinstance(user, ttng.InitBarrierOp):
                    initialized.add(buffer)
                elif isinstance(user, ttng.InvalBarrierOp):
                    each.is_invalidated = True
                elif not any(result in aliases for result in user.results):
                    each.is_used = True
    return {buffer: each for buffer, each in uses.items() if buffer in initialized}
