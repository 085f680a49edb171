"""The types that are made of element types: pointers and blocks.

    pointer_type(float16)           a pointer to one in global memory: "pointer<fp16>"
    block_type(float32, (16, 8))    a tile of 16 × 8 of them: "<['16', '8'], fp32>"

Two types are equal when they are the same kind of type over the same parts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.errors import SignatureError, TypeMismatchError, did_you_mean
from weft.language.dtypes import SIGNATURE_TYPES, Kind, dtype, int32

MAX_BLOCK_ELEMENTS = 1 << 20
"""The largest number of elements that one block may have (Triton's limit)."""


class pointer_type(dtype):
    """Name the type of a pointer.

    Args: element_ty: what it points to, an element type or (a block pointer) a block.
          address_space: 1 is global memory.  const: nothing may be written through it.
    """

    __slots__ = ("address_space", "const", "element_ty")

    def __init__(self, element_ty: dtype, address_space: int = 1, const: bool = False) -> None:
        if not isinstance(element_ty, dtype):
            raise TypeMismatchError(
                "a pointer points to an element type or a block",
                found=type(element_ty).__name__,
                accepted=("a dtype of weft.language",),
            )
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.name = f"{'const_' if const else ''}pointer<{element_ty}>"

    @property
    def element_kind(self) -> Kind:
        """Return the family: a pointer counts as no arithmetic type."""
        return Kind.VOID

    @property
    def primitive_bitwidth(self) -> int:
        """Return the width of an address in bits."""
        return 64

    def is_ptr(self) -> bool:
        """Tell that the type is a pointer."""
        return True

    def is_const(self) -> bool:
        """Tell whether nothing may be written through the pointer."""
        return self.const

    def mangle(self) -> str:
        """Return the type as it stands in a mangled function name."""
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
    """Name the type of a block: a tile of elements of one type.

    Args: element_ty: element type or pointer.  shape: extents, each a power of two.
    Raises: TypeMismatchError for an empty shape, an extent that is no power of two, or more than
            2**20 elements.
    """

    __slots__ = ("_shape", "element_ty")

    def __init__(self, element_ty: dtype, shape: Sequence[object]) -> None:
        self.element_ty = element_ty
        self._shape = check_block_shape(shape)
        self.name = f"<{[str(extent) for extent in self._shape]}, {element_ty}>"

    @property
    def element_kind(self) -> Kind:
        """Return the family: a block is none; ask `.scalar`."""
        return Kind.VOID

    @property
    def primitive_bitwidth(self) -> int:
        """Return the width of one element in bits."""
        return self.element_ty.primitive_bitwidth

    @property
    def scalar(self) -> dtype:
        """Return the type of one element."""
        return self.element_ty

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extents."""
        return self._shape

    @property
    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self._shape)

    @property
    def nbytes(self) -> int:
        """Return the size in bytes."""
        return self.numel * self.element_ty.primitive_bitwidth // 8

    def get_block_shapes(self) -> tuple[int, ...]:
        """Return the extents."""
        return self._shape

    def is_block(self) -> bool:
        """Tell that the type is a block."""
        return True

    def with_element_ty(self, element_ty: dtype) -> block_type:
        """Return a block of the same shape with other elements."""
        return block_type(element_ty, self._shape)

    def mangle(self) -> str:
        """Return the type as it stands in a mangled function name."""
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
    """Return `shape` as a tuple of ints after checking that a block may have it.

    Raises: TypeMismatchError naming the extent that is not a constant or no power of two.
    """
    extents: list[int] = []
    for axis, extent in enumerate(shape):
        number = getattr(extent, "value", extent)
        if not isinstance(number, int):
            raise TypeMismatchError(
                f"the extent of dimension {axis} of a block must be known when compiling",
                found=extent,
                accepted=("a tl.constexpr int",),
            )
        if number < 1 or number & (number - 1):
            raise TypeMismatchError(
                f"the extent of dimension {axis} of a block must be a power of two",
                found=number,
                accepted=("1", "2", "4", "8", "…"),
                hint=_nearest_powers(number),
            )
        extents.append(int(number))  # True is 1, as in Python
    if math.prod(extents) > MAX_BLOCK_ELEMENTS:
        raise TypeMismatchError(
            "a block has too many elements",
            found=f"{math.prod(extents)} in shape {tuple(extents)}",
            accepted=(f"up to {MAX_BLOCK_ELEMENTS}",),
        )
    return tuple(extents)


def _nearest_powers(number: int) -> str | None:
    if number < 1:
        return None
    above = 1 << number.bit_length()
    return f"take {above} elements and mask the rest off, or {above // 2}"


pi32_t = pointer_type(int32)


def str_to_ty(name: str) -> dtype:
    """Return the type that a signature calls `name`: "i32", "*fp16", "*ki8" for const pointers.

    Raises: SignatureError for an unknown name, listing the known.
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
