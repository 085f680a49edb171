"""Lay memory accesses out so that neighbours in memory are neighbours in threads.

`tritongpu-coalesce`.

Before:  %v = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>       sizePerThread = [1, 1]
After:   %q = ttg.convert_layout %p : … #blocked -> … #blocked1
         %w = tt.load %q : tensor<128x64x!tt.ptr<f16>, #blocked1>      sizePerThread = [1, 8]
         %v = ttg.convert_layout %w : … #blocked1 -> … #blocked

The dimension along which addresses run on for longest comes first in the order. A thread takes as
many neighbours as are aligned, at most 16 bytes and at most its share of the tensor. Of accesses
of one slice that have the same shape and order, all take as many as the one that takes most, so
that what is loaded meets in one layout. What writes takes no more than it may itself: a wider
thread would leave gaps in what a warp writes at a time, which no cache hides.

A tile moved through a descriptor takes 16 bytes along its last dimension.

Needs: layouts, "ttg.num-warps", "ttg.threads-per-warp". Keeps: every other layout; conversions
that change nothing are left to remove-layout-conversions. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from weft.analysis.axis_info import ModuleAxisInfo, axis_info, tell_callees
from weft.analysis.slices import slices_among
from weft.errors import PassError
from weft.ir import tt, ttg, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.hardware import threads_per_warp, warps_around
from weft.ir.rewriting import Builder, erase
from weft.layouts import BlockedEncoding, Encoding
from weft.layouts.clusters import blocked_like, share_of_block
from weft.passes.ledger import Candidate, decide, enabled

__all__ = ["Coalesce"]

_POINTER_OPS = (
    tt.LoadOp,
    tt.StoreOp,
    tt.AtomicRMWOp,
    tt.AtomicCASOp,
    ttg.AsyncCopyGlobalToLocalOp,
)
_DESCRIPTOR_OPS = (
    tt.DescriptorLoadOp,
    tt.DescriptorStoreOp,
    tt.DescriptorReduceOp,
    tt.DescriptorGatherOp,
    tt.DescriptorScatterOp,
)
_WIDEST_BITS = 128


@dataclass(frozen=True, slots=True)
class Coalesce:
    """Post: every access to memory has a layout of its own, in which it coalesces."""

    name: ClassVar[str] = "tritongpu-coalesce"

    def run(self, module: ModuleOp) -> None:
        """Give accesses their layouts, and convert what they read and give, in place.

        Raises: PassError: the module has no layouts.
        """
        functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
        accesses = [list(_accesses(function)) for function in functions]
        if not any(accesses):
            return
        lanes = threads_per_warp(module)
        facts = axis_info(module)
        tell_callees(facts)
        chosen: list[_Choice] = []
        for function, found in zip(functions, accesses, strict=True):
            ways: dict[Operation, _Access] = {
                op: _Access.of(op, facts) for op in found if isinstance(op, _POINTER_OPS)
            }
            alike = dict(zip(ways, slices_among(function, list(ways)), strict=True))
            for op in found:
                if op in ways:
                    rivals = [ways[other] for other in alike[op] if ways[other].goes_with(ways[op])]
                    chosen.append(_through_pointers(ways[op], rivals, lanes))
                else:
                    chosen.append(_through_descriptor(op, lanes))
        for choice in chosen:
            laid_out = _lay_out(choice.op, choice.encoding)
            if enabled():
                self._record(choice, laid_out)

    def _record(self, choice: _Choice, access: Operation) -> None:
        """Write down why an access has its layout, and its conversions theirs."""
        layout = str(choice.encoding)
        asked = access.name
        for operand in access.operands:
            if isinstance(operand.owner, ttg.ConvertLayoutOp):
                decide(self, operand, layout, f"what {asked} reads", anchor=asked)
        value = access.results[0] if access.results else _moved(access)
        decide(self, value, layout, choice.why, over=choice.over, facts=choice.facts)
        for result in access.results:
            for use in result.uses:
                back = use.operation.results[0]
                was = str(types.encoding(back.type))
                decide(self, back, was, f"what reads the result of {asked} stays as it is")


@dataclass(frozen=True, slots=True)
class _Choice:
    """The layout of an access and why it is that; `over` and `facts` as of a decision."""

    op: Operation
    encoding: BlockedEncoding
    why: str
    over: tuple[Candidate, ...]
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Access:
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
    def of(op: Operation, facts: ModuleAxisInfo) -> _Access:
        """Read an access off its operation, whose first operand are the pointers."""
        pointers = op.operands[0]
        info = facts[pointers]
        dims = reversed(range(info.rank))
        order = tuple(sorted(dims, key=lambda dim: -info.contiguity[dim]))
        scalar = types.element(pointers.type)
        assert types.is_pointer(scalar)
        return _Access(
            op,
            pointers.type,
            info.contiguity,
            info.divisibility,
            order,
            _share(pointers.type),
            types.bit_width(scalar.pointee),
        )

    @property
    def run(self) -> int:
        """Return for how many elements addresses run on, along the fastest dimension."""
        return self.contiguity[self.order[0]]

    @property
    def divides(self) -> int:
        """Return what divides the address of each run's start, in bytes."""
        return self.divisibility[self.order[0]]

    def goes_with(self, other: _Access) -> bool:
        """Tell whether an access may ask another to take as many elements as it does."""
        return self.order == other.order and types.shape(self.type) == types.shape(other.type)

    def elements(self, other: _Access) -> int:
        """Return how many elements a thread may take at once of the block's share of `other`."""
        aligned = max(1, self.divides // max(1, self.bits // 8))
        run = min(self.run, other.share[other.order[0]])
        return min(aligned, run, _WIDEST_BITS // self.bits)

    def limit(self, taken: int, own: int, held: int) -> str:
        """Return in words why a thread takes so many elements and no more.

        Args: taken: elements.  own: what this access allows.  held: a thread's share.
        """
        if taken > own:
            return f"{taken} elements per thread, as the widest access of the slice takes"
        if taken == _WIDEST_BITS // self.bits:
            return f"{taken} elements of {self.bits} bits are the widest access there is"
        if taken == held:
            return f"a thread's share of the tensor is {held} elements"
        if taken == self.run:
            return f"addresses run on for {self.run} elements"
        return f"addresses are aligned to {self.divides} bytes"


def _encoding(type_: Attribute) -> Encoding:
    encoding = types.encoding(type_)
    if encoding is None:
        raise PassError(
            "an access without layout", found=type_, hint="run convert-triton-to-tritongpu first"
        )
    return encoding


def _share(type_: Attribute) -> tuple[int, ...]:
    """Return the shape that one block of a cluster holds."""
    return share_of_block(_encoding(type_), types.shape(type_))


def _blocked(
    type_: Attribute, sizes: Sequence[int], order: tuple[int, ...], warps: int, lanes: int
) -> BlockedEncoding:
    """Return a layout with these sizes per thread, shared over blocks as the tensor's is."""
    return blocked_like(_encoding(type_), types.shape(type_), tuple(sizes), order, warps, lanes)


def _through_pointers(access: _Access, rivals: Sequence[_Access], lanes: int) -> _Choice:
    """Choose the layout of an access through pointers."""
    op, share = access.op, access.share
    warps = warps_around(op)
    held = max(1, prod(share) // (warps * lanes))
    own = access.elements(access)
    taken = min(held, max(rival.elements(access) for rival in rivals))
    if not isinstance(op, tt.LoadOp):
        taken = min(taken, own)
    sizes = [1] * len(share)
    sizes[access.order[0]] = taken
    encoding = _blocked(access.type, sizes, access.order, warps, lanes)
    if not enabled():
        return _Choice(op, encoding, "", (), ())
    over = tuple(
        Candidate(
            f"{rival.elements(access)} elements per thread",
            f"{rival.op.name}: runs of {rival.run}, aligned to {rival.divides} bytes",
        )
        for rival in rivals
    )
    facts = (
        ("contiguity", " x ".join(map(str, access.contiguity))),
        ("divisibility", f"{access.divides} bytes"),
        ("order", ", ".join(map(str, access.order))),
        ("element", f"{access.bits} bits"),
        ("share of a thread", f"{held} elements"),
    )
    return _Choice(op, encoding, access.limit(taken, own, held), over, facts)


def _through_descriptor(op: Operation, lanes: int) -> _Choice:
    """Choose the layout of a tile that goes through a descriptor."""
    type_ = _tile_of(op).type
    share = _share(type_)
    warps = warps_around(op)
    held = max(1, prod(share) // (warps * lanes))
    sizes = [1] * (len(share) - 1) + [min(held, _WIDEST_BITS // types.bit_width(type_))]
    encoding = _blocked(type_, sizes, tuple(reversed(range(len(share)))), warps, lanes)
    why = "a tile of a descriptor is row-major, with 16 bytes per thread where it has as many"
    return _Choice(op, encoding, why, (), (("share of a thread", f"{held} elements"),))


def _accesses(function: tt.FuncOp) -> Iterator[Operation]:
    """Yield the operations of a function that move tensors to or from memory."""
    for op in function.walk():
        if isinstance(op, _POINTER_OPS):
            type_ = op.operands[0].type
            if types.is_tensor(type_) and types.is_pointer(types.element(type_)):
                yield op
        elif isinstance(op, _DESCRIPTOR_OPS):
            yield op


def _tile_of(op: Operation) -> SSAValue:
    """Return the tensor that goes through a descriptor."""
    if op.results:
        return op.results[0]
    assert isinstance(op, tt.DescriptorStoreOp | tt.DescriptorReduceOp | tt.DescriptorScatterOp)
    return op.src


def _is_laid_out(op: Operation, operand: SSAValue) -> bool:
    """Tell whether an operand takes the layout of the access: row numbers do not."""
    if isinstance(op, tt.DescriptorGatherOp | tt.DescriptorScatterOp) and operand is op.x_offsets:
        return False
    return types.is_tensor(operand.type)


def _moved(access: Operation) -> SSAValue:
    """Return the tensor that an access without results writes."""
    return access.operands[1] if isinstance(access, tt.StoreOp) else _tile_of(access)


def _lay_out(op: Operation, encoding: Encoding) -> Operation:
    """Give an access a layout: its operands and results are converted around it."""
    builder = Builder().before(op)
    operands = [
        builder.value(ttg.ConvertLayoutOp, [operand], types.with_encoding(operand.type, encoding))
        if _is_laid_out(op, operand)
        else operand
        for operand in op.operands
    ]
    laid_out = type(op).create(
        operands=operands,
        result_types=[types.with_encoding(result.type, encoding) for result in op.results],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        location=op.location,
    )
    builder.insert(laid_out)
    for old, new in zip(op.results, laid_out.results, strict=True):
        value: SSAValue = new
        if new.type != old.type:
            value = builder.value(ttg.ConvertLayoutOp, [new], old.type)
        value.name_hint = old.name_hint
        old.replace_all_uses_with(value)
    erase(op)
    return laid_out
