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

from weft.analysis.axis_info import axis_info, write_argument_hints
from weft.analysis.coalescing import (
    WIDEST_BITS,
    PointerAccess,
    coalesced_layout,
    connected_accesses,
    encoding_of,
    is_pointer_access,
    widths_are_independent,
)
from weft.ir import tt, ttg, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.hardware import threads_per_warp, warps_around
from weft.layouts import BlockedEncoding
from weft.layouts.cga import blocked_like, shape_per_cta
from weft.passes.ledger import Candidate, enabled, record_decision
from weft.passes.rewrite.change_layout import change_layout

__all__ = ["Coalesce"]

_DESCRIPTOR_OPS: frozenset[type[Operation]] = frozenset(
    {
        tt.DescriptorLoadOp,
        tt.DescriptorStoreOp,
        tt.DescriptorReduceOp,
        tt.DescriptorGatherOp,
        tt.DescriptorScatterOp,
    }
)


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
        write_argument_hints(facts)
        chosen: list[_Choice] = []
        for function, found in zip(functions, accesses, strict=True):
            ways = [PointerAccess.of(op, facts) for op in found if is_pointer_access(op)]
            alone = widths_are_independent(ways) and not enabled()
            alike = [[way] for way in ways] if alone else connected_accesses(function, ways)
            chosen += [
                _through_pointers(way, others, lanes)
                for way, others in zip(ways, alike, strict=True)
            ]
            chosen += [
                _through_descriptor(op, lanes) for op in found if type(op) in _DESCRIPTOR_OPS
            ]
        for choice in chosen:
            laid_out = change_layout(choice.op, choice.encoding, _is_laid_out)
            if enabled():
                self._record(choice, laid_out)

    def _record(self, choice: _Choice, access: Operation) -> None:
        """Write down why an access has its layout, and its conversions theirs."""
        layout = str(choice.encoding)
        asked = access.name
        for operand in access.operands:
            if isinstance(operand.owner, ttg.ConvertLayoutOp):
                record_decision(self, operand, layout, f"what {asked} reads", anchor=asked)
        value = access.results[0] if access.results else _moved(access)
        record_decision(self, value, layout, choice.why, over=choice.over, facts=choice.facts)
        for result in access.results:
            for use in result.uses:
                if not isinstance(use.operation, ttg.ConvertLayoutOp):
                    continue  # the access has the layout that it had
                back = use.operation.results[0]
                was = str(types.encoding(back.type))
                record_decision(self, back, was, f"what reads the result of {asked} stays as it is")


@dataclass(frozen=True, slots=True)
class _Choice:
    """The layout of an access and why it is that; `over` and `facts` as of a decision."""

    op: Operation
    encoding: BlockedEncoding
    why: str
    over: tuple[Candidate, ...]
    facts: tuple[tuple[str, str], ...]


def _through_pointers(
    access: PointerAccess, others: Sequence[PointerAccess], lanes: int
) -> _Choice:
    """Choose the layout of an access through pointers."""
    op = access.op
    found = coalesced_layout(access, others, warps_around(op), lanes)
    if not enabled():
        return _Choice(op, found.encoding, "", (), ())
    over = tuple(
        Candidate(
            f"{other.max_elements(access)} elements per thread",
            f"{other.op.name}: runs of {other.run_length}, {other.alignment_text}",
        )
        for other in others
    )
    facts = (
        ("contiguity", " x ".join(map(str, access.contiguity))),
        ("divisibility", f"{access.alignment_bytes} bytes"),
        ("order", ", ".join(map(str, access.order))),
        ("element", f"{access.element_bits} bits"),
        ("share of a thread", f"{found.elements_per_thread} elements"),
    )
    why = access.width_reason(found)
    return _Choice(op, found.encoding, why, over, facts)


def _through_descriptor(op: Operation, lanes: int) -> _Choice:
    """Choose the layout of a tile that goes through a descriptor."""
    type_ = _tile_of(op).type
    like, shape = encoding_of(type_), types.shape(type_)
    share = shape_per_cta(like, shape)
    warps = warps_around(op)
    held = max(1, prod(share) // (warps * lanes))
    sizes = [1] * (len(share) - 1) + [min(held, WIDEST_BITS // types.bit_width(type_))]
    order = tuple(reversed(range(len(share))))
    encoding = blocked_like(like, shape, tuple(sizes), order, warps, lanes)
    why = "a tile of a descriptor is row-major, with 16 bytes per thread where it has as many"
    return _Choice(op, encoding, why, (), (("share of a thread", f"{held} elements"),))


def _accesses(function: tt.FuncOp) -> Iterator[Operation]:
    """Yield the operations of a function that move tensors to or from memory."""
    for op in function.walk():
        if type(op) in _DESCRIPTOR_OPS or is_pointer_access(op):
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
