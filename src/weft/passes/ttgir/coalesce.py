"""Coalesce: give memory accesses layouts in which a warp accesses contiguous addresses.

Before:  %v = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>       sizePerThread = [1, 1]
After:   %q = ttg.convert_layout %p : … #blocked -> … #blocked1
         %w = tt.load %q : tensor<128x64x!tt.ptr<f16>, #blocked1>      sizePerThread = [1, 8]
         %v = ttg.convert_layout %w : … #blocked1 -> … #blocked

The layout of an access follows from the axis info of its pointers. In the example rows of 64 f16
are contiguous and aligned to 16 bytes:

1. The order has the dimension with the longest contiguous runs first: [1, 0].
2. A thread accesses as many elements as are contiguous and aligned, but at most 128 bits, and at
   most the elements of the tensor per thread: 8 f16 along dimension 1.
3. Accesses in the same slice with the same shape and order use the largest width of any of them, so
   that values loaded together have one layout. Stores and atomics are the exception: with more than
   their own width a warp would write with gaps, which no cache hides.

A tile that is loaded or stored through a descriptor is row-major with 16 bytes per thread.

Requires layouts, "ttg.num-warps" and "ttg.threads-per-warp". Preserves all other layouts.
`tritongpu-remove-layout-conversions` removes the conversions that turn out to be unnecessary.
Source: measured on Triton 3.7.1 (`tritongpu-coalesce`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import ClassVar

from msgspec import Struct

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
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp
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


class Coalesce(Struct, frozen=True):
    """Gives every memory access a coalesced layout."""

    name: ClassVar[str] = "tritongpu-coalesce"

    def run(self, module: ModuleOp) -> None:
        """Change the layouts of accesses in place, with conversions around them.

        Raises:
            PassError: The module has no layouts.
        """
        functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
        accesses = [list(_accesses(function)) for function in functions]
        if not any(accesses):
            return
        lanes = lookup_threads_per_warp(module)
        info = axis_info(module)
        write_argument_hints(info)
        # Choose all layouts first: changing one would invalidate the axis info of the others.
        choices: list[_LayoutChoice] = []
        for function, ops in zip(functions, accesses, strict=True):
            pointer_accesses = [PointerAccess.of(op, info) for op in ops if is_pointer_access(op)]
            # Slices are expensive; skip them if they cannot change a width.
            if widths_are_independent(pointer_accesses) and not enabled():
                connected = [[access] for access in pointer_accesses]
            else:
                connected = connected_accesses(function, pointer_accesses)
            choices += [
                _choose_for_pointers(access, others, lanes)
                for access, others in zip(pointer_accesses, connected, strict=True)
            ]
            choices += [
                _choose_for_descriptor(op, lanes) for op in ops if type(op) in _DESCRIPTOR_OPS
            ]
        for choice in choices:
            access = change_layout(choice.op, choice.encoding, _has_access_layout)
            if enabled():
                self._record(choice, access)

    def _record(self, choice: _LayoutChoice, access: Operation) -> None:
        """Record the layout of an access and of the conversions around it."""
        layout = str(choice.encoding)
        name = access.name
        for operand in access.operands:
            if isinstance(operand.owner, ttg.ConvertLayoutOp):
                record_decision(self, operand, layout, f"an operand of {name}", anchor=name)
        value = access.results[0] if access.results else _stored_value(access)
        record_decision(
            self, value, layout, choice.reason, candidates=choice.candidates, facts=choice.facts
        )
        for result in access.results:
            for use in result.uses:
                if not isinstance(use.operation, ttg.ConvertLayoutOp):
                    continue  # the layout of the access did not change
                converted = use.operation.results[0]
                old_layout = str(types.encoding(converted.type))
                reason = f"users of the result of {name} keep their layout"
                record_decision(self, converted, old_layout, reason)


class _LayoutChoice(Struct, frozen=True):
    """The layout of an access.

    Attributes:
        op: The access.
        encoding: Its new layout.
        reason: The reason, as are `candidates` and `facts`, for the ledger.
        candidates: The candidates.
        facts: The numbers that decided.
    """

    op: Operation
    encoding: BlockedEncoding
    reason: str
    candidates: tuple[Candidate, ...]
    facts: tuple[tuple[str, str], ...]


def _choose_for_pointers(
    access: PointerAccess, others: Sequence[PointerAccess], lanes: int
) -> _LayoutChoice:
    """Choose the layout of an access through pointers.

    Args:
        access: The access.
        others: The accesses of the same slice, `access` included.
        lanes: The threads per warp.
    """
    op = access.op
    layout = coalesced_layout(access, others, lookup_num_warps(op), lanes)
    if not enabled():
        return _LayoutChoice(op, layout.encoding, "", (), ())
    candidates = tuple(
        Candidate(
            f"{other.max_elements(access)} elements per thread",
            f"{other.op.name}: runs of {other.run_length}, {other.alignment_text}",
        )
        for other in others
    )
    facts = (
        ("contiguity", " x ".join(map(str, access.info.contiguity))),
        ("divisibility", f"{access.alignment_bytes} bytes"),
        ("order", ", ".join(map(str, access.order))),
        ("element", f"{access.element_bits} bits"),
        ("share of a thread", f"{layout.elements_per_thread} elements"),
    )
    reason = access.width_reason(layout)
    return _LayoutChoice(op, layout.encoding, reason, candidates, facts)


def _choose_for_descriptor(op: Operation, lanes: int) -> _LayoutChoice:
    """Choose the layout of a tile that is accessed through a descriptor."""
    type_ = _tile_of(op).type
    like, shape = encoding_of(type_), types.shape(type_)
    cta_shape = shape_per_cta(like, shape)
    warps = lookup_num_warps(op)
    per_thread = max(1, prod(cta_shape) // (warps * lanes))
    # A descriptor guarantees rows that are contiguous and aligned to 16 bytes.
    width = min(per_thread, WIDEST_BITS // types.bit_width(type_))
    sizes = [1] * (len(cta_shape) - 1) + [width]
    order = tuple(reversed(range(len(cta_shape))))
    encoding = blocked_like(like, shape, tuple(sizes), order, warps, lanes)
    reason = "a tile of a descriptor is row-major, with up to 16 bytes per thread"
    facts = (("share of a thread", f"{per_thread} elements"),)
    return _LayoutChoice(op, encoding, reason, (), facts)


def _accesses(function: tt.FuncOp) -> Iterator[Operation]:
    """Yield the operations of a function that access global memory with tensors."""
    for op in function.walk():
        if type(op) in _DESCRIPTOR_OPS or is_pointer_access(op):
            yield op


def _tile_of(op: Operation) -> SSAValue:
    """Find the tensor that a descriptor operation loads or stores."""
    if op.results:
        return op.results[0]
    assert isinstance(op, tt.DescriptorStoreOp | tt.DescriptorReduceOp | tt.DescriptorScatterOp)
    return op.src


def _has_access_layout(op: Operation, operand: SSAValue) -> bool:
    """Check whether an operand needs the layout of the access; the row indices do not."""
    if isinstance(op, tt.DescriptorGatherOp | tt.DescriptorScatterOp) and operand is op.x_offsets:
        return False
    return types.is_tensor(operand.type)


def _stored_value(access: Operation) -> SSAValue:
    """Find the tensor that an access without results stores."""
    return access.operands[1] if isinstance(access, tt.StoreOp) else _tile_of(access)
