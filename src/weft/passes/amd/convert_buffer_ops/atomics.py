"""Convert atomic operations to buffer instructions if the chip has one for the type."""

from __future__ import annotations

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import amdg, tt, types
from weft.ir.builtin import SSAValue
from weft.ir.enums import MemSyncScope, RMWOp
from weft.passes.amd.convert_buffer_ops.accesses import nontrivial_mask, segments, width
from weft.passes.amd.convert_buffer_ops.safety import Access, Refusal, row_stride
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.buffer_instructions import BufferInstructions

__all__ = ["compare_and_swap", "read_modify_write", "unsupported"]

_PACKED_BITS = 16  # elements of this size are updated in pairs


def unsupported(
    op: tt.AtomicRMWOp | tt.AtomicCASOp, axis: ModuleAxisInfo, chip: BufferInstructions
) -> Refusal | None:
    """Return why an atomic operation cannot be converted; None if it can."""
    if MemSyncScope.of(op.properties["scope"]) is MemSyncScope.SYSTEM:
        return Refusal("buffer instructions do not support system scope")
    element = types.element(op.results[0].type)
    name = (
        "cas" if isinstance(op, tt.AtomicCASOp) else str(RMWOp.of(op.properties["atomic_rmw_op"]))
    )
    if not chip.has_atomic(name, str(element)):
        return Refusal(
            "the chip has no such buffer instruction", (("operation", f"{name} {element}"),)
        )
    if isinstance(op, tt.AtomicRMWOp) and types.bit_width(element) == _PACKED_BITS:
        elements = width(op.ptr, op.mask, axis)
        if elements % 2:
            return Refusal(
                "16-bit atomics need pairs of elements", (("contiguity", str(elements)),)
            )
    return None


def read_modify_write(op: tt.AtomicRMWOp, access: Access, rewriter: Rewriter) -> SSAValue:
    """Replace an atomic operation; return its new result."""
    stride, mask = row_stride(access.offsets), nontrivial_mask(op.mask)
    operands, sizes = segments((access.base, access.offsets, op.val, stride, mask))
    properties = {name: op.properties[name] for name in ("atomic_rmw_op", "sem", "scope")}
    type_ = op.results[0].type
    new_op = rewriter.create(
        amdg.BufferAtomicRMWOp, operands, (type_,), {**sizes, **properties}, before=op
    )  # fmt: skip
    rewriter.replace(op, new_op.results)
    return new_op.results[0]


def compare_and_swap(op: tt.AtomicCASOp, access: Access, rewriter: Rewriter) -> SSAValue:
    """Replace a compare-and-swap; return its new result."""
    stride = row_stride(access.offsets)
    operands = [access.base, access.offsets, op.cmp, op.val, *(() if stride is None else (stride,))]
    properties = {name: op.properties[name] for name in ("sem", "scope")}
    type_ = op.results[0].type
    new_op = rewriter.create(amdg.BufferAtomicCASOp, operands, (type_,), properties, before=op)
    rewriter.replace(op, new_op.results)
    return new_op.results[0]
