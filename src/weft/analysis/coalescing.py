"""Coalescing of accesses through tensors of pointers: the layout in which each is widest.

    %p: 128x64 pointers to f16, contiguity (1, 64), divisibility (…, 16)

    order (1, 0)               addresses are contiguous along dimension 1, so it comes first
    8 elements per thread      16 bytes: the widest access, and the alignment allows it

A load takes as many elements per thread as the widest access that it is connected to by data
flow, so that both get one layout and no conversion is needed. Triton has the same rule in its pass
tritongpu-coalesce (CoalesceUtils.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct

from weft.analysis.axis_info import AxisInfo, ModuleAxisInfo
from weft.analysis.slices import slices_among
from weft.errors import PassError
from weft.ir import tt, ttg, types
from weft.ir.builtin import Attribute, Operation, OpResult
from weft.layouts import BlockedEncoding, Encoding
from weft.layouts.cga import blocked_like, shape_per_cta

__all__ = [
    "WIDEST_BITS",
    "CoalescedLayout",
    "PointerAccess",
    "coalesced_layout",
    "connected_accesses",
    "encoding_of",
    "is_pointer_access",
    "widths_are_independent",
]

WIDEST_BITS = 128
"""The widest access of a thread to global memory, on all chips."""

_POINTER_ACCESSES: frozenset[type[Operation]] = frozenset(
    {tt.LoadOp, tt.StoreOp, tt.AtomicRMWOp, tt.AtomicCASOp, ttg.AsyncCopyGlobalToLocalOp}
)


class PointerAccess(Struct, frozen=True):
    """An access through a tensor of pointers, and what is known of the addresses.

    Attributes:
        op: The operation.
        type: The type of the tensor of pointers.
        info: What is known of the pointers.
        order: The dimensions, the one with the greatest contiguity first.
        cta_shape: The shape of the part that one block of a cluster accesses.
        element_bits: The width of an element in memory.
    """

    op: Operation
    type: Attribute
    info: AxisInfo
    order: tuple[int, ...]
    cta_shape: tuple[int, ...]
    element_bits: int

    @staticmethod
    def of(op: Operation, infos: ModuleAxisInfo) -> PointerAccess:
        """Describe an operation whose first operand is the tensor of pointers.

        Raises:
            PassError: The pointers have no layout.
        """
        pointers = op.operands[0]
        info = infos[pointers]
        # The sort is stable, so of equally contiguous dimensions the last one comes first.
        dims = reversed(range(info.rank))
        order = tuple(sorted(dims, key=lambda dim: -info.contiguity[dim]))
        scalar = types.element(pointers.type)
        assert types.is_pointer(scalar)
        cta_shape = shape_per_cta(encoding_of(pointers.type), types.shape(pointers.type))
        bits = types.bit_width(scalar.pointee)
        return PointerAccess(op, pointers.type, info, order, cta_shape, bits)

    @property
    def run_length(self) -> int:
        """The number of contiguous elements along the fastest dimension."""
        return self.info.contiguity[self.order[0]]

    @property
    def alignment_bytes(self) -> int:
        """What divides the address of the first element of each run, in bytes."""
        return self.info.divisibility[self.order[0]]

    @property
    def alignment_text(self) -> str:
        """The alignment in words."""
        return f"aligned to {_count(self.alignment_bytes, 'byte')}"

    def is_compatible_with(self, other: PointerAccess) -> bool:
        """Check whether both can have one layout: the same order and shape."""
        return self.order == other.order and types.shape(self.type) == types.shape(other.type)

    def max_elements(self, other: PointerAccess) -> int:
        """Compute how many elements a thread can access at once in the layout of `other`."""
        aligned = self.info.aligned_elements(self.order[0], self.element_bits)
        # A run that continues in the next CTA's part is of no use to a thread.
        run = min(self.run_length, other.cta_shape[other.order[0]])
        return min(aligned, run, WIDEST_BITS // self.element_bits)

    def width_reason(self, layout: CoalescedLayout) -> str:
        """Say why a thread accesses so many elements at once, and not more."""
        elements = layout.elements
        if elements > layout.own_elements:
            return f"{elements} elements per thread, as the widest access of the slice takes"
        if elements == WIDEST_BITS // self.element_bits:
            return f"{elements} elements of {self.element_bits} bits are the widest access"
        if elements == layout.elements_per_thread:
            return f"the tensor has {_count(elements, 'element')} per thread"
        if elements == self.run_length:
            return f"addresses are contiguous for {_count(elements, 'element')}"
        return f"addresses are {self.alignment_text}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class CoalescedLayout(Struct, frozen=True):
    """The layout in which an access coalesces.

    Attributes:
        encoding: The layout.
        elements: The number of elements that a thread accesses at once.
        own_elements: The number that contiguity and alignment of the access itself allow.
        elements_per_thread: The number of elements of the tensor, divided by that of threads.
    """

    encoding: BlockedEncoding
    elements: int
    own_elements: int
    elements_per_thread: int


def is_pointer_access(op: Operation) -> bool:
    """Check whether an operation accesses memory through a tensor of pointers."""
    if type(op) not in _POINTER_ACCESSES:
        return False
    type_ = op.operands[0].type
    return types.is_tensor(type_) and types.is_pointer(types.element(type_))


def coalesced_layout(
    access: PointerAccess, connected: Sequence[PointerAccess], warps: int, lanes: int
) -> CoalescedLayout:
    """Compute the layout in which an access coalesces.

    Args:
        access: The access.
        connected: The accesses that share its layout if possible, itself included.
        warps: The number of warps of a block.
        lanes: The number of threads of a warp.
    """
    cta_shape = access.cta_shape
    per_thread = max(1, prod(cta_shape) // (warps * lanes))
    own = access.max_elements(access)
    elements = min(per_thread, max(other.max_elements(access) for other in connected))
    if not isinstance(access.op, tt.LoadOp):
        # A wider store or atomic would write beyond what is known to be contiguous.
        elements = min(elements, own)
    sizes = [1] * len(cta_shape)
    sizes[access.order[0]] = elements
    source = encoding_of(access.type)
    shape = types.shape(access.type)
    encoding = blocked_like(source, shape, tuple(sizes), access.order, warps, lanes)
    return CoalescedLayout(encoding, elements, own, per_thread)


def widths_are_independent(accesses: Sequence[PointerAccess]) -> bool:
    """Check whether no load of a function can become wider because of another access.

    Then slices, which take long to compute, are not needed.
    """
    own = [access.max_elements(access) for access in accesses]
    kinds = [(access.order, types.shape(access.type)) for access in accesses]
    widest: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for kind, elements in zip(kinds, own, strict=True):
        widest[kind] = max(elements, widest.get(kind, 0))
    return all(
        elements == widest[kind] or type(access.op) is not tt.LoadOp
        for access, kind, elements in zip(accesses, kinds, own, strict=True)
    )


def connected_accesses(
    function: tt.FuncOp, accesses: Sequence[PointerAccess]
) -> list[list[PointerAccess]]:
    """Find for each access of a function the compatible ones in its slice, itself included.

    An access through pointers that are a block argument is connected with itself only.
    """
    by_op = {access.op: access for access in accesses}
    slices = slices_among(function, list(by_op))
    return [
        [by_op[op] for op in slice_ if by_op[op].is_compatible_with(access)]
        if type(access.op.operands[0]) is OpResult
        else [access]
        for access, slice_ in zip(accesses, slices, strict=True)
    ]


def encoding_of(type_: Attribute) -> Encoding:
    """Look up the layout of a tensor that is loaded or stored.

    Raises:
        PassError: The tensor has no layout.
    """
    encoding = types.encoding(type_)
    if encoding is None:
        raise PassError(
            "missing layout of a memory access",
            found=type_,
            hint="run convert-triton-to-tritongpu first",
        )
    return encoding
