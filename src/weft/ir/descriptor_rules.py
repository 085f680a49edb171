"""Rules on the block of a tensor descriptor and the tensor or buffer that is copied.

!tt.tensordesc<tensor<64x32xui8>>     tiles of 64x32 elements, i8 in registers and memory
!tt.tensordesc<tensor<1x32xf16>>      rows of 32 elements, to gather and scatter
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.ttg.types import MemDescType

__all__ = ["check_rows", "check_same_block", "signless_block"]

_LEAST_ROWS = 8
_MOST_BITS = 32


def signless_block(descriptor: Attribute) -> Attribute:
    """Get the tensor type of a descriptor's tiles, with signless integers."""
    # Tiled or im2col: both have the type of the block as their parameter.
    assert isinstance(descriptor, ParametrizedAttribute)
    block = descriptor.parameters[0]
    scalar = types.element(block)
    if types.is_integer(scalar):
        return types.with_element(block, IntegerType(scalar.width.data))
    return block


def _shape(type_: Attribute) -> tuple[int, ...]:
    return type_.shape if isinstance(type_, MemDescType) else types.shape(type_)


def _element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, MemDescType) else types.element(type_)


def check_same_block(descriptor: Attribute, tensor: Attribute) -> None:
    """Require one element type and as many elements; sizes of 1 may be added or left out.

    Args:
        descriptor: The type of the descriptor.
        tensor: The type of the tensor or buffer.

    Raises:
        VerifyException: They differ.
    """
    block = signless_block(descriptor)
    if _element(block) != _element(tensor):
        raise VerifyException(
            "descriptor block and tensor element types must match, but got descriptor element "
            f"type '{_element(block)}' and tensor element type '{_element(tensor)}'"
        )
    counts = prod(_shape(block)), prod(_shape(tensor))
    if counts[0] != counts[1]:
        raise VerifyException(
            "descriptor block and tensor must have the same number of elements, but got "
            f"descriptor block with {counts[0]} elements tensor with {counts[1]} elements"
        )


def check_rows(descriptor: Attribute, tensor: Attribute, indices: Attribute) -> None:
    """Require a descriptor of single rows, and a row of the tensor per index.

    Args:
        descriptor: The type of the descriptor.
        tensor: The type of the tensor or buffer.
        indices: The type of the row numbers.

    Raises:
        VerifyException: They do not match.
    """
    block = signless_block(descriptor)
    block_shape, shape, element = _shape(block), _shape(tensor), _element(tensor)
    if len(block_shape) != 2:
        raise VerifyException(f"descriptor block must be a 2D tensor, but got '{block}'")
    if block_shape[0] != 1:
        raise VerifyException(f"descriptor block must have exactly 1 row, but got '{block}'")
    if len(_shape(indices)) != 1:
        raise VerifyException(f"x offsets must be a 1D tensor, but got '{indices}'")
    if len(shape) != 2:
        raise VerifyException(f"result must be a 2D tensor, but got '{tensor}'")
    if shape[0] < _LEAST_ROWS:
        raise VerifyException(f"must have at least {_LEAST_ROWS} rows, but got {shape[0]}")
    bits = types.bit_width(element)
    if bits > _MOST_BITS:
        raise VerifyException("TMA dtype cannot be greater than 32 bits")
    columns = _MOST_BITS // bits * 8  # 32 bytes
    if shape[1] < columns:
        raise VerifyException(
            f"must have at least {columns} columns for '{element}', but got {shape[1]}"
        )
    if shape[0] != _shape(indices)[0]:
        raise VerifyException(
            f"result tensor must have as many rows as indices ({_shape(indices)[0]}), but got "
            f"'{tensor}'"
        )
    if shape[1] != block_shape[1]:
        raise VerifyException(
            f"result tensor number of columns must match block ({block_shape[1]}), but got "
            f"'{tensor}'"
        )
    if element != _element(block):
        raise VerifyException(
            f"result tensor element type must match block ('{_element(block)}'), but got '{tensor}'"
        )
