"""Plan accesses to shared memory: of tensors to buffers, and of asynchronous copies.

    ttg.local_load %b : memdesc<128x64xf16> -> tensor<…, #dot_op 0>      ldmatrix x4, 16 per warp
    ttg.async_copy_global_to_local %p, %b                                 a vector of 16 bytes

`weft.layouts.plans` chooses instructions and addresses from layouts; this module derives the
layouts and the limits from types and facts.
"""

from __future__ import annotations

from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.axis_info import ModuleAxisInfo
from weft.errors import CodegenError
from weft.ir import amdg, ttg
from weft.ir.ttg import MemDescType
from weft.ir.types import storage_bytes
from weft.layouts import LinearLayout, PaddedSharedEncoding
from weft.layouts.plans.direct_to_lds import direct_to_lds_access
from weft.layouts.plans.local_access import local_access
from weft.layouts.plans.shared_access import SharedAccess
from weft.lowering_plans.global_access import offset_contiguity, vector_width
from weft.lowering_plans.memdesc import memdesc_of, memory_layout
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.registers import layout_of
from weft.targets import Target

__all__ = [
    "copied_elements",
    "elements_by_offset",
    "plan_async_copy",
    "plan_buffer_copy",
    "plan_copy_to_global",
    "plan_local_access",
]

_UNLIMITED = 1 << 30


def plan_local_access(
    tensor: Attribute, view: MemDescType, kind: str, target: Target
) -> SharedAccess:
    """Plan how a tensor is stored to, or loaded from, a buffer.

    Args:
        tensor: Type of the tensor.
        view: Type of the memory descriptor.
        kind: "read" or "write".
        target: The chip.

    Raises:
        CodegenError: Another CTA holds an element, or also stores it.
        LayoutError: The buffer does not hold the tensor, or no instruction fits.
    """
    bits, run = 8 * storage_bytes(view.element_type), _UNLIMITED
    if isinstance(view.encoding, PaddedSharedEncoding):
        run = view.encoding.longest_run
    layout, memory = layout_of(tensor), memory_layout(view)
    ctas = layout.in_size("block")
    if ctas > 1 and memory.in_size("block") == 1:
        # A descriptor whose uses disagree has no CTA layout: each CTA holds the whole tile.
        memory = memory * LinearLayout.zeros_1d(ctas, "block", memory.outs[0][0])
    _check_ctas(layout, memory, view, kind)
    return local_access(layout, memory, bits, target.shared_memory, kind, run)


def _check_ctas(tensor: LinearLayout, memory: LinearLayout, view: MemDescType, kind: str) -> None:
    """Check that each CTA of a cluster accesses only its own shared memory.

    Raises:
        CodegenError: Another CTA holds the element, or also stores it.
    """
    if tensor.in_size("block") == 1:
        return
    tensor_ctas, memory_ctas = (
        [tuple(one.unpack(image)) for image in one.images("block")] for one in (tensor, memory)
    )
    own = all(not any(b) or a == b for a, b in zip(tensor_ctas, memory_ctas, strict=True))
    if not own or (kind == "write" and tensor_ctas != memory_ctas):
        raise CodegenError(
            f"a block of a cluster can {kind} only its own shared memory",
            found=f"{view} by blocks that step by {tensor_ctas}",
            accepted=[f"blocks that step by {memory_ctas}"],
            hint="convert_layout moves tensors between blocks",
        )


def copied_elements(
    op: Operation, pointers: SSAValue, mask: SSAValue | None, facts: ModuleAxisInfo
) -> int:
    """Count the contiguous elements that one lane of an asynchronous copy can move."""
    most = max(vector_width(facts, pointers, mask), integer_property(op, "contiguity", 1))
    return most if mask is None else min(most, facts.mask_alignment(mask))


def elements_by_offset(op: amdg.BufferLoadToLocalOp, facts: ModuleAxisInfo) -> int:
    """Count the contiguous elements that one lane of a buffer copy can move."""
    bits = 8 * storage_bytes(memdesc_of(op.dest).element_type)
    most = offset_contiguity(facts, op, op.offsets, bits)
    return most if op.mask is None else min(most, facts.mask_alignment(op.mask))


def plan_async_copy(
    op: ttg.AsyncCopyGlobalToLocalOp, facts: ModuleAxisInfo, target: Target
) -> SharedAccess | None:
    """Plan the vectors that each lane copies to shared memory; None if none bypass registers."""
    view = memdesc_of(op.result)
    most = copied_elements(op, op.src, op.mask, facts)
    if target.direct_to_lds_bits:
        return _direct_access(op.src.type, view, most, target)
    if isinstance(view.encoding, PaddedSharedEncoding):
        most = min(most, *view.encoding.intervals)
    bits = 8 * storage_bytes(view.element_type)
    layouts = layout_of(op.src.type), memory_layout(view)
    return local_access(*layouts, bits, target.shared_memory, "write", most, plain=True)


def plan_buffer_copy(
    op: amdg.BufferLoadToLocalOp, facts: ModuleAxisInfo, target: Target
) -> SharedAccess | None:
    """Plan a copy to LDS by buffer loads; None if it goes through registers."""
    return _direct_access(
        op.offsets.type, memdesc_of(op.dest), elements_by_offset(op, facts), target
    )


def _direct_access(
    tensor: Attribute, view: MemDescType, most: int, target: Target
) -> SharedAccess | None:
    """Find the plan of a copy to LDS by the widest load that the chip has.

    Args:
        tensor: Type of the tensor of pointers or offsets.
        view: Type of the memory descriptor.
        most: Contiguous elements that one lane can copy.
        target: The chip.

    Returns:
        None if the lanes of a wave would not write contiguously.
    """
    encoding = view.encoding
    return direct_to_lds_access(
        layout_of(tensor),
        memory_layout(view),
        8 * storage_bytes(view.element_type),
        most,
        target.direct_to_lds_bits,
        target.shared_memory,
        interval=min(encoding.intervals) if isinstance(encoding, PaddedSharedEncoding) else 0,
    )


def plan_copy_to_global(
    op: amdg.AsyncCopyLocalToGlobalOp, facts: ModuleAxisInfo, target: Target
) -> SharedAccess:
    """Plan the vectors that each lane copies from shared memory to global memory."""
    view = memdesc_of(op.src)
    most = copied_elements(op, op.dst, op.mask, facts)
    if isinstance(view.encoding, PaddedSharedEncoding):
        most = min(most, *view.encoding.intervals)
    bits = 8 * storage_bytes(view.element_type)
    layouts = layout_of(op.dst.type), memory_layout(view)
    return local_access(*layouts, bits, target.shared_memory, "read", most, plain=True)
