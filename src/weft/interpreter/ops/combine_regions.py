"""Runs the region of a reduction, scan or map on whole arrays: each element is an instance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from weft.interpreter.block_graph import BlockGraph
from weft.interpreter.function_compiler import FunctionCompiler, operations
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Slots, row_of
from weft.interpreter.values import dense, leading, take


class Region:
    """The compiled region of a reduction, scan or map, as a function of arrays of one shape.

    Args:
        op: The operation.
        compiler: The compiler of the function.
    """

    def __init__(self, op: Operation, compiler: FunctionCompiler) -> None:
        self._graph = BlockGraph(op.regions[0], compiler, watch=False)
        self._captured = compiler.captured(op.regions[0])
        rows = [row_of(inner.name) for inner in operations(op.regions[0])]
        self._pure = all(row is None or row.kind == "pure" for row in rows)

    def count(self, slots: Slots, batch: Batch) -> int:
        """Compute how many instances the region itself makes different: 1 or all."""
        varies = not self._pure or any(leading(slots[slot]) > 1 for slot in self._captured)
        return batch.size if varies else 1

    def __call__(
        self, slots: Slots, batch: Batch, arrays: Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        """Apply the region.

        Args:
            slots: The values of the function.
            batch: The instances.
            arrays: One array per block argument, of one shape, the first axis for the instances.
        """
        shape = arrays[0].shape
        count = arrays[0].size
        inner = batch
        if self._captured or not self._pure or self._graph.branches:
            owner = np.repeat(np.arange(shape[0]), count // shape[0])
            slots = slots.copy()
            for slot in self._captured:
                slots[slot] = take(slots[slot], owner)
            inner = (
                batch.take(owner, count) if shape[0] > 1 else Batch(batch.launch, count, batch.ids)
            )
        flat = [array.reshape(-1) for array in arrays]
        results = self._graph.call(slots, inner, flat)
        return [np.broadcast_to(dense(r), (count,)).reshape(shape) for r in results]


def expression(value: SSAValue) -> object:
    """Write how a value is computed from block arguments, as nested tuples to compare with.

    `select(cmpf ogt(%a, %b), %a, %b)` is ("arith.select", ("arith.cmpf", 2, 0, 1), 0, 1): block
    arguments are their numbers, and a comparison is followed by the number of its predicate.
    """
    owner = value.owner
    if not isinstance(owner, Operation):
        return value.index  # pyright: ignore[reportAttributeAccessIssue]
    predicate = owner.properties.get("predicate")
    head = (owner.name,) if predicate is None else (owner.name, predicate.value.data)  # pyright: ignore
    return (*head, *(expression(operand) for operand in owner.operands))
