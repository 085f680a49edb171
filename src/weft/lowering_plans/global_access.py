"""Plan accesses to global memory: the width of a vector, and which registers begin one.

    tensor<1024x!tt.ptr<f16>, #blocked>     8 registers of a thread, one access of 16 bytes

A thread's registers are cut into vectors that are contiguous in memory (by the layout), aligned (by
axis info) and share one mask bit. All threads that hold an element load it, but only one stores it.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.axis_info import ModuleAxisInfo
from weft.errors import CodegenError
from weft.ir import types
from weft.layouts.dimension_order import contiguous_per_thread, dimension_order
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.registers import layout_of, pointee_of, representative_registers
from weft.targets import Target

__all__ = [
    "WIDEST_BITS",
    "atomic_width",
    "buffer_width",
    "most_added",
    "offset_contiguity",
    "vector_starts",
    "vector_width",
]

WIDEST_BITS = 128


def vector_width(facts: ModuleAxisInfo, pointer: SSAValue, mask: SSAValue | None) -> int:
    """Count the registers of one vector access."""
    if not types.is_tensor(pointer.type):
        return 1
    bits = 8 * types.storage_bytes(pointee_of(pointer.type))
    most = min(WIDEST_BITS // bits, facts.contiguity(pointer))
    return most if mask is None else min(most, facts.mask_alignment(mask))


def vector_starts(type_: Attribute, count: int) -> Iterator[int]:
    """Yield the first register of each vector of `count` registers with distinct elements."""
    if not types.is_tensor(type_):
        yield 0
        return
    firsts = representative_registers(layout_of(type_))
    for start in range(0, len(firsts), count):
        if firsts[start] == start:
            yield start


def offset_contiguity(facts: ModuleAxisInfo, op: Operation, offsets: SSAValue, bits: int) -> int:
    """Count the neighbouring registers whose offsets are contiguous, for a buffer instruction.

    Args:
        facts: The axis information of the module.
        op: The access, whose attribute has the contiguity of the original pointers.
        offsets: Offsets of the elements, a tensor.
        bits: Bits of an element.

    Raises:
        CodegenError: The attribute is not a power of two.
    """
    layout = layout_of(offsets.type)
    most = contiguous_per_thread(layout)[dimension_order(layout)[0]]
    of_pointers = integer_property(op, "contiguity", 1)
    if of_pointers < 1 or of_pointers & (of_pointers - 1):
        raise CodegenError("contiguity must be a power of two", found=of_pointers)
    return max(facts.contiguity(offsets, bits), min(of_pointers, most))


def buffer_width(
    facts: ModuleAxisInfo, op: Operation, offsets: SSAValue, mask: SSAValue | None, data: Attribute
) -> int:
    """Count the registers that one buffer instruction accesses.

    Args:
        facts: The axis information of the module.
        op: The access.
        offsets: Offsets of the elements.
        mask: The mask, if there is one.
        data: Type of the tensor that is accessed.

    Raises:
        CodegenError: The attribute `contiguity` is not a power of two.
    """
    bits = 8 * types.storage_bytes(data)
    most = min(WIDEST_BITS // bits, offset_contiguity(facts, op, offsets, bits))
    return most if mask is None else min(most, facts.mask_alignment(mask))


def most_added(target: Target, element: str) -> int:
    """Count the floats, "f16", that one atomic addition takes; 0 if there is none."""
    widths = (fact.partition("x") for fact in target.atomic_adds)
    return next((int(most) for kind, _, most in widths if kind == element), 0)


def atomic_width(target: Target, operation: str, element: str) -> int:
    """Count the neighbouring elements that one atomic update can take.

    Args:
        target: The chip.
        operation: Triton's keyword: "fadd".
        element: Name of the element type: "f16".
    """
    return max(1, most_added(target, element)) if operation == "fadd" else 1
