"""AMD's buffer loads and stores: offsets behind the end of the buffer are left alone.

A resource is held as its base address; all that code generation makes have the same length.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.registry import Call, intrinsic
from weft.simulator.state import Block, Operand, Step
from weft.simulator.types import Type, parse_type

__all__ = ["within"]

RECORDS = (1 << 31) - 2


def within(
    block: Block, resource: Operand, offset: Operand, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return addresses, and which running threads reach for bytes within a buffer."""
    place = np.broadcast_to(block.get(offset), block.threads).astype(np.int64)
    inside = (place >= 0) & (place + size <= RECORDS)
    return block.get(resource) + place, block.mask & inside


@intrinsic(r"llvm\.amdgcn\.raw\.ptr\.buffer\.(load|store)\.(?:v(\d+))?(i\d+)")
def _access(call: Call) -> Step:
    """Return a buffer instruction as a step."""
    name, arguments = call.match, call.arguments
    element, _ = parse_type(name[3])
    type_ = Type(element.name, int(name[2] or 0))
    size = type_.bytes_each * max(1, type_.count)

    def load(block: Block) -> None:
        address, mask = within(block, arguments[0], arguments[1], size)
        block.memory.traffic.add("load", size, block.warps)
        block.set(call.result, block.memory.load(type_, address, mask))

    def store(block: Block) -> None:
        address, mask = within(block, arguments[1], arguments[2], size)
        block.memory.traffic.add("store", size, block.warps)
        block.memory.store(type_, address, block.get(arguments[0]), mask)

    return load if name[1] == "load" else store
