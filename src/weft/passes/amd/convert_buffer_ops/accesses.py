"""Convert loads, stores and copies to shared memory to buffer instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import amdg, attributes, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.rewriting import constant_value
from weft.passes.amd.convert_buffer_ops.safety import Access, row_stride
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["copy", "nontrivial_mask", "load", "segments", "store", "width"]

MAX_ACCESS_BITS = 128  # per lane


def nontrivial_mask(mask: SSAValue | None) -> SSAValue | None:
    """Return a mask; None if it is the constant true."""
    return None if mask is None or constant_value(mask) == 1 else mask


def _nontrivial_other(other: SSAValue | None) -> SSAValue | None:
    """Return the value of masked-off lanes; None if it is zero, the hardware's default."""
    return None if other is None or constant_value(other) == 0 else other


def width(pointer: SSAValue, mask: SSAValue | None, axis: ModuleAxisInfo) -> int:
    """Compute how many elements a lane accesses at once: aligned, under one mask value."""
    element = types.element(pointer.type)
    bits = types.bit_width(element.pointee if types.is_pointer(element) else element)
    elements = min(MAX_ACCESS_BITS // bits, axis.contiguity(pointer))
    return elements if mask is None else min(elements, axis.mask_alignment(mask))


def segments(parts: Sequence[SSAValue | None]) -> tuple[list[SSAValue], dict[str, Attribute]]:
    """Drop absent optional operands.

    Returns: the present operands, and the `operandSegmentSizes` property.
    """
    operands = [part for part in parts if part is not None]
    sizes = tuple(int(part is not None) for part in parts)
    return operands, {"operandSegmentSizes": attributes.array_i32(sizes)}


def _access_properties(op: Operation, elements: int) -> Mapping[str, Attribute]:
    return {
        "cache": op.properties["cache"],
        "contiguity": attributes.integer(elements, types.i32),
    }


def load(op: tt.LoadOp, access: Access, axis: ModuleAxisInfo, rewriter: Rewriter) -> SSAValue:
    """Replace a load; return the new result."""
    mask = nontrivial_mask(op.mask)
    stride = row_stride(access.offsets)
    operands, sizes = segments(
        (access.base, access.offsets, stride, mask, _nontrivial_other(op.other))
    )  # fmt: skip
    properties = {**sizes, **_access_properties(op, width(op.ptr, mask, axis))}
    type_ = op.results[0].type
    new_op = rewriter.create(amdg.BufferLoadOp, operands, (type_,), properties, before=op)
    rewriter.replace(op, new_op.results)
    return new_op.results[0]


def store(op: tt.StoreOp, access: Access, axis: ModuleAxisInfo, rewriter: Rewriter) -> None:
    """Replace a store."""
    mask = nontrivial_mask(op.mask)
    stride = row_stride(access.offsets)
    operands, sizes = segments((op.value, access.base, access.offsets, stride, mask))
    properties = {**sizes, **_access_properties(op, width(op.ptr, mask, axis))}
    rewriter.create(amdg.BufferStoreOp, operands, (), properties, before=op)
    rewriter.erase(op)


def copy(op: ttg.AsyncCopyGlobalToLocalOp, access: Access, rewriter: Rewriter) -> SSAValue:
    """Replace a copy to shared memory, with the same contiguity; return the new token."""
    operands, sizes = segments(
        (
            op.result,
            access.base,
            access.offsets,
            nontrivial_mask(op.mask),
            _nontrivial_other(op.other),
            row_stride(access.offsets),
        )
    )
    properties = {
        **sizes,
        "cache": op.properties["cache"],
        "contiguity": op.properties["contiguity"],
    }
    types_ = (op.token.type,)
    new_op = rewriter.create(amdg.BufferLoadToLocalOp, operands, types_, properties, before=op)
    rewriter.replace(op, new_op.results)
    return new_op.results[0]
