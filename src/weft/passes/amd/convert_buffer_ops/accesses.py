"""Loads, stores and copies to shared memory as buffer instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import amdg, attributes, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.rewriting import constant_value
from weft.passes.amd.convert_buffer_ops.safety import Access, row_stride
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["copy", "given_mask", "load", "segments", "store", "width"]

WIDEST_BITS = 128  # of one lane's access


def given_mask(mask: SSAValue | None) -> SSAValue | None:
    """Return a mask, None if it is true everywhere."""
    return None if mask is None or constant_value(mask) == 1 else mask


def _given_other(other: SSAValue | None) -> SSAValue | None:
    """Return what lanes without access get, None if that is zero, as it is anyway."""
    return None if other is None or constant_value(other) == 0 else other


def width(pointer: SSAValue, mask: SSAValue | None, axis: ModuleAxisInfo) -> int:
    """Return how many elements a lane accesses at once: aligned, in a row, under one mask bit."""
    element = types.element(pointer.type)
    bits = types.bit_width(element.pointee if types.is_pointer(element) else element)
    elements = min(WIDEST_BITS // bits, axis.contiguity(pointer))
    return elements if mask is None else min(elements, axis.mask_alignment(mask))


def segments(parts: Sequence[SSAValue | None]) -> tuple[list[SSAValue], dict[str, Attribute]]:
    """Return operands without those that are not given, and the sizes that say which are."""
    given = [part for part in parts if part is not None]
    sizes = tuple(int(part is not None) for part in parts)
    return given, {"operandSegmentSizes": attributes.array_i32(sizes)}


def _kept(op: Operation, elements: int) -> Mapping[str, Attribute]:
    return {
        "cache": op.properties["cache"],
        "contiguity": attributes.integer(elements, types.i32),
    }


def load(op: tt.LoadOp, access: Access, axis: ModuleAxisInfo, rewriter: Rewriter) -> SSAValue:
    """Replace a load; return what was loaded."""
    mask = given_mask(op.mask)
    stride = row_stride(access.offsets)
    operands, sizes = segments(
        (access.base, access.offsets, stride, mask, _given_other(op.other))
    )  # fmt: skip
    properties = {**sizes, **_kept(op, width(op.ptr, mask, axis))}
    type_ = op.results[0].type
    made = rewriter.create(amdg.BufferLoadOp, operands, (type_,), properties, before=op)
    rewriter.replace(op, made.results)
    return made.results[0]


def store(op: tt.StoreOp, access: Access, axis: ModuleAxisInfo, rewriter: Rewriter) -> None:
    """Replace a store."""
    mask = given_mask(op.mask)
    stride = row_stride(access.offsets)
    operands, sizes = segments((op.value, access.base, access.offsets, stride, mask))
    properties = {**sizes, **_kept(op, width(op.ptr, mask, axis))}
    rewriter.create(amdg.BufferStoreOp, operands, (), properties, before=op)
    rewriter.erase(op)


def copy(op: ttg.AsyncCopyGlobalToLocalOp, access: Access, rewriter: Rewriter) -> SSAValue:
    """Replace a copy to shared memory, which keeps the width that it has; return its token."""
    operands, sizes = segments(
        (
            op.result,
            access.base,
            access.offsets,
            given_mask(op.mask),
            _given_other(op.other),
            row_stride(access.offsets),
        )
    )
    properties = {
        **sizes,
        "cache": op.properties["cache"],
        "contiguity": op.properties["contiguity"],
    }
    types_ = (op.token.type,)
    made = rewriter.create(amdg.BufferLoadToLocalOp, operands, types_, properties, before=op)
    rewriter.replace(op, made.results)
    return made.results[0]
