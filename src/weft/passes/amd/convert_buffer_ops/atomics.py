"""Atomic operations as buffer instructions, where a chip has one for the type."""

from __future__ import annotations

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import amdg, tt, types
from weft.ir.builtin import SSAValue
from weft.ir.enums import MemSyncScope, RMWOp
from weft.passes.amd.convert_buffer_ops.accesses import given_mask, segments, width
from weft.passes.amd.convert_buffer_ops.safety import Access, Refusal, row_stride
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.buffer_instructions import BufferInstructions

__all__ = ["compare_and_swap", "read_modify_write", "refused"]

_PACKED_BITS = 16  # elements of so many bits are combined in pairs


def refused(
    op: tt.AtomicRMWOp | tt.AtomicCASOp, axis: ModuleAxisInfo, chip: BufferInstructions
) -> Refusal | None:
    """Return why an atomic operation has no buffer instruction, None if it has one."""
    if MemSyncScope.of(op.properties["scope"]) is MemSyncScope.SYSTEM:
        return Refusal("other devices see it, which a buffer instruction does not promise")
    element = types.element(op.results[0].type)
    name = (
        "cas" if isinstance(op, tt.AtomicCASOp) else str(RMWOp.of(op.properties["atomic_rmw_op"]))
    )
    if not chip.has_atomic(name, str(element)):
        return Refusal("the chip has no such instruction", (("operation", f"{name} {element}"),))
    if isinstance(op, tt.AtomicRMWOp) and types.bit_width(element) == _PACKED_BITS:
        together = width(op.ptr, op.mask, axis)
        if together % 2:
            return Refusal("pairs of elements are needed", (("together", str(together)),))
    return None


def read_modify_write(op: tt.AtomicRMWOp, access: Access, rewriter: Rewriter) -> SSAValue:
    """Replace an atomic operation; return the old values."""
    stride, mask = row_stride(access.offsets), given_mask(op.mask)
    operands, sizes = segments((access.base, access.offsets, op.val, stride, mask))
    kept = {name: op.properties[name] for name in ("atomic_rmw_op", "sem", "scope")}
    type_ = op.results[0].type
    made = rewriter.create(
        amdg.BufferAtomicRMWOp, operands, (type_,), {**sizes, **kept}, before=op
    )  # fmt: skip
    rewriter.replace(op, made.results)
    return made.results[0]


def compare_and_swap(op: tt.AtomicCASOp, access: Access, rewriter: Rewriter) -> SSAValue:
    """Replace a compare-and-swap; return the old values."""
    stride = row_stride(access.offsets)
    operands = [access.base, access.offsets, op.cmp, op.val, *(() if stride is None else (stride,))]
    kept = {name: op.properties[name] for name in ("sem", "scope")}
    type_ = op.results[0].type
    made = rewriter.create(amdg.BufferAtomicCASOp, operands, (type_,), kept, before=op)
    rewriter.replace(op, made.results)
    return made.results[0]
