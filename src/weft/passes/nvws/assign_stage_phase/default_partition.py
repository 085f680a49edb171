"""Let the default partition compute the scalars that are used after a warp-specialized loop.

%n = scf.for … {
  %k = arith.addi … {ttg.partition = array<i32: 1>}         becomes array<i32: 0, 1>
  scf.yield %k
}
… %n                                                        outside: the default partition has it
"""

from __future__ import annotations

from weft.ir import scf, tt, types
from weft.ir.builtin import BlockArgument, IntegerType, OpResult, SSAValue
from weft.ir.loop_attributes import WARP_SPECIALIZE
from weft.passes.pipelining.partitions.attributes import (
    TAG,
    has_partition,
    partition_ids,
    partition_outputs,
    set_partition,
    set_partition_outputs,
)
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = ["compute_results_in_default_partition"]

_DEFAULT = 0


def compute_results_in_default_partition(loop: scf.ForOp) -> None:
    """Add the default partition to what computes the results of a loop that others use."""
    visited: set[SSAValue] = set()
    for index, result in enumerate(loop.results):
        is_scalar = isinstance(result.type, IntegerType) or types.is_float(result.type)
        users = [use.operation for use in result.uses]
        is_used_outside = any(
            not has_partition(user) or (isinstance(user, scf.ForOp) and TAG in user.attributes)
            for user in users
        )
        if is_scalar and is_used_outside:
            _add_to_output(loop, index)
            _add_to_definition(loop, loop.yielded_values[index], visited)


def _add_to_output(op: scf.ForOp | scf.IfOp, index: int) -> None:
    """Add the default partition to control flow and one of its results."""
    set_partition(op, (*partition_ids(op), _DEFAULT))
    outputs = partition_outputs(op)
    outputs[index] = (*outputs[index], _DEFAULT)
    set_partition_outputs(op, outputs)


def _add_to_definition(loop: scf.ForOp, value: SSAValue, visited: set[SSAValue]) -> None:
    """Add the default partition to what computes a value in a loop.

    Args:
        loop: The warp-specialized loop.
        value: The value.
        visited: The values that are complete.
    """
    worklist = [value]
    while worklist:
        value = worklist.pop()
        if value in visited:
            continue
        visited.add(value)
        if isinstance(value, BlockArgument):
            parent = value.block.parent_op()
            if isinstance(parent, scf.ForOp) and WARP_SPECIALIZE not in parent.attributes:
                # The induction variable depends on the bounds.
                worklist += (
                    parent.bounds if value.index == 0 else (parent.init_args[value.index - 1],)
                )
            continue
        assert isinstance(value, OpResult)
        op = value.op
        if ancestor_in_block(op, loop.block) is None:
            continue
        if isinstance(op, scf.IfOp | scf.ForOp):
            _add_to_output(op, value.index)
            for region in op.regions:
                if region.blocks and region.block.last_op is not None:
                    worklist.append(region.block.last_op.operands[value.index])
            worklist += (op.condition,) if isinstance(op, scf.IfOp) else op.bounds
            continue
        if not isinstance(op, tt.ReduceOp):
            set_partition(op, (*partition_ids(op), _DEFAULT))
        worklist += op.operands
