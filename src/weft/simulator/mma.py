"""mma.sync: four words of A, two of B, and the accumulator, of every lane of a warp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.simulator.matrix_cores import FORMATS, mma_shape, multiply
from weft.simulator.registry import Call, assembly
from weft.simulator.state import Block, Operand, Step
from weft.simulator.types import Type, dtype_of

__all__: list[str] = []


@assembly(r"mma\.sync\.aligned\.m16n8k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+) .*")
def _multiply(call: Call) -> Step:
    name, operands = call.match, call.operands
    depth, (_, left, right, total) = int(name[1]), name.groups()[1:]
    a_type, b_type, c_type = FORMATS[left], FORMATS[right], FORMATS[total]
    shape = mma_shape(depth, 8 * a_type.itemsize)

    def gathered(block: Block, some: Sequence[tuple[Operand, Type]], kind: np.dtype) -> np.ndarray:
        words = [np.broadcast_to(block.get(value), block.threads) for value, _ in some]
        return np.ascontiguousarray(np.stack(words, axis=1)).view(kind)

    def step(block: Block) -> None:
        a, b = gathered(block, operands[:4], a_type), gathered(block, operands[4:6], b_type)
        if left == "tf32":
            a, b = (_as_tf32(each) for each in (a, b))
        c = gathered(block, operands[6:], c_type)
        done = multiply(shape, a, b, c)
        kind = dtype_of(operands[6][1])
        members = np.ascontiguousarray(done).view(kind)
        block.set_members(call.result, tuple(members[:, n] for n in range(members.shape[1])))

    return step


def _as_tf32(values: np.ndarray) -> np.ndarray:
    """Return floats as tensor cores read them: the low 13 bits of the fraction are not there."""
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
