"""Rewrite the dots of a module: those of tensor memory, of warps, and those that carry scales."""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.nvidia.accelerate_matmul import plain, scaled, tensor_memory
from weft.passes.nvidia.accelerate_matmul.notes import Notes
from weft.passes.nvidia.accelerate_matmul.promotion import promote_operands
from weft.passes.registry import Pass
from weft.passes.rewrite.decompose_scaled import decompose_scaled
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.targets.tensor_cores import TensorCores

__all__ = ["rewrite_dots"]


def rewrite_dots(by: Pass, module: ModuleOp, cores: TensorCores) -> None:
    """Give every dot a matrix instruction of the chip, in place.

    Args: by: the pass that decides it.
    Raises: PassError: a dot that nothing can do.
    """
    notes = Notes(by)
    scaled.turn_around(module, notes)
    patterns = {
        tt.DotOp: (tensor_memory.pattern(cores, notes), plain.pattern(cores, notes)),
        tt.DotScaledOp: (
            scaled.mma_pattern(cores, notes),
            scaled.tensor_memory_pattern(cores, notes),
            decompose_scaled,
        ),
    }
    apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False))
    promote_operands(module, cores, notes)
