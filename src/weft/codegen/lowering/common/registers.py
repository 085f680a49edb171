"""The registers of a value: how many it has, their types, and which of them are equal.

By hand, a layout that holds each of 64 elements twice, registers [1] and [0] of 32 lanes:

    register        0   1   2   3
    element         n  n+1  n  n+1
    first register  0   1   0   1        representative_registers → (0, 1, 0, 1)
"""

from __future__ import annotations

from xdsl.ir import Attribute

from weft.codegen.llvm.types import llvm_type
from weft.ir import types
from weft.ir.ttg import AsyncTokenType, MemDescType
from weft.ir.ttng import TensorMemoryAttr
from weft.lowering_plans.registers import (
    constant_run_registers,
    layout_of,
    pointee_of,
    representative_registers,
)

__all__ = [
    "constant_run_registers",
    "distinct_parts",
    "layout_of",
    "part_types",
    "pointee_of",
    "representative_parts",
    "representative_registers",
]


def part_types(type_: Attribute) -> list[str]:
    """List the LLVM types of a value's parts.

    A tensor has one part per register, a scalar one, a view of shared memory an address and an
    offset, a view of tensor memory an address, and a token none.
    """
    if isinstance(type_, MemDescType):
        if isinstance(type_.memory_space, TensorMemoryAttr):
            return ["i32"]
        return ["ptr addrspace(3)", "i32"]
    if isinstance(type_, AsyncTokenType):
        return []
    if not types.is_tensor(type_):
        return [llvm_type(type_)]
    return [llvm_type(type_)] * layout_of(type_).in_dims["register"]


def distinct_parts(type_: Attribute) -> tuple[int, ...]:
    """List the parts of a value that hold distinct elements."""
    return tuple(sorted(set(representative_parts(type_))))


def representative_parts(type_: Attribute) -> tuple[int, ...]:
    """Map each part of a value to the first one that holds the same element."""
    if types.is_tensor(type_):
        return representative_registers(layout_of(type_))
    return tuple(range(len(part_types(type_))))
