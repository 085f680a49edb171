"""mma.sync: words of A, half as many or as many of B, and the accumulator, of a warp's lanes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Operand, Step
from weft.simulator.llvm_ir.types import Type, dtype_of
from weft.simulator.matrix.fp4 import numbers_of
from weft.simulator.matrix.fragments import FORMATS, as_tf32, mma_shape, multiply
from weft.simulator.registry import Call, assembly

__all__: list[str] = []


@assembly(
    r"mma\.sync\.aligned\.m(8|16)n8k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+)"
    r" ([{}$\d, ]+);"
)
def _multiply(call: Call) -> Step:
    name, operands = call.match, call.operands
    rows, depth = int(name[1]), int(name[2])
    result, left, right, total, order = name.groups()[2:]
    if result != total:
        raise CodegenError("mma.sync that converts its sum is not simulated", found=call.match[0])
    a_type, b_type, c_type = FORMATS[left], FORMATS[right], FORMATS[total]
    shape = mma_shape(rows, depth, 8 * a_type.itemsize)

    word = max(4, a_type.itemsize)
    first = shape.a.shape[1] * a_type.itemsize // word
    second = first + shape.b.shape[1] * b_type.itemsize // word
    _require_order(order, call.outputs, second)

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


def _require_order(text: str, results: int, operands: int) -> None:
    """Refuse registers in another order than results, operands, accumulators tied to results.

    Raises: CodegenError.
    """
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if numbers != [*range(results + operands), *range(results)]:
        raise CodegenError("operands of mma.sync in an order that is not simulated", found=text)


@assembly(
    r"mma\.sync\.aligned\.m16n8k(\d+)\.row\.col\.kind::(\w+)\.block_scale\.scale_vec::(\d)X\.f32"
    r"\.(\w+)\.(\w+)\.f32\.(ue8m0|ue4m3) ([{}$\d, ]+), \$10, \{(\d), (\d)\}, \$11, \{(\d), (\d)\};"
)
def _multiply_scaled(call: Call) -> Step:
    """Return a product whose operands are scaled: words of lanes 4·r and 4·r + 1 hold scales."""
    depth, _, count, left, right, scale_kind, order = call.match.groups()[:7]
    bytes_ = [int(call.match[n]) for n in (8, 10)]
    firsts = [2 * int(call.match[9]), int(call.match[11])]
    _require_order(order, call.outputs, 6)
    shape, each = mma_shape(16, int(depth), 4 if left == "e2m1" else 8), int(count)

    def values(block: Block, some: Sequence[tuple[Operand, Type]], kind: str) -> np.ndarray:
        words = [np.broadcast_to(block.get(value), block.threads) for value, _ in some]
        raw = np.ascontiguousarray(np.stack(words, axis=1)).view(np.uint8)
        if kind != "e2m1":
            return raw.view(FORMATS[kind]).astype(np.float64)
        return numbers_of(raw)

    def scales(block: Block, word: Operand, byte: int) -> np.ndarray:
        held = np.broadcast_to(block.get(word), block.threads).astype(np.int32)
        raw = np.ascontiguousarray(held).view(np.uint8).reshape(-1, 32, 4)[..., byte : byte + each]
        if scale_kind == "ue8m0":
            return np.exp2(raw.astype(np.float64) - 127)
        return np.ascontiguousarray(raw).view(FORMATS["e4m3"]).astype(np.float64)

    def step(block: Block) -> None:
        group = 4 * np.arange(8)
        of_a = scales(block, call.arguments[6], bytes_[0])
        of_a = np.concatenate([of_a[:, group + firsts[0] + n] for n in range(2)], axis=1)
        of_b = scales(block, call.arguments[7], bytes_[1])[:, group + firsts[1]]
        a, b = values(block, call.operands[:4], left), values(block, call.operands[4:6], right)
        a = _scaled(a, shape.a, of_a, int(depth) // each)
        b = _scaled(b, shape.b, of_b, int(depth) // each)
        totals = [np.broadcast_to(block.get(one), block.threads) for one in call.arguments[8:]]
        done = multiply(shape, a, b, np.stack(totals, axis=1))
        block.set_members(call.result, tuple(done.T))

    return step


def _scaled(values: np.ndarray, places: np.ndarray, factors: np.ndarray, run: int) -> np.ndarray:
    """Return an operand's elements times their scales.

    Args: values: [thread, element].  factors: [warp, row, block along k].  run: of a block.
    """
    rows, blocks = places[..., 0], places[..., 1] // run
    return values * factors[:, rows, blocks].reshape(values.shape)
