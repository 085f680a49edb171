"""Accesses through tensors of pointers: what is known of their addresses, and how wide they can be.

%p  128x64 pointers to f16, contiguity (1, 64), divisibility (…, 16)
→   order (1, 0): addresses run on along dimension 1; a thread may take 8 elements at once,
    which are 16 bytes, the widest access there is, and lie at multiples of 16
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from weft.analysis.axis_info import ModuleAxisInfo
from weft.analysis.slices import slices_among
from weft.errors import PassError
from weft.ir import tt, ttg, types
from weft.ir.builtin import Attribute, Operation, OpResult
from weft.layouts import BlockedEncoding, Encoding
from weft.layouts.cga import blocked_like, shape_per_cta

__all__ = [
    "WIDEST_BITS",
    "Access",
    "Coalesced",
    "coalesced",
    "encoding_of",
    "is_alone",
    "is_through_pointers",
    "rivals",
]

WIDEST_BITS = 128

_ACCESSES: frozenset[type[Operation]] = frozenset(
    {tt.LoadOp, tt.StoreOp, tt.AtomicRMWOp, tt.AtomicCASOp, ttg.AsyncCopyGlobalToLocalOp}
)


@dataclass(frozen=True, slots=True)
class Access:
    """An access through a tensor of pointers, and what is known of the addresses.

    order: dimensions, those along which addresses run on for longer first.
    share: the shape that one block of a cluster holds.  bits: of an element in memory.
    """

    op: Operation
    type: Attribute
    contiguity: tuple[int, ...]
    divisibility: tuple[int, ...]
    order: tuple[int, ...]
    share: tuple[int, ...]
    bits: int

    @staticmethod
    def of(op: Operation, facts: ModuleAxisInfo) -> Access:
        """Read an access off its operation, whose first operand are the pointers.

        Raises: PassError: the pointers have no layout.
        """
        pointers = op.operands[0]
        info = facts[pointers]
        dims = reversed(range(info.rank))
        order = tuple(sorted(dims, key=lambda dim: -info.contiguity[dim]))
        scalar = types.element(pointers.type)
        assert types.is_pointer(scalar)
        share = shape_per_cta(encoding_of(pointers.type), types.shape(pointers.type))
        bits = types.bit_width(scalar.pointee)
        return Access(op, pointers.type, info.contiguity, info.divisibility, order, share, bits)

    @property
    def run(self) -> int:
        """Return for how many elements addresses run on, along the fastest dimension."""
        return self.contiguity[self.order[0]]

    @property
    def divides(self) -> int:
        """Return what divides the address of each run's start, in bytes."""
        return self.divisibility[self.order[0]]

    @property
    def aligned(self) -> str:
        """Return in words how addresses are aligned."""
        return f"aligned to {_counted(self.divides, 'byte')}"

    def goes_with(self, other: Access) -> bool:
        """Tell whether an access may ask another to take as many elements as it does."""
        return self.order == other.order and types.shape(self.type) == types.shape(other.type)

    def elements(self, other: Access) -> int:
        """Return how many elements a thread may take at once of the block's share of `other`."""
        aligned = max(1, self.divides // max(1, self.bits // 8))
        run = min(self.run, other.share[other.order[0]])
        return min(aligned, run, WIDEST_BITS // self.bits)

    def limit(self, taken: int, own: int, held: int) -> str:
        """Return in words why a thread takes so many elements and no more.

        Args: taken: elements.  own: what this access allows.  held: a thread's share.
        """
        if taken > own:
            return f"{taken} elements per thread, as the widest access of the slice takes"
        if taken == WIDEST_BITS // self.bits:
            return f"{taken} elements of {self.bits} bits are the widest access there is"
        if taken == held:
            return f"a thread's share of the tensor is {_counted(held, 'element')}"
        if taken == self.run:
            return f"addresses run on for {self.run} elements"
        return f"addresses are {self.aligned}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


@dataclass(frozen=True, slots=True)
class Coalesced:
    """The layout in which an access coalesces.

    taken: elements of a thread at once.  own: what the access allows.  held: a thread's share.
    """

    encoding: BlockedEncoding
    taken: int
    own: int
    held: int


def is_through_pointers(op: Operation) -> bool:
    """Tell whether an operation reads or writes memory through a tensor of pointers."""
    if type(op) not in _ACCESSES:
        return False
    type_ = op.operands[0].type
    return types.is_tensor(type_) and types.is_pointer(types.element(type_))


def coalesced(access: Access, rivals: Sequence[Access], warps: int, lanes: int) -> Coalesced:
    """Return the layout of an access: order from contiguity, elements per thread from alignment.

    Args: rivals: accesses of the slice that it goes with, itself among them; a load takes as many
    elements as the widest of them.  warps: of a block.  lanes: threads of a warp.
    """
    share = access.share
    held = max(1, prod(share) // (warps * lanes))
    own = access.elements(access)
    taken = min(held, max(rival.elements(access) for rival in rivals))
    if not isinstance(access.op, tt.LoadOp):
        taken = min(taken, own)
    sizes = [1] * len(share)
    sizes[access.order[0]] = taken
    shape = types.shape(access.type)
    like = encoding_of(access.type)
    return Coalesced(
        blocked_like(like, shape, tuple(sizes), access.order, warps, lanes), taken, own, held
    )


def is_alone(accesses: Sequence[Access]) -> bool:
    """Tell whether no load of a function could take more because another access does."""
    own = [access.elements(access) for access in accesses]
    kinds = [(access.order, types.shape(access.type)) for access in accesses]
    most: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for kind, elements in zip(kinds, own, strict=True):
        most[kind] = max(elements, most.get(kind, 0))
    return all(
        elements == most[kind] or type(access.op) is not tt.LoadOp
        for access, kind, elements in zip(accesses, kinds, own, strict=True)
    )


def rivals(function: tt.FuncOp, accesses: Sequence[Access]) -> list[list[Access]]:
    """Return, for each access of a function, those of its slice that it goes with.

    An access through pointers that a block has as argument goes with none but itself.
    """
    by_op = {access.op: access for access in accesses}
    slices = slices_among(function, list(by_op))
    return [
        [by_op[op] for op in found if by_op[op].goes_with(access)]
        if type(access.op.operands[0]) is OpResult
        else [access]
        for access, found in zip(accesses, slices, strict=True)
    ]


def encoding_of(type_: Attribute) -> Encoding:
    """Return the layout of a tensor that is read or written.

    Raises: PassError: it has none.
    """
    encoding = types.encoding(type_)
    if encoding is None:
        raise PassError(
            "an access without layout", found=type_, hint="run convert-triton-to-tritongpu first"
        )
    return encoding
