"""The registers of a tensor: where each one steps, and which of them are equal.

By hand, a layout that holds each of 64 elements twice, registers [1] and [0] of 32 lanes:

    register        0   1   2   3
    element         n  n+1  n  n+1
    first register  0   1   0   1        representative_registers → (0, 1, 0, 1)
"""

from __future__ import annotations

from functools import lru_cache

from xdsl.ir import Attribute

from weft.errors import CodegenError
from weft.ir import types
from weft.layouts import LinearLayout

__all__ = [
    "constant_run_registers",
    "layout_of",
    "pointee_of",
    "register_offsets",
    "representative_registers",
]


def pointee_of(type_: Attribute) -> Attribute:
    """Get the pointee type of a pointer or of a tensor of pointers.

    Raises:
        CodegenError: It is a block pointer.
    """
    scalar = types.element(type_)
    assert isinstance(scalar, types.PointerType), f"{type_} is no pointer"
    if types.is_tensor(scalar.pointee):
        raise CodegenError(
            f"{type_} is a block pointer, which cannot be lowered to LLVM IR",
            hint="run triton-rewrite-tensor-pointer first",
        )
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


@lru_cache(maxsize=4096)
def register_offsets(layout: LinearLayout, dim: int) -> tuple[int, ...]:
    """List the offset of each register from register 0 along a dimension."""
    offsets = [0]
    for image in layout.bases.get("register", ()):
        offsets += [offset ^ image[dim] for offset in offsets]
    return tuple(offsets)


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
