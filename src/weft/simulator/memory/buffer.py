"""AMD's buffer loads and stores: offsets behind the end of the buffer are left alone.

A resource is held as its base address: all have the length that is checked where one is made, and
the flags of their chip. The last argument of an access tells caches, which change no result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Operand, Step
from weft.simulator.llvm_ir.types import Type, parse_type
from weft.simulator.registry import Call, intrinsic, value
from weft.targets import target

__all__ = ["within"]

RECORDS = (1 << 31) - 2
_WORD_BYTES = 4  # what addresses of wider accesses are multiples of


def within(
    block: Block, resource: Operand, offset: Operand, size: int, moved: Operand
) -> tuple[np.ndarray, np.ndarray]:
    """Return addresses, and which running threads reach for bytes within a buffer.

    Args: moved: bytes from a scalar register, behind which the buffer's end is not looked for.
    """
    place = np.broadcast_to(block.get(offset), block.threads).astype(np.int64)
    inside = (place >= 0) & (place + size <= RECORDS)
    return block.get(resource) + place + block.get(moved), block.mask & inside


@value("llvm.amdgcn.make.buffer.rsrc.p8.p1")
def _resource(block: Block, base: Any, stride: Any, records: Any, flags: Any) -> np.ndarray:
    """Return the base of a buffer.

    Raises: CodegenError: one of rows, of another length, or with the flags of another chip.
    """
    found = [int(each[0]) for each in (stride, records, flags)]
    wanted = [0, RECORDS, target(block.chip).buffer_resource_flags]
    if found != wanted:
        raise CodegenError("a buffer that is not simulated", found=found, accepted=wanted)
    return base


@intrinsic(r"llvm\.amdgcn\.raw\.ptr\.buffer\.(load|store)\.(?:v(\d+))?(i\d+)")
def _access(call: Call) -> Step:
    """Return a buffer instruction as a step."""
    name, arguments = call.match, call.arguments
    element, _ = parse_type(name[3])
    type_ = Type(element.name, int(name[2] or 0))
    size = type_.bytes_each * max(1, type_.count)
    aligned = min(size, _WORD_BYTES)

    def load(block: Block) -> None:
        address, mask = within(block, arguments[0], arguments[1], size, arguments[2])
        block.memory.traffic.add("load", size, block.warps)
        found = block.memory.load(type_, address, mask, aligned=aligned)
        block.set(call.result, found)

    def store(block: Block) -> None:
        address, mask = within(block, arguments[1], arguments[2], size, arguments[3])
        block.memory.traffic.add("store", size, block.warps)
        values = block.get(arguments[0])
        block.memory.store(type_, address, values, mask, aligned=aligned)

    return load if name[1] == "load" else store
