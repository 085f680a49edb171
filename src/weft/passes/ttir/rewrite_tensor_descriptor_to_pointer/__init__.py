"""Replace tensor descriptors by pointers and masks (`triton-rewrite-tensor-descriptor-to-pointer`).

For chips that do not copy tiles by descriptor in hardware.

Before:  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<64xf16>>
         %x = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<64xf16>> -> tensor<64xf16>
After:   %b = arith.extsi %n : i32 to i64
         %k = (tt.splat %i) + (tt.make_range 0 to 64) : tensor<64xi64>
         %q = tt.addptr (tt.splat %p), %k * (tt.splat %s)
         %x = tt.load %q, %k >= 0 & %k < %b, 0

A descriptor becomes its parts: the base pointer, a size and a stride per axis, whether elements
outside are NaN instead of 0, and whether f32 is rounded to tf32 on the way. Functions, loops and
ifs that carry a descriptor carry its parts (`parts`, `carrying`); what reads or writes by one is in
`accesses`, rounding in `tf32`.
Keeps: which elements are read and written, and the order of effects.
Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.ir.builtin import ModuleOp
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.accesses import RULES
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.carrying import Rewrite
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.parts import mentions

__all__ = ["RewriteTensorDescriptorToPointer"]


@dataclass(frozen=True, slots=True)
class RewriteTensorDescriptorToPointer:
    """Post: no descriptor is left.

    Raises: PassError: one in a branch or call, a function that returns one, an atomic reduction
    whose kind says no signedness.
    """

    name: ClassVar[str] = "triton-rewrite-tensor-descriptor-to-pointer"

    def run(self, module: ModuleOp) -> None:
        """Rewrite descriptors in place."""
        if any(mentions(op) for op in module.walk()):
            rewrite = Rewrite(RULES)
            rewrite.region(module.body)
            rewrite.finish()
