"""Share the work out over the blocks of a cluster (`triton-nvidia-gpu-plan-cta`).

One block in a cluster, "ttg.num-ctas" = 1:

    %d = tt.dot %a, %b, %c : …, #blocked      →      the same: the block has all of it for itself

Where more blocks than one form a cluster, every dot and reduction would have to be cut in parts,
with conversions between parts that lie in different blocks. weft does not do that: it is told.

Keeps: everything. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from weft.errors import PassError
from weft.ir.builtin import ModuleOp
from weft.ir.hardware import blocks_of_cluster
from weft.records import dataclass

__all__ = ["PlanCta"]


@dataclass(frozen=True, slots=True)
class PlanCta:
    """Post: layouts say which block of a cluster holds what; there is one block."""

    name: ClassVar[str] = "triton-nvidia-gpu-plan-cta"

    def run(self, module: ModuleOp) -> None:
        """Check that there is nothing to share out.

        Raises: PassError: a cluster has several blocks.
        """
        blocks = blocks_of_cluster(module)
        if blocks != 1:
            raise PassError(
                "work is not shared out over several blocks of a cluster",
                found=f'"ttg.num-ctas" = {blocks}',
                accepted=['"ttg.num-ctas" = 1'],
                hint="compile with num_ctas=1",
            )
