"""Scaled MFMA and WMMA: fp8 or fp4 operands with an e8m0 scale per 32 elements along k.

    mfma.scale.f32.32x32x64.f8f6f4…    (a, b, c, formats, byte, scales of a, byte, scales of b)
    wmma.scale.f32.16x16x128.f8f6f4…   (format, a, format, b, 0, c, half, 0, scales of a, …)

A lane holds 16 bytes of a row, the lanes of the next group the following 16. MFMA takes the scale
of block j of row i from a byte of lane i + m · j, WMMA from byte j of lane i of one half of the
wavefront.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Operand
from weft.simulator.matrix.fp4 import unpack_fp4
from weft.simulator.matrix.fragments import Shape, mfma_shape, multiply, wmma_shape
from weft.simulator.matrix.mfma import check_constants
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []

_RUN_BYTES = 16  # contiguous bytes of a row in a lane
_SCALE_BLOCK = 32  # elements with one scale
_FP8_FORMATS = {0: ml_dtypes.float8_e4m3fn, 1: ml_dtypes.float8_e5m2}
_FP4_FORMAT = 4
_NAN_SCALE = 255
_WMMA_MODIFIERS = (4, 7, 10, 12, 13)  # positions of arguments that must be 0


@dataclass(frozen=True, slots=True)
class _ScaledOperand:
    """A or B.

    Attributes:
        words: The packed elements.
        format: Number of the format.
        selector: Byte of the scales' register, or half of the wavefront, that holds the scales.
        scales: Register of the scales.
    """

    words: Operand
    format: Operand
    selector: Operand
    scales: Operand


@intrinsic(r"llvm\.amdgcn\.(mfma|wmma)\.scale\.f32\.(\d+)x(\d+)x(\d+)\.f8f6f4(?:\.v\w+)+")
def _compile(call: Call) -> Step:
    """Compile a scaled matrix instruction.

    Raises:
        CodegenError: It has modifiers that the simulator does not support.
    """
    family, *sizes = call.match.groups()
    m, n, k = map(int, sizes)
    args = call.arguments
    if family == "mfma":
        operands = [
            _ScaledOperand(args[i], args[3 + i], args[5 + 2 * i], args[6 + 2 * i]) for i in (0, 1)
        ]
        c_operand, shape = args[2], mfma_shape(m, n, k, is_f64=False)
    else:
        operands = [
            _ScaledOperand(args[1 + 2 * i], args[2 * i], args[6 + 3 * i], args[8 + 3 * i])
            for i in (0, 1)
        ]
        c_operand, shape = args[5], wmma_shape(k, k // 2)
        check_constants(call, [args[n] for n in _WMMA_MODIFIERS], [0] * len(_WMMA_MODIFIERS))
    # An MFMA with constant zero scales is the unscaled instruction.
    is_unscaled = family == "mfma" and all(
        not isinstance(operand.scales, str) and not operand.scales.any() for operand in operands
    )

    def step(block: Block) -> None:
        fragments, positions = [], []
        for operand, rows in zip(operands, (m, n), strict=True):
            values, where = _read_fragment(block, operand, rows)
            if not is_unscaled:
                values = values * _read_scales(
                    block, operand, rows, k // _SCALE_BLOCK, where, family
                )
            fragments.append(values)
            positions.append(where)
        c = np.broadcast_to(block.get(c_operand), (block.threads, shape.d.shape[1]))
        full_shape = Shape(m, n, k, positions[0], positions[1], shape.d)
        block.set(call.result, multiply(full_shape, fragments[0], fragments[1], c))

    return step


def _read_fragment(
    block: Block, operand: _ScaledOperand, rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """Read the elements [thread, element] and their positions [lane, element, (row, k)].

    Raises:
        CodegenError: The simulator does not support the format.
    """
    words = block.get(operand.words)
    words = np.broadcast_to(words, (block.threads, words.shape[1]))
    raw = np.ascontiguousarray(words).view(np.uint8)
    format_number = int(block.get(operand.format)[0])
    if format_number in _FP8_FORMATS:
        values, run = raw.view(_FP8_FORMATS[format_number]).astype(np.float64), _RUN_BYTES
    elif format_number == _FP4_FORMAT:
        values, run = unpack_fp4(raw), 2 * _RUN_BYTES
    else:
        raise CodegenError(
            "the simulator does not support this format of scaled operands", found=format_number
        )
    lane, element = np.meshgrid(
        np.arange(block.warp_size), np.arange(values.shape[1]), indexing="ij"
    )
    groups = block.warp_size // rows
    k = element // run * run * groups + lane // rows * run + element % run
    return values, np.stack([lane % rows, k], axis=-1)


def _read_scales(
    block: Block,
    operand: _ScaledOperand,
    rows: int,
    blocks: int,
    positions: np.ndarray,
    family: str,
) -> np.ndarray:
    """Read the scale of every element: [thread, element]."""
    words = block.per_thread(operand.scales).astype(np.uint32)
    raw = np.ascontiguousarray(words).view(np.uint8).reshape(-1, block.warp_size, 4)
    selector = int(block.get(operand.selector)[0])
    row, number = np.meshgrid(np.arange(rows), np.arange(blocks), indexing="ij")
    if family == "mfma":
        codes = raw[:, row + rows * number, selector]
    else:
        codes = raw[:, row + rows * selector, number]
    scales = np.where(codes == _NAN_SCALE, np.nan, np.exp2(codes.astype(np.float64) - 127))
    per_element = scales[:, positions[..., 0], positions[..., 1] // _SCALE_BLOCK]
    return per_element.reshape(block.threads, -1)
