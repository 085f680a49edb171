"""Find how wide each access to global memory is, and what limits the width.

One instruction of a thread accesses the smallest of these numbers of elements:

    widest         16 bytes
    divisibility   the known alignment of the first address
    contiguity     the number of addresses that are known to be contiguous
    mask           the number of elements for which the mask is known to be uniform
    share          the number of contiguous elements that the layout gives a thread

The limit is "order" if the layout's fastest dimension is not the contiguous dimension of memory.

    layout gives a thread 4 x f32, addresses contiguous for 1024, aligned to 16 bytes
        → 4 elements, 128 bits, limit "widest"
    the same, aligned to 4 bytes
        → 1 element, 32 bits, limit "divisibility"

In the layout of the access, this is the width that code generation chooses
(`ModuleAxisInfo.contiguity`, `mask_alignment`). Here the layout can also be another one, so that a
report says what a conversion saves, and each number is kept to name the limit.

Addresses are known as far as `weft.analysis.axis_info` knows them; dimensions with unknown strides
count as far apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.axis_info import AxisInfo, ModuleAxisInfo
from weft.analysis.coalescing import WIDEST_BITS
from weft.ir import amdg, tt, ttg, types
from weft.layouts import Encoding
from weft.layouts.coalescing import CoalescingReport, coalescing
from weft.layouts.dimension_order import contiguous_per_thread, dimension_order

__all__ = [
    "AccessWidth",
    "Addresses",
    "address_strides",
    "compute_width",
    "count_sectors",
    "find_addresses",
]

_LIMIT_PRIORITY = ("divisibility", "contiguity", "share", "mask")  # of equal limits, the first
_UNKNOWN_STRIDE = 1 << 20  # elements

_MASKED_BUFFER_ACCESSES = (
    amdg.BufferLoadOp,
    amdg.BufferStoreOp,
    amdg.BufferLoadToLocalOp,
    amdg.BufferAtomicRMWOp,
)


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of an access, and what axis analysis knows of them.

    Attributes:
        pointers: The tensor of pointers, or of offsets for a buffer instruction.
        element: The element type in memory.
        info: The axis information of the pointers or offsets.
        mask: The axis information of the mask, if there is one.
        base_alignment: The known alignment of the base pointer in elements, for a buffer
            instruction; None with pointers.
    """

    pointers: SSAValue
    element: Attribute
    info: AxisInfo
    mask: AxisInfo | None
    base_alignment: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the accessed tensor."""
        return types.shape(self.pointers.type)

    @property
    def bits(self) -> int:
        """The bits of an element in memory."""
        return _storage_bits(self.element)

    @property
    def contiguous_dim(self) -> int:
        """The dimension with the greatest contiguity, the last of equals."""
        return max(range(len(self.shape)), key=lambda dim: (self.info.contiguity[dim], dim))

    def alignment(self, dim: int) -> int:
        """Compute the known alignment, in elements, of a contiguous run along a dimension."""
        if self.base_alignment is None:
            return self.info.aligned_elements(dim, self.bits)
        return min(self.info.divisibility[dim], self.base_alignment)


@dataclass(frozen=True, slots=True)
class AccessWidth:
    """The width of an access in a layout, and its limit.

    Attributes:
        elements: The elements of one instruction of a thread.
        limit: As of `model.Access`.
        limited_by: The limit in words.
    """

    elements: int
    limit: str
    limited_by: str


def find_addresses(op: Operation, facts: ModuleAxisInfo) -> Addresses | None:
    """Find the addresses of an operation; None if it does not access a tensor of addresses."""
    operands = _address_operands(op)
    if operands is None:
        return None
    pointers, mask, element = operands
    info = facts.get(pointers)
    if info is None or not types.is_tensor(pointers.type):
        return None
    mask_info = None if mask is None else facts.get(mask)
    return Addresses(pointers, element, info, mask_info, _base_alignment(op, facts, element))


def _address_operands(op: Operation) -> tuple[SSAValue, SSAValue | None, Attribute] | None:
    """Find the pointers or offsets, the mask and the element type in memory."""
    if isinstance(op, tt.LoadOp | tt.StoreOp | tt.AtomicRMWOp | ttg.AsyncCopyGlobalToLocalOp):
        pointers = op.operands[0]
        return pointers, op.mask, _pointee(pointers)
    if isinstance(op, tt.AtomicCASOp):
        return op.operands[0], None, _pointee(op.operands[0])
    if isinstance(op, amdg.BufferAtomicCASOp):
        return op.offsets, None, _pointee(op.ptr)
    if isinstance(op, _MASKED_BUFFER_ACCESSES):
        return op.offsets, op.mask, _pointee(op.ptr)
    return None


def _pointee(pointers: SSAValue) -> Attribute:
    scalar = types.element(pointers.type)
    return scalar.pointee if types.is_pointer(scalar) else scalar


def _storage_bits(element: Attribute) -> int:
    return max(8, types.bit_width(element))


def _base_alignment(op: Operation, facts: ModuleAxisInfo, element: Attribute) -> int | None:
    """Compute the alignment, in elements, of the base pointer of a buffer instruction."""
    if not isinstance(op, (*_MASKED_BUFFER_ACCESSES, amdg.BufferAtomicCASOp)):
        return None
    info = facts.get(op.ptr)
    return 1 if info is None else info.aligned_elements(0, _storage_bits(element))


def compute_width(addresses: Addresses, encoding: Encoding) -> AccessWidth:
    """Compute how many elements a thread accesses at once in a layout, and what limits them."""
    layout = encoding.linear(addresses.shape)
    dim = dimension_order(layout)[0]
    per_thread = contiguous_per_thread(layout)[dim]
    contiguity = addresses.info.contiguity[dim]
    alignment = addresses.alignment(dim)
    uniform = per_thread if addresses.mask is None else addresses.mask.constancy[dim]
    widest = max(1, WIDEST_BITS // addresses.bits)
    elements = min(per_thread, contiguity, alignment, uniform, widest)
    if elements == widest:
        return AccessWidth(elements, "widest", "the widest instruction")
    # The order is the cause if another dimension has longer contiguous runs than the layout's.
    contiguous_dim = addresses.contiguous_dim
    if contiguous_dim != dim and addresses.info.contiguity[contiguous_dim] > contiguity:
        return AccessWidth(
            elements,
            "order",
            f"the order: a thread's elements are contiguous along dimension {dim}, memory along "
            f"dimension {contiguous_dim}",
        )
    alignment_bytes = alignment * addresses.bits // 8
    limits = {
        "contiguity": (contiguity, f"contiguity: {_elements(contiguity)} known to be contiguous"),
        "divisibility": (
            alignment,
            f"divisibility: addresses are known to be multiples of {_bytes(alignment_bytes)}",
        ),
        "share": (per_thread, f"the layout: {per_thread} contiguous per thread"),
        "mask": (uniform, f"the mask: known to be uniform for {_elements(uniform)}"),
    }
    limit = next(name for name in _LIMIT_PRIORITY if limits[name][0] == elements)
    return AccessWidth(elements, limit, limits[limit][1])


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"


def _bytes(count: int) -> str:
    return f"{count} byte{'' if count == 1 else 's'}"


def count_sectors(addresses: Addresses, encoding: Encoding, elements: int) -> CoalescingReport:
    """Count the requests and sectors of an access in a layout.

    Args:
        addresses: The addresses.
        encoding: The layout.
        elements: The elements of one instruction of a thread.
    """
    return coalescing(
        encoding.linear(addresses.shape),
        addresses.shape,
        addresses.bits,
        strides=address_strides(addresses),
        most_bits=elements * addresses.bits,
    )


def address_strides(addresses: Addresses) -> tuple[int, ...]:
    """Compute the strides of the addresses in elements, with far apart rows if unknown."""
    info, shape = addresses.info, addresses.shape
    strides = [_UNKNOWN_STRIDE * math.prod(shape[:dim]) for dim in range(len(shape))]
    for dim, size in enumerate(shape):
        if size > 1 and info.constancy[dim] >= size:
            strides[dim] = 0  # all addresses along it are equal
    dim = addresses.contiguous_dim
    if info.contiguity[dim] > 1:
        strides[dim] = 1
    return tuple(strides)
