"""Types that contain element types: pointers and blocks.

    pointer_type(float16)           a pointer to fp16 in global memory: "pointer<fp16>"
    block_type(float32, (16, 8))    a block of 16 × 8 fp32: "<['16', '8'], fp32>"

Types are compared structurally.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from weft.errors import SignatureError, TypeMismatchError, did_you_mean
from weft.language.dtypes import SIGNATURE_TYPES, Kind, dtype, int32

MAX_BLOCK_ELEMENTS = 1 << 20
"""The maximum number of elements of a block: TRITON_MAX_TENSOR_NUMEL."""


class pointer_type(dtype):
    """The type of a pointer.

    Attributes:
        element_ty: The type it points to: an element type, or a block for a block pointer.
        address_space: 1 is global memory.
        const: The pointer cannot be stored to.
    """

    __slots__ = ("address_space", "const", "element_ty")

    def __init__(self, element_ty: dtype, address_space: int = 1, const: bool = False) -> None:
        if not isinstance(element_ty, dtype):
            raise TypeMismatchError(
                f"element_ty has type `{type(element_ty).__name__}`; expected `dtype`",
                found=element_ty,
                accepted=("a dtype of weft.language",),
            )
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.name = f"{'const_' if const else ''}pointer<{element_ty}>"

    @property
    def element_kind(self) -> Kind:
        """VOID: a pointer is not an arithmetic type."""
        return Kind.VOID

    @property
    def primitive_bitwidth(self) -> int:
        """The width of an address in bits."""
        return 64

    def is_ptr(self) -> bool:
        """Check whether the type is a pointer: true."""
        return True

    def is_const(self) -> bool:
        """Check whether the pointer cannot be stored to."""
        return self.const

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        return f"P{self.element_ty.mangle()}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, pointer_type)
            and self.element_ty == other.element_ty
            and self.address_space == other.address_space
            and self.const == other.const
        )

    def __hash__(self) -> int:
        return hash((self.name, self.address_space))

    def __repr__(self) -> str:
        return self.name


class block_type(dtype):
    """The type of a block: a tile of elements of one type.

    Args:
        element_ty: An element type or a pointer.
        shape: The extents, each a power of two, with at most 2**20 elements in all.

    Raises:
        TypeMismatchError: The shape is not that of a block.
    """

    __slots__ = ("_shape", "element_ty")

    def __init__(self, element_ty: dtype, shape: Sequence[object]) -> None:
        self.element_ty = element_ty
        self._shape = check_block_shape(shape)
        self.name = f"<{[str(extent) for extent in self._shape]}, {element_ty}>"

    @property
    def element_kind(self) -> Kind:
        """VOID: `scalar` has the kind of the elements."""
        return Kind.VOID

    @property
    def primitive_bitwidth(self) -> int:
        """The width of one element in bits."""
        return self.element_ty.primitive_bitwidth

    @property
    def scalar(self) -> dtype:
        """The type of one element."""
        return self.element_ty

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each dimension."""
        return self._shape

    @property
    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self._shape)

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.numel * self.element_ty.primitive_bitwidth // 8

    def get_block_shapes(self) -> tuple[int, ...]:
        """Return the extent of each dimension."""
        return self._shape

    def is_block(self) -> bool:
        """Check whether the type is a block: true."""
        return True

    def with_element_ty(self, scalar_ty: dtype) -> block_type:  # pyright: ignore
        """Return the type of a block of the same shape with elements of another type."""
        return block_type(scalar_ty, self._shape)

    @property
    def encoding(self) -> Any:
        """The layout of the IR type; None, as only the types of Gluon have one."""
        return None

    def derive(self, shape: Sequence[int], infer: Callable[[Any], Any]) -> block_type:
        """Return the type of a block of another shape with elements of this type.

        Args:
            shape: The shape.
            infer: Compute the layout of the result from that of this type, if it has one.
        """
        return block_type(self.element_ty, shape)

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        return f"{self.element_ty.mangle()}S{'_'.join(map(str, self._shape))}S"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, block_type)
            and self.element_ty == other.element_ty
            and self._shape == other._shape
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


def check_block_shape(shape: Sequence[object]) -> tuple[int, ...]:
    """Validate the shape of a block.

    Args:
        shape: Integers, plain or `constexpr`.

    Returns:
        The extents as plain integers.

    Raises:
        TypeMismatchError: An extent is not a constant or not a power of two, or the block has too
            many elements.
    """
    extents: list[int] = []
    for axis, extent in enumerate(shape):
        number = getattr(extent, "value", extent)
        if not isinstance(number, int):
            raise TypeMismatchError(
                f"Shape element {axis} must have type `constexpr[int]`",
                found=extent,
                accepted=("a tl.constexpr int",),
            )
        if number < 1 or number & (number - 1):
            raise TypeMismatchError(
                f"Shape element {axis} must be a power of 2",
                found=number,
                accepted=("1", "2", "4", "8", "…"),
                hint=_nearest_powers(number),
            )
        extents.append(int(number))  # True is 1, as in Python
    if math.prod(extents) > MAX_BLOCK_ELEMENTS:
        raise TypeMismatchError(
            f"numel ({math.prod(extents)}) exceeds triton maximum tensor numel "
            f"({MAX_BLOCK_ELEMENTS})",
            found=f"shape {tuple(extents)}",
            accepted=(f"up to {MAX_BLOCK_ELEMENTS} elements",),
        )
    return tuple(extents)


def _nearest_powers(number: int) -> str | None:
    if number < 1:
        return None
    above = 1 << number.bit_length()
    return f"use {above} elements and mask the rest, or {above // 2}"


pi32_t = pointer_type(int32)


def validate_block_shape(shape: Sequence[object]) -> int:
    """Check the shape of a block.

    Returns:
        The number of elements.

    Raises:
        TypeMismatchError: An extent is no power of two, or the block has too many elements.
    """
    return math.prod(check_block_shape(shape))


def str_to_ty(name: str, c: object = None) -> dtype:
    """Return the type of a signature's entry: "i32", "*fp16", "*ki8" for a const pointer.

    Args:
        name: The entry.
        c: The value of a constant, which Triton's front end passes; it is not used.

    Raises:
        SignatureError: The name is unknown.
    """
    if name.startswith("*"):
        rest = name[1:].removeprefix("k")
        return pointer_type(str_to_ty(rest), const=name[1:] != rest)
    if name not in SIGNATURE_TYPES:
        raise SignatureError(
            "unknown type in a signature",
            found=name,
            accepted=(*SIGNATURE_TYPES, "* before one of them for a pointer"),
            hint=did_you_mean(name, SIGNATURE_TYPES),
        )
    return SIGNATURE_TYPES[name]
