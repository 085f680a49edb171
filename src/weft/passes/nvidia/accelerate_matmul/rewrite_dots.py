"""Rewrite the dots of a module: tt.dot on tcgen05, wgmma or mma.sync, and tt.dot_scaled."""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.nvidia.accelerate_matmul import mma_and_wgmma, scaled_dots, tensor_memory
from weft.passes.nvidia.accelerate_matmul.decision_records import DecisionRecorder
from weft.passes.nvidia.accelerate_matmul.operand_promotion import promote_operands
from weft.passes.registry import Pass
from weft.passes.rewrite.decompose_scaled import decompose_scaled
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.targets.tensor_cores import TensorCores

__all__ = ["rewrite_dots"]


def rewrite_dots(by: Pass, module: ModuleOp, cores: TensorCores) -> None:
    """Rewrite dots in place.

    Args:
        by: The pass.
        module: The module.
        cores: The tensor cores of the target.

    Raises:
        PassError: The target cannot compute a dot.
    """
    recorder = DecisionRecorder(by)
    scaled_dots.transpose_dots_scaled_on_b(module, recorder)
    patterns: PatternTable = {
        tt.DotOp: (tensor_memory.pattern(cores, recorder), mma_and_wgmma.pattern(cores, recorder)),
        tt.DotScaledOp: (
            scaled_dots.mma_pattern(cores, recorder),
            scaled_dots.tensor_memory_pattern(cores, recorder),
            decompose_scaled,
        ),
    }
    apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False))
    promote_operands(module, cores, recorder)
