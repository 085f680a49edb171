"""AMD's buffer loads and stores: lanes with an offset outside of the buffer do nothing.

The value of a buffer resource is its base address. The size and flags of all resources are those
that code generation writes, which is checked where one is made. The last argument of an access sets
cache bits, which do not change results.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Operand, Type, parse_type
from weft.simulator.registry import Call, array_intrinsic, intrinsic
from weft.targets import target

__all__ = ["BUFFER_SIZE", "buffer_addresses"]

BUFFER_SIZE = (1 << 31) - 2
"""Bytes of every buffer."""
_WORD_BYTES = 4  # alignment of wider accesses


def buffer_addresses(
    block: Block, resource: Operand, offset: Operand, size: int, scalar_offset: Operand
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the address per thread, and which active threads access bytes inside the buffer.

    Args:
        block: The block.
        resource: The buffer.
        offset: Offset per thread in bytes, which is checked against the buffer's size.
        size: Bytes per thread.
        scalar_offset: Offset for all threads in bytes, which is not checked.
    """
    offsets = block.per_thread(offset).astype(np.int64)
    inside = (offsets >= 0) & (offsets + size <= BUFFER_SIZE)
    return block.get(resource) + offsets + block.get(scalar_offset), block.active & inside


@array_intrinsic("llvm.amdgcn.make.buffer.rsrc.p8.p1")
def _make_resource(
    block: Block, base: np.ndarray, stride: np.ndarray, size: np.ndarray, flags: np.ndarray
) -> np.ndarray:
    """Return the base address of a buffer.

    Raises:
        CodegenError: It has a stride, another size, or flags of another chip.
    """
    fields = [int(each[0]) for each in (stride, size, flags)]
    accepted = [0, BUFFER_SIZE, target(block.launch.chip).buffer_resource_flags]
    if fields != accepted:
        raise CodegenError(
            "the simulator does not support this buffer resource", found=fields, accepted=accepted
        )
    return base


@intrinsic(r"llvm\.amdgcn\.raw\.ptr\.buffer\.(load|store)\.(?:v(\d+))?(i\d+)")
def _access(call: Call) -> Step:
    """Compile a buffer load or store."""
    opcode, count, element_name = call.match.groups()
    arguments = call.arguments
    element, _ = parse_type(element_name)
    type_ = Type(element.name, int(count or 0))
    size = type_.size
    alignment = min(size, _WORD_BYTES)

    def load(block: Block) -> None:
        addresses, mask = buffer_addresses(block, arguments[0], arguments[1], size, arguments[2])
        block.global_memory.traffic.add("load", size, block.active_warps)
        block.count_global("global load", size, addresses, mask)
        values = block.global_memory.load(type_, addresses, mask, alignment=alignment)
        block.set(call.result, values)

    def store(block: Block) -> None:
        addresses, mask = buffer_addresses(block, arguments[1], arguments[2], size, arguments[3])
        block.global_memory.traffic.add("store", size, block.active_warps)
        block.count_global("global store", size, addresses, mask)
        values = block.get(arguments[0])
        block.global_memory.store(type_, addresses, values, mask, alignment=alignment)

    return load if opcode == "load" else store
