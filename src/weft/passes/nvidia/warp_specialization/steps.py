"""The steps of warp specialization on Hopper, in order.

task partition → propagation → data partition → code partition → token lowering
"""

from __future__ import annotations

from collections.abc import Callable

from weft.ir import attributes, scf, tt, types
from weft.ir.loop_attributes import NUM_STAGES
from weft.ir.rewriting import walk
from weft.passes.nvidia.warp_specialization.code_partition import insert_communication
from weft.passes.nvidia.warp_specialization.data_partition import share_among_consumers
from weft.passes.nvidia.warp_specialization.specialize import specialize_regions
from weft.passes.nvidia.warp_specialization.task_partition import choose_tasks
from weft.passes.nvidia.warp_specialization.task_propagation import propagate_tasks
from weft.passes.nvidia.warp_specialization.token_lowering import lower_tokens

__all__ = ["specialize_function"]

_GROUPS = (3, 2)  # of warps, in the order of the attempts


def specialize_function(
    function: tt.FuncOp, num_stages: int, report: Callable[[str], None]
) -> None:
    """Split the loops of a function between groups of warps, in place.

    Args:
        function: A function with a loop that asks for warp specialization.
        num_stages: The number of buffers in loops without `tt.num_stages`.
        report: Called with the name of each step after it.
    """
    for groups in _GROUPS:
        choose_tasks(function, groups)
        report("doTaskPartition")
        propagate_tasks(function)
        report("doTaskIdPropagate")
        if share_among_consumers(function, groups - 1):
            break
    report("doDataPartition")
    if insert_communication(function, num_stages):
        specialize_regions(function)
    report("doCodePartition")
    lower_tokens(function)
    for op in walk(function):
        if isinstance(op, scf.ForOp):
            op.attributes[NUM_STAGES] = attributes.integer(0, types.i32)
