"""The layouts of registers in which the warps of an operation access tensor memory."""

from __future__ import annotations

from weft.ir import ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import (
    Encoding,
    LinearEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)
from weft.layouts.tensor_memory import (
    registers_of_cluster,
    tensor_memory_16x256b_encoding,
    tensor_memory_access_encoding,
    tensor_memory_of_cta,
)
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["default_registers", "registers_16x256b", "relayout_load"]


def default_registers(op: Operation, memory: ttg.MemDescType, tensor: Encoding) -> LinearEncoding:
    """Compute the layout in which each lane holds a row.

    Args:
        op: The operation whose warps access the buffer.
        memory: The type of the buffer.
        tensor: A layout of the tensor, whose distribution over CTAs stays.
    """
    encoding = memory.encoding
    assert isinstance(encoding, TensorMemoryEncoding | TensorMemoryScalesEncoding)
    return tensor_memory_access_encoding(encoding, tensor, memory.shape, lookup_num_warps(op))


def registers_16x256b(
    op: Operation, memory: ttg.MemDescType, tensor: Encoding
) -> LinearEncoding | None:
    """Compute the layout of the shape 16x256b, None if the buffer is no matrix that has it.

    Args:
        op: The operation whose warps access the buffer.
        memory: The type of the buffer.
        tensor: A layout of the tensor, whose distribution over CTAs stays.
    """
    encoding = memory.encoding
    if not isinstance(encoding, TensorMemoryEncoding):
        return None
    registers = tensor_memory_16x256b_encoding(
        tensor_memory_of_cta(encoding, memory.shape),
        types.bit_width(memory.element_type),
        lookup_num_warps(op),
    )
    return None if registers is None else registers_of_cluster(registers, tensor, memory.shape)


def relayout_load(
    load: ttng.TMEMLoadOp, encoding: Encoding, rewriter: Rewriter
) -> tuple[SSAValue, SSAValue]:
    """Load in another layout, and convert to the old one for the users.

    Returns: the loaded tensor, and what replaces the old one.
    """
    old = load.results[0].type
    type_ = types.with_encoding(old, encoding)
    results = [type_, *(result.type for result in load.results[1:])]
    new_load = rewriter.create(
        ttng.TMEMLoadOp, tuple(load.operands), results, load.properties, before=load
    )
    converted = rewriter.create(
        ttg.ConvertLayoutOp, (new_load.results[0],), (old,), before=load
    ).results[0]
    rewriter.replace(load, [converted, *new_load.results[1:]])
    return new_load.results[0], converted
