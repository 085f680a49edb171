"""The intrinsics of MFMA and WMMA, by what their names say.

llvm.amdgcn.mfma.f32.32x32x8f16            (a, b, c, 0, 0, 0)
llvm.amdgcn.mfma.f32.4x4x4f16              (a, b, c, 4, 3, 0): block 3 of a for all 16 blocks
llvm.amdgcn.mfma.i32.16x16x32.i8           bytes packed in an i64
llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16
llvm.amdgcn.wmma.f32.16x16x32.f16…         modifiers around a, b and c, which are the vectors
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Operand, Step
from weft.simulator.matrix.amd_fp8 import eight_bits
from weft.simulator.matrix.fragments import (
    FORMATS,
    blocks_multiply,
    mfma_shape,
    multiply,
    wmma_shape,
)
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []


def _format(name: str, chip: str) -> np.dtype:
    """Return the numpy type of an operand as the intrinsic's name spells it."""
    if name in ("fp8", "bf8"):
        return eight_bits(name, chip)
    return FORMATS["f32" if name == "xf32" else {"iu8": "i8"}.get(name, name)]


def _vectors(call: Call) -> list[Operand]:
    """Return a, b and c: MFMA's first three arguments, WMMA's vectors."""
    if call.match[1] == "mfma":
        return call.arguments[:3]
    return [operand for operand, type_ in call.operands if type_.count]


def _require_plain(call: Call, rows: int, *, signed: bool) -> None:
    """Refuse modifiers: all are zero, but those that spread blocks, and that bytes have signs.

    Args: rows: of the tile.  signed: whether the instruction is told of both operands.
    Raises: CodegenError.
    """
    if call.match[1] == "mfma":
        given = call.arguments[5 if rows == 4 else 3 :]
        wanted = [0] * len(given)
    else:
        given = [operand for operand, type_ in call.operands if not type_.count]
        wanted = [int(signed and n < 2) for n in range(len(given))]
    require_constants(call, given, wanted)


def require_constants(call: Call, given: Sequence[Operand], wanted: Sequence[int]) -> None:
    """Refuse arguments that are not the constants that the simulator knows.

    Raises: CodegenError.
    """
    found = [one if isinstance(one, str) else int(one[0]) for one in given]
    if found != list(wanted):
        raise CodegenError(
            f"{call.match[0]} with modifiers that are not simulated", found=found, accepted=wanted
        )


def gathered(block: Block, operand: Operand, kind: np.dtype) -> np.ndarray:
    """Return an operand's elements: [thread, element]."""
    value = block.get(operand)
    value = np.broadcast_to(value, (block.threads, *value.shape[1:]))
    return np.ascontiguousarray(value).reshape(block.threads, -1).view(kind)


@intrinsic(
    r"llvm\.amdgcn\.(mfma|wmma)\.(\w+)\.(\d+)x(\d+)x(\d+)\.?([a-z]\w*?)(?:\.((?!1k|v\d)\w+?))?"
    r"(?:\.1k)?(?:\.v\w+)*"
)
def _product(call: Call) -> Step:
    """Return a matrix instruction as a step."""
    family, result, m, n, k, left, right = call.match.groups()
    rows, columns, depth = int(m), int(n), int(k)
    a, b, c = _vectors(call)
    _require_plain(call, rows, signed=left == "iu8")

    def step(block: Block) -> None:
        x = gathered(block, a, _format(left, block.chip))
        y = gathered(block, b, _format(right or left, block.chip))
        z = gathered(block, c, FORMATS[result])
        if rows == 4:
            spread, number = (int(block.get(each)[0]) for each in call.arguments[3:5])
            found = blocks_multiply(depth, spread, number, x, y, z)
        elif family == "mfma":
            wide = z.dtype.itemsize == 8
            found = multiply(mfma_shape(rows, columns, depth, wide=wide), x, y, z)
        else:
            shape = wmma_shape(depth, x.shape[1])
            apart = z.shape[1] // shape.d.shape[1]  # results of 16 bits in half of a register
            found = z.copy()
            found[:, ::apart] = multiply(shape, x, y, z[:, ::apart])
        block.set(call.result, found.view(block.get(c).dtype))

    return step
