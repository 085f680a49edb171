"""Attributes that say where buffers are in shared memory.

module attributes {ttg.shared = 1024 : i32}
  ttg.local_alloc {allocation.offset = 0 : i32}
  ttg.local_alloc {allocation.offset = [0 : i32, 65536 : i32]}     two partitions
  ttg.convert_layout {allocation.offset = 512 : i32}               scratch memory
"""

from __future__ import annotations

from weft.analysis.shared_memory_offsets import ModuleOffsets
from weft.ir import attributes, types
from weft.ir.builtin import ArrayAttr, IntegerAttr, ModuleOp, Operation

__all__ = ["attach_offsets"]

_OFFSET, _SIZE = "allocation.offset", "ttg.shared"


def attach_offsets(module: ModuleOp, offsets: ModuleOffsets) -> None:
    """Set the offsets of a module's operations, and the size of its shared memory."""
    for function in offsets.functions.values():
        for value, ranges in function.buffers.items():
            assert isinstance(value.owner, Operation)
            parts = [_i32(range_.start) for range_ in ranges]
            value.owner.attributes[_OFFSET] = parts[0] if len(parts) == 1 else ArrayAttr(parts)
        for op, range_ in function.scratch.items():
            op.attributes[_OFFSET] = _i32(range_.start)
    module.attributes[_SIZE] = _i32(offsets.size)


def _i32(value: int) -> IntegerAttr:
    return attributes.integer(value, types.i32)
