"""Conversion of operations on shared and tensor memory.

    %x = ttg.local_load %m     →  %x has the default layout of its shape
    ttg.local_store %x, %m     →  unchanged: buffers are written from any layout
    %x = ttng.tmem_load %t     →  %y = ttng.tmem_load %t : … #linear
                                  %x = ttg.convert_layout %y : #linear -> #blocked
    ttng.tmem_store %x, %t     →  %y = ttg.convert_layout %x : … -> #linear
                                  ttng.tmem_store %y, %t

#linear is the layout in which warps access the buffer of tensor memory.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.analysis.encoding_inference import result_encoding
from weft.ir import ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import Builder
from weft.layouts import Encoding, TensorMemoryEncoding, TensorMemoryScalesEncoding
from weft.layouts.tensor_memory import tensor_memory_access_encoding
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, encoding_of
from weft.passes.ttir.convert_triton_to_tritongpu.descriptor import convert_row_indices

__all__ = ["convert"]


def convert(op: Operation, conversion: Conversion) -> None:
    """Give the tensors of an operation layouts."""
    rule = _RULES.get(type(op))
    if rule is not None:
        rule(op, conversion)
    else:
        conversion.set_default_results(op)


def _rows(op: Operation, conversion: Conversion) -> None:
    conversion.set_default_operands(op)
    convert_row_indices(op, conversion)


def _load(op: Operation, conversion: Conversion) -> None:
    """Load in the layout of tensor memory, and convert to the default layout."""
    assert isinstance(op, ttng.TMEMLoadOp)
    default_type = conversion.type_of(op.results[0].type)
    encoding = _access_encoding(op.src, conversion)
    conversion.set_result(op, 0, types.with_encoding(default_type, encoding))
    result = op.results[0]
    if result.type != default_type:
        converted = Builder().after(op).create(ttg.ConvertLayoutOp, [result], [default_type])
        result.replace_uses_with_if(
            converted.results[0], lambda use: use.operation is not converted
        )


def _store(op: Operation, conversion: Conversion) -> None:
    """Convert the tensor that is written to the layout of tensor memory."""
    assert isinstance(op, ttng.TMEMStoreOp | ttng.TMEMAllocOp)
    if op.src is None:
        return
    index = op.operands.index(op.src)
    buffer = op.dst if isinstance(op, ttng.TMEMStoreOp) else op.results[0]
    encoding = _access_encoding(buffer, conversion)
    value = conversion.operand(op, index)
    op.operands[index] = conversion.convert_layout(op, value, encoding, op.location)


def _access_encoding(buffer: SSAValue, conversion: Conversion) -> Encoding:
    """Compute the layout of an access; its distribution over CTAs is the default one."""
    type_ = buffer.type
    assert isinstance(type_, ttg.MemDescType)
    memory = type_.encoding
    assert isinstance(memory, TensorMemoryEncoding | TensorMemoryScalesEncoding)
    default = conversion.default(type_.shape)
    return tensor_memory_access_encoding(memory, default, type_.shape, conversion.num_warps)


def _fp4_to_fp(op: Operation, conversion: Conversion) -> None:
    """Keep both values of a byte in one thread."""
    encoding = result_encoding(op, encoding_of(op.operands[0]))
    assert encoding is not None
    conversion.set_result(op, 0, types.with_encoding(op.results[0].type, encoding))


_RULES: dict[type[Operation], Callable[[Operation, Conversion], None]] = {
    ttg.Fp4ToFpOp: _fp4_to_fp,
    ttng.AsyncTMAGatherOp: _rows,
    ttng.AsyncTMAScatterOp: _rows,
    ttng.TMEMLoadOp: _load,
    ttng.TMEMStoreOp: _store,
    ttng.TMEMAllocOp: _store,
}
