"""Replace conversions to dot operands that need shared memory by an explicit buffer.

Before:  %1 = ttg.convert_layout %0 : #blocked -> #dot_op
After:   %1 = ttg.local_alloc %0 : (#blocked) -> !ttg.memdesc<…, #shared, #smem>
         %2 = ttg.local_load %1 : … -> #dot_op

Several warps need the same elements of an operand. The buffer holds each element once, swizzled for
the instruction that reads it; the scratch memory of a conversion is not. Conversions that need no
shared memory stay.

Preserves values.
Source: measured on Triton 3.7.1 (`tritongpu-reduce-data-duplication`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import ttg, types
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import Builder, replace, walk
from weft.ir.ttg.types import MemDescType, SharedMemoryAttr
from weft.layouts import DotOperandEncoding
from weft.layouts.dimension_order import memory_order
from weft.layouts.needs_shared_memory import needs_shared_memory
from weft.layouts.operand_swizzling import swizzled_operand_encoding
from weft.passes.ledger import enabled, record_decision

__all__ = ["ReduceDataDuplication"]


class ReduceDataDuplication(Struct, frozen=True):
    """Replaces conversions to dot operands through shared memory by buffers."""

    name: ClassVar[str] = "tritongpu-reduce-data-duplication"

    def run(self, module: ModuleOp) -> None:
        """Replace conversions in place."""
        for op in walk(module):
            if isinstance(op, ttg.ConvertLayoutOp):
                self._replace_by_buffer(op)

    def _replace_by_buffer(self, op: ttg.ConvertLayoutOp) -> None:
        type_ = op.result.type
        source, target = types.encoding(op.src.type), types.encoding(type_)
        shape = types.shape(type_)
        if source is None or not isinstance(target, DotOperandEncoding):
            return
        if not needs_shared_memory(source, target, shape):
            return
        order = memory_order(source, shape)
        buffer = swizzled_operand_encoding(
            target, shape, order, types.bit_width(type_), source=source
        )
        builder = Builder().before(op)
        memory = MemDescType.of(shape, types.element(type_), buffer, SharedMemoryAttr())
        alloc = builder.create(ttg.LocalAllocOp, [op.src], [memory])
        load = builder.create(ttg.LocalLoadOp, [alloc.results[0]], [type_])
        if enabled():
            record_decision(
                self,
                load.results[0],
                str(target),
                "a dot operand that needs shared memory is loaded from a buffer swizzled for it",
                facts=(("buffer", str(buffer)), ("from", str(source))),
                anchor="the dot that uses it",
            )
        replace(op, load.results)
