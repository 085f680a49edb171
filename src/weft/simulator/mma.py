"""mma.sync: words of A, half as many or as many of B, and the accumulator, of a warp's lanes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.simulator.matrix_cores import FORMATS, as_tf32, mma_shape, multiply
from weft.simulator.registry import Call, assembly
from weft.simulator.state import Block, Operand, Step
from weft.simulator.types import Type, dtype_of

__all__: list[str] = []


@assembly(r"mma\.sync\.aligned\.m(8|16)n8k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+) .*")
def _multiply(call: Call) -> Step:
    name, operands = call.match, call.operands
    rows, depth = int(name[1]), int(name[2])
    _, left, right, total = name.groups()[2:]
    a_type, b_type, c_type = FORMATS[left], FORMATS[right], FORMATS[total]
    shape = mma_shape(rows, depth, 8 * a_type.itemsize)

    word = max(4, a_type.itemsize)
    first = shape.a.shape[1] * a_type.itemsize // word
    second = first + shape.b.shape[1] * b_type.itemsize // word

    def gathered(block: Block, some: Sequence[tuple[Operand, Type]], kind: np.dtype) -> np.ndarray:
        words = [np.broadcast_to(block.get(value), block.threads) for value, _ in some]
        return np.ascontiguousarray(np.stack(words, axis=1)).view(kind)

    def step(block: Block) -> None:
        a = gathered(block, operands[:first], a_type)
        b = gathered(block, operands[first:second], b_type)
        if left == "tf32":
            a, b = (as_tf32(each) for each in (a, b))
        c = gathered(block, operands[second:], c_type)
        done = multiply(shape, a, b, c)
        kind = dtype_of(operands[second][1])
        members = np.ascontiguousarray(done).view(kind)
        block.set_members(call.result, tuple(members[:, n] for n in range(members.shape[1])))

    return step
