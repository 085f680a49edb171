"""Mark loops with chained dots for LLVM's scheduler (triton-amdgpu-insert-instruction-sched-hints).

Before:  scf.for … {               After:  scf.for … {
           %s = tt.dot %q, %k                amdg.instruction_sched_hint {variant = attention}
           %o = tt.dot %s, %v                %s = tt.dot %q, %k
         }                                   %o = tt.dot %s, %v
                                           }

Code generation turns the hint into LLVM's strategy for two dots in a loop (`iglp_opt 2`), with
scheduling barriers at both ends of the loop's body. The variants "none" and
"memory-bound-attention" change nothing here: the latter selects a scheduler for the whole kernel.

Keeps values. Source: Triton, SchedInstructions.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.errors import PassError
from weft.ir import amdg, scf, tt
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import Builder
from weft.passes.amd.accelerate_matmul.chain import is_chain_head

__all__ = ["InsertInstructionSchedHints"]

_ATTENTION = "attention"
_VARIANTS = ("none", _ATTENTION, "memory-bound-attention")


class InsertInstructionSchedHints(Struct, frozen=True):
    """Inserts hints at the start of loops that contain the head of a chain of dots.

    Attributes:
        variant: One part of the compile option `schedule_hint`.
    """

    variant: str = "none"

    name: ClassVar[str] = "triton-amdgpu-insert-instruction-sched-hints"

    def run(self, module: ModuleOp) -> None:
        """Insert hints in place.

        Raises:
            PassError: The variant is unknown.
        """
        variant = self.variant.lower()
        if variant not in _VARIANTS:
            raise PassError(
                "unknown instruction scheduling variant", found=self.variant, accepted=_VARIANTS
            )
        if variant != _ATTENTION:
            return
        for loop in module.walk():
            if isinstance(loop, scf.ForOp) and _has_chained_dots(loop):
                builder = Builder(loop.location).at_start(loop.block)
                builder.create(
                    amdg.InstructionSchedHintOp,
                    properties={"variant": amdg.SchedHintVariantAttr.of(variant)},
                )


def _has_chained_dots(loop: scf.ForOp) -> bool:
    return any(isinstance(op, tt.DotOp) and is_chain_head(op) for op in loop.walk())
