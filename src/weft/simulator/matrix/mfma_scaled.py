"""Scaled MFMA and WMMA: small floats in packed words, and powers of two for every 32 along k.

llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4…    (a, b, c, formats, byte, scales of a, byte, of b)
llvm.amdgcn.wmma.scale.f32.16x16x128.f8f6f4…   (format, a, format, b, 0, c, half, 0, scales, …)

A lane holds 16 bytes of a row, the next lanes the next 16. MFMA takes the scale of block j of row
i from a byte of lane i + m · j, WMMA from byte j of a lane i of one half of the wave.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Operand, Step
from weft.simulator.matrix.fp4 import numbers_of
from weft.simulator.matrix.fragments import Shape, mfma_shape, multiply, wmma_shape
from weft.simulator.matrix.mfma import require_constants
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []

_RUN = 16  # bytes
_BLOCK = 32  # elements with one scale
_EIGHT_BITS = {0: ml_dtypes.float8_e4m3fn, 1: ml_dtypes.float8_e5m2}
_FOUR_BITS = 4
_PLAIN = (4, 7, 10, 12, 13)  # WMMA's arguments that are modifiers


@dataclass(frozen=True, slots=True)
class _Side:
    """An operand: its words, the number of its format, which part of its scales, and the scales."""

    words: Operand
    format: Operand
    part: Operand
    scales: Operand


@intrinsic(r"llvm\.amdgcn\.(mfma|wmma)\.scale\.f32\.(\d+)x(\d+)x(\d+)\.f8f6f4(?:\.v\w+)+")
def _scaled(call: Call) -> Step:
    """Return a scaled matrix instruction as a step."""
    family, *sizes = call.match.groups()
    m, n, k = map(int, sizes)
    given = call.arguments
    if family == "mfma":
        sides = [_Side(given[i], given[3 + i], given[5 + 2 * i], given[6 + 2 * i]) for i in (0, 1)]
        total, shape = given[2], mfma_shape(m, n, k, wide=False)
    else:
        sides = [
            _Side(given[1 + 2 * i], given[2 * i], given[6 + 3 * i], given[8 + 3 * i])
            for i in (0, 1)
        ]
        total, shape = given[5], wmma_shape(k, k // 2)
        require_constants(call, [given[n] for n in _PLAIN], [0] * len(_PLAIN))
    plain = family == "mfma" and all(
        not isinstance(side.scales, str) and not side.scales.any() for side in sides
    )

    def step(block: Block) -> None:
        values, places = [], []
        for side, rows in zip(sides, (m, n), strict=True):
            held, where = _elements(block, side, rows)
            if not plain:
                held = held * _scales_of(block, side, rows, k // _BLOCK, where, family)
            values.append(held)
            places.append(where)
        z = np.broadcast_to(block.get(total), (block.threads, shape.d.shape[1]))
        whole = Shape(m, n, k, places[0], places[1], shape.d)
        block.set(call.result, multiply(whole, values[0], values[1], z))

    return step


def _elements(block: Block, side: _Side, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the elements of every thread, and where they belong: [lane, element, (row, k)]."""
    words = block.get(side.words)
    words = np.broadcast_to(words, (block.threads, words.shape[1]))
    raw = np.ascontiguousarray(words).view(np.uint8)
    number = int(block.get(side.format)[0])
    run = _RUN
    if number in _EIGHT_BITS:
        values = raw.view(_EIGHT_BITS[number]).astype(np.float64)
    elif number == _FOUR_BITS:
        values, run = numbers_of(raw), 2 * _RUN
    else:
        raise CodegenError("the simulator has no such small float", found=number)
    lane, element = np.meshgrid(np.arange(block.lanes), np.arange(values.shape[1]), indexing="ij")
    groups = block.lanes // rows
    along = element // run * run * groups + lane // rows * run + element % run
    return values, np.stack([lane % rows, along], axis=-1)


def _scales_of(
    block: Block, side: _Side, rows: int, blocks: int, where: np.ndarray, family: str
) -> np.ndarray:
    """Return the scale of every element of every thread."""
    words = np.broadcast_to(block.get(side.scales), block.threads).astype(np.uint32)
    raw = np.ascontiguousarray(words).view(np.uint8).reshape(-1, block.lanes, 4)
    part = int(block.get(side.part)[0])
    row, number = np.meshgrid(np.arange(rows), np.arange(blocks), indexing="ij")
    codes = (
        raw[:, row + rows * number, part] if family == "mfma" else raw[:, row + rows * part, number]
    )
    scales = np.where(codes == 255, np.nan, np.exp2(codes.astype(np.float64) - 127))
    found = scales[:, where[..., 0], where[..., 1] // _BLOCK]
    return found.reshape(block.threads, -1)
