"""Give every dot a matrix instruction of the chip (`tritongpu-accelerate-matmul`).

Before:  %d = tt.dot %a, %b, %c : …, #blocked              After, on cuda:80:
                                                  %a' = ttg.convert_layout %a → #dot_op<#mma>
                                                  %d' = tt.dot %a', %b', %c' → #mma
                                                  %d = ttg.convert_layout %d' → #blocked

Families are tried in the chip's order of preference (`targets/mma`): tcgen05 (sm_100), wgmma
(sm_90), mma.sync (all). `dots` goes through them. One file per step: `choice` of the family,
`warps` and tile, `operands`; `plain` rewrites for mma.sync and wgmma, `tensor_memory` for tcgen05,
`scaled` what carries scales (`decompose_scaled` where no instruction of the chip reads them); last,
`promotion` widens operands that the instruction does not read.

Needs: layouts, "ttg.target" of a chip of NVIDIA. Keeps: everything but dots.
Source: measured on Triton 3.7.1; rows in targets/mma.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.errors import PassError
from weft.ir import tt
from weft.ir.builtin import ModuleOp, StringAttr
from weft.ir.folds import FOLDS
from weft.ir.rewriting import walk
from weft.passes.ledger import record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.targets.tensor_cores import TensorCores, tensor_cores

__all__ = ["AccelerateMatmul"]


@dataclass(frozen=True, slots=True)
class AccelerateMatmul:
    """Post: every dot that the chip has an instruction for is in its layout."""

    name: ClassVar[str] = "tritongpu-accelerate-matmul"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the dots of a module in place.

        Raises: PassError: no "ttg.target", or a dot that nothing can do.
        UnknownTargetError: a chip without rows.
        """
        cores, before = chip_of(module), snapshot_layouts(module)
        if any(isinstance(op, tt.DotOp | tt.DotScaledOp) for op in walk(module)):
            # The import costs a compile 20 modules, and most kernels have no dot.
            from weft.passes.nvidia.accelerate_matmul.dots import rewrite_dots

            rewrite_dots(self, module, cores)
        else:
            apply_greedily(module, RewriteRules(FOLDS, {}, top_down=False))
        record_remaining_layouts(
            self, module, before, "part of a dot in the layout of its operands"
        )


def chip_of(module: ModuleOp) -> TensorCores:
    """Return what the chip of a module multiplies with.

    Raises: PassError: the module names none.
    """
    found = module.attributes.get("ttg.target")
    if not isinstance(found, StringAttr):
        raise PassError(
            'the module does not say "ttg.target"',
            found=f"attributes {sorted(module.attributes)}",
            accepted=['ttg.target = "cuda:90"'],
            hint="run convert-triton-to-tritongpu first",
        )
    return tensor_cores(found.data)
