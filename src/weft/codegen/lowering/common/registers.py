"""The registers of a value: how many it has, their types, and which of them are equal.

By hand, a layout that holds each of 64 elements twice, registers [1] and [0] of 32 lanes:

    register        0   1   2   3
    element         n  n+1  n  n+1
    first register  0   1   0   1        representative_registers → (0, 1, 0, 1)
"""

from __future__ import annotations

from functools import lru_cache

from xdsl.ir import Attribute

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.indices import register_offsets
from weft.errors import CodegenError
from weft.ir import types
from weft.ir.ttg import AsyncTokenType, MemDescType
from weft.ir.ttng import TensorMemoryAttr
from weft.layouts import LinearLayout

__all__ = [
    "constant_run_registers",
    "distinct_parts",
    "layout_of",
    "part_types",
    "pointee_of",
    "representative_parts",
    "representative_registers",
]


def pointee_of(type_: Attribute) -> Attribute:
    """Get the pointee type of a pointer or of a tensor of pointers."""
    scalar = types.element(type_)
    assert isinstance(scalar, types.PointerType), f"{type_} is no pointer"
    return scalar.pointee


@lru_cache(maxsize=4096)
def layout_of(type_: Attribute) -> LinearLayout:
    """Get the linear layout of a tensor type.

    Raises:
        CodegenError: The tensor has no encoding, or one of memory.
    """
    encoding = types.encoding(type_)
    if encoding is None:
        raise CodegenError(
            f"{type_} has no layout", hint="lower TTGIR: TTIR has not been given layouts yet"
        )
    if encoding.family != "distributed":
        raise CodegenError(
            f"{encoding} does not distribute a tensor over threads", found=str(type_)
        )
    return encoding.linear(types.shape(type_))


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


@lru_cache(maxsize=4096)
def representative_registers(layout: LinearLayout) -> tuple[int, ...]:
    """Map each register to the first one that holds the same element."""
    first: dict[tuple[int, ...], int] = {}
    images = [(0,) * len(layout.out_dims)]
    for basis in layout.bases.get("register", ()):
        images += [tuple(a ^ b for a, b in zip(image, basis, strict=True)) for image in images]
    return tuple(first.setdefault(image, register) for register, image in enumerate(images))


@lru_cache(maxsize=4096)
def constant_run_registers(layout: LinearLayout, constancy: tuple[int, ...]) -> tuple[int, ...]:
    """Map each register to the first one that provably holds the same value.

    Args:
        layout: The layout.
        constancy: Per dimension the size of aligned groups of equal elements. Powers of two count,
            since lanes and warps then move whole groups.
    """
    first: dict[tuple[int, ...], int] = {}
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    groups = zip(
        *(
            [n // (size & -size) for n in along]
            for along, size in zip(offsets, constancy, strict=True)
        ),
        strict=True,
    )
    return tuple(first.setdefault(group, register) for register, group in enumerate(groups))
