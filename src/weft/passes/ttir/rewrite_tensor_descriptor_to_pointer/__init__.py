"""Rewrite tensor descriptors into pointers and masks, for targets without TMA or TDM.

Before:  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<64xf16>>
         %x = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<64xf16>> -> tensor<64xf16>
After:   %b = arith.extsi %n : i32 to i64
         %k = (tt.splat %i) + (tt.make_range 0 to 64) : tensor<64xi64>
         %q = tt.addptr (tt.splat %p), %k * (tt.splat %s)
         %x = tt.load %q, %k >= 0 & %k < %b, 0

A descriptor is replaced by its parts (`descriptor_parts`): base pointer, size and stride per axis,
whether elements outside are NaN instead of 0, and whether loads round f32 to tf32
(`round_to_tf32`). Functions, loops and conditionals forward the parts (`control_flow`). `accesses`
rewrites the operations on descriptors.

Preserves which elements are loaded and stored, and the order of effects.
Source: measured on Triton 3.7.1 (`triton-rewrite-tensor-descriptor-to-pointer`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir.builtin import ModuleOp
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.accesses import REWRITES
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.control_flow import DescriptorRewrite
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.descriptor_parts import has_descriptor

__all__ = ["RewriteTensorDescriptorToPointer"]


class RewriteTensorDescriptorToPointer(Struct, frozen=True):
    """Rewrites tensor descriptors."""

    name: ClassVar[str] = "triton-rewrite-tensor-descriptor-to-pointer"

    def run(self, module: ModuleOp) -> None:
        """Rewrite descriptors in place.

        Raises:
            PassError: A descriptor is an operand of a branch or call, or a result of a function, or
                a reduction has no atomic operation.
        """
        if any(has_descriptor(op) for op in module.walk()):
            rewrite = DescriptorRewrite(REWRITES)
            rewrite.rewrite_region(module.body)
            rewrite.finish()
