"""Replace `#gluon.coalesced_encoding` by the layouts in which memory accesses coalesce.

Before:  %p = … : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
         %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
After:   %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #blocked>      sizePerThread = [4]

The layout of an access is that of `tritongpu-coalesce`. It spreads from the access to what computes
its operands and to what uses its results, up to `gluon.set_auto_layout`.

Requires "ttg.num-warps", and that functions with such arguments or results are inlined. Preserves
values.
Source: Triton 3.7.1, lib/Dialect/Gluon/Transforms/InferCoalescedEncodings.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo, axis_info, write_argument_hints
from weft.analysis.coalescing import (
    CoalescedLayout,
    PointerAccess,
    coalesced_layout,
    connected_accesses,
    is_pointer_access,
)
from weft.errors import PassError
from weft.ir import locations, tt, types
from weft.ir.builtin import ModuleOp
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps, lookup_threads_per_warp
from weft.ir.rewriting import walk
from weft.layouts import CoalescedEncoding
from weft.passes.ledger import enabled, record_decision
from weft.passes.rewrite.infer_encodings import check_is_resolved, infer_encodings

__all__ = ["InferCoalescedEncodings"]


class InferCoalescedEncodings(Struct, frozen=True):
    """Infers the layouts of tensors with a coalesced layout."""

    name: ClassVar[str] = "gluon-infer-coalesced-encodings"

    def run(self, module: ModuleOp) -> None:
        """Set the layouts in place.

        Raises:
            PassError: Two layouts for one value, none for another, or a function that takes or
                returns tensors with a coalesced layout.
        """
        infos = axis_info(module)
        write_argument_hints(infos)
        for function in module.ops:
            if isinstance(function, tt.FuncOp):
                self._infer(module, function, infos)
        check_is_resolved(module, CoalescedEncoding)

    def _infer(self, module: ModuleOp, function: tt.FuncOp, infos: ModuleAxisInfo) -> None:
        """Set the layouts of a function, and record the reason for each."""
        choices = _choices(module, function, infos)
        seeds = [
            (operand, layout.encoding)
            for access, layout in choices
            for operand in access.op.operands
        ]
        values = infer_encodings(function, CoalescedEncoding, seeds)
        if not enabled():
            return
        reasons = {
            operand: f"{access.op.name}: {access.width_reason(layout)}"
            for access, layout in reversed(choices)  # the first access counts
            for operand in access.op.operands
        }
        for value in values:
            reason = reasons.get(value, "follows from the layout of a memory access")
            record_decision(self, value, str(types.encoding(value.type)), reason)


def _choices(
    module: ModuleOp, function: tt.FuncOp, infos: ModuleAxisInfo
) -> list[tuple[PointerAccess, CoalescedLayout]]:
    """Choose the layouts of accesses with a coalesced layout."""
    accesses = [PointerAccess.of(op, infos) for op in walk(function) if is_pointer_access(op)]
    lanes = lookup_threads_per_warp(module)
    choices: list[tuple[PointerAccess, CoalescedLayout]] = []
    connected = connected_accesses(function, accesses)
    for access, others in zip(accesses, connected, strict=True):
        if not isinstance(types.encoding(access.type), CoalescedEncoding):
            continue
        if lookup_num_ctas(module) != 1:
            raise PassError(
                "coalesced layouts are inferred for clusters of one CTA only",
                location=locations.position(access.op.location),
                found=f"ttg.num-ctas = {lookup_num_ctas(module)}",
                accepted=[1],
            )
        layout = coalesced_layout(access, others, lookup_num_warps(access.op), lanes)
        choices.append((access, layout))
    return choices
