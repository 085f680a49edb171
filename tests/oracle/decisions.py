"""Compiles for which weft's IR differs from Triton's on purpose.

Each row names the page under docs/decisions that says why. A row that is no longer true fails:
where a decision applies, the IR has to differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.oracle.corpus import kernels_of

_WITHOUT_SCALED_MFMA = ("hip:gfx908", "hip:gfx90a", "hip:gfx942")


@dataclass(frozen=True, slots=True)
class Decision:
    """One deliberate difference.

    Attributes:
        page: The page, and its subject.
        kernel: The kernel function.
        file: The stem of the kernel file; "" for any.
        entries: The entries of CASES; empty for all.
        targets: The targets; empty for all.
        passes: The passes that differ on Triton's IR before them.
    """

    page: str
    kernel: str
    file: str = ""
    entries: tuple[int, ...] = ()
    targets: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()

    def covers(self, path: Path, index: int, target: str) -> bool:
        """Check whether the decision is about a compile."""
        return (
            kernels_of(path)[index] == self.kernel
            and (not self.file or path.stem == self.file)
            and (not self.entries or index in self.entries)
            and (not self.targets or target in self.targets)
        )


DECISIONS = (
    Decision(
        "010: a partial sum that the loop reads",
        "chunked_cumsum",
        entries=(9,),
        passes=("tritongpu-optimize-thread-locality",),
    ),
    Decision(
        "011: accumulators that start over in a loop",
        "branched_product",
        targets=("cuda:100",),
        passes=("tritongpu-optimize-accumulator-init",),
    ),
    Decision(
        "020: a fence stays in a loop that stores the operand",
        "delta_rule",
        targets=("cuda:100",),
        passes=("triton-nvidia-gpu-fence-insertion",),
    ),
    *(
        Decision(
            "019: ranges beside the index of a tile",
            kernel,
            file="warp_specialized",
            targets=("cuda:90",),
            passes=("nvgpu-warp-specialization",),
        )
        for kernel in ("biased_product", "causal_attention", "two_results")
    ),
    *(
        Decision(
            "016: scaled dots without scaled MFMA",
            kernel,
            entries=entries,
            targets=_WITHOUT_SCALED_MFMA,
            passes=("tritonamdgpu-accelerate-matmul",),
        )
        for kernel, entries in (("matmul_mxfp4", (0,)), ("scaled_tile", ()))
    ),
    Decision(
        "018: a tile that wgmma and registers share",
        "attention_backward",
        entries=(3,),
        targets=("cuda:90",),
        passes=("tritongpu-pipeline",),
    ),
)


def decision_of(compile_: tuple[Path, int, str], pass_name: str = "") -> str | None:
    """Find why the IR of a compile is not Triton's on purpose.

    Args:
        compile_: The kernel file, the entry of its CASES, and the target.
        pass_name: The one pass that is compared; "" for the result of the whole pipeline.

    Returns:
        The page of the decision, None if the IR should be Triton's.
    """
    for decision in DECISIONS:
        if decision.covers(*compile_) and (not pass_name or pass_name in decision.passes):
            return f"docs/decisions/{decision.page}"
    return None
