"""Accelerate matmul: rewrite every dot for a matrix instruction of the target.

Before:  %d = tt.dot %a, %b, %c : …, #blocked              After, on cuda:80:
                                                  %a' = ttg.convert_layout %a → #dot_op<#mma>
                                                  %d' = tt.dot %a', %b', %c' → #mma
                                                  %d = ttg.convert_layout %d' → #blocked

For each dot the pass
1. selects an instruction in the target's order of preference: tcgen05 (sm_100), wgmma (sm_90),
   mma.sync (`instruction_selection`);
2. chooses the instruction shape and the warps per dimension, and thereby #mma (`warp_tiling`);
3. converts operands to the registers or the shared memory buffers that the instruction reads
   (`operands`), and replaces the dot (`mma_and_wgmma`, `tensor_memory` for tcgen05).

On sm_80 a dot of 128x64 with 8 warps gets mma.sync, instrShape = [16, 8] and warpsPerCTA = [4, 2].
`scaled_dots` handles tt.dot_scaled, which is decomposed if no instruction of the target reads
scales. Last, `operand_promotion` extends operands of types that the instruction does not support.

Requires layouts and "ttg.target". Preserves everything but dots.
Source: measured on Triton 3.7.1 (`tritongpu-accelerate-matmul`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.errors import PassError
from weft.ir import tt
from weft.ir.builtin import ModuleOp, StringAttr
from weft.ir.folds import FOLDS
from weft.ir.rewriting import walk
from weft.passes.ledger import record_remaining_layouts, snapshot_layouts
from weft.passes.nvidia.accelerate_matmul.rewrite_dots import rewrite_dots
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.targets.tensor_cores import TensorCores, tensor_cores

__all__ = ["AccelerateMatmul"]


class AccelerateMatmul(Struct, frozen=True):
    """Gives dots the layouts of matrix instructions."""

    name: ClassVar[str] = "tritongpu-accelerate-matmul"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the dots of a module in place.

        Raises:
            PassError: The module has no "ttg.target", or the target cannot compute a dot.
            UnknownTargetError: The target is unknown.
        """
        cores, before = target_tensor_cores(module), snapshot_layouts(module)
        if any(isinstance(op, tt.DotOp | tt.DotScaledOp) for op in walk(module)):
            rewrite_dots(self, module, cores)
        else:
            apply_greedily(module, RewriteRules(FOLDS, {}, top_down=False))
        record_remaining_layouts(
            self, module, before, "part of a dot in the layout of its operands"
        )


def target_tensor_cores(module: ModuleOp) -> TensorCores:
    """Load the facts about the tensor cores of a module's target.

    Raises:
        PassError: The module has no target.
        UnknownTargetError: The target is unknown.
    """
    target = module.attributes.get("ttg.target")
    if not isinstance(target, StringAttr):
        raise PassError(
            'missing module attribute "ttg.target"',
            found=f"attributes {sorted(module.attributes)}",
            accepted=['ttg.target = "cuda:90"'],
            hint="run convert-triton-to-tritongpu first",
        )
    return tensor_cores(target.data)
