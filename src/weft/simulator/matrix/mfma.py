"""MFMA and WMMA intrinsics of AMD chips.

llvm.amdgcn.mfma.f32.32x32x8f16            (a, b, c, 0, 0, 0)
llvm.amdgcn.mfma.f32.4x4x4f16              (a, b, c, 4, 3, 0): block 3 of a for all 16 blocks
llvm.amdgcn.mfma.i32.16x16x32.i8           bytes packed in an i64
llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16
llvm.amdgcn.wmma.f32.16x16x32.f16…         modifiers between the vectors a, b and c
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Operand
from weft.simulator.matrix.amd_fp8 import fp8_dtype
from weft.simulator.matrix.fragments import (
    DTYPES,
    mfma_shape,
    multiply,
    multiply_4x4_blocks,
    wmma_shape,
)
from weft.simulator.registry import Call, intrinsic

__all__ = ["check_constants"]


def _dtype(name: str, chip: str) -> np.dtype:
    """Find the numpy type of an operand by its name in the intrinsic."""
    if name in ("fp8", "bf8"):
        return fp8_dtype(name, chip)
    return DTYPES[{"xf32": "f32", "iu8": "i8"}.get(name, name)]


def _matrix_operands(call: Call) -> list[Operand]:
    """Find a, b and c: the first three arguments of MFMA, the vectors of WMMA."""
    if call.match[1] == "mfma":
        return call.arguments[:3]
    return [operand for operand, type_ in call.operands if type_.count]


def _check_modifiers(call: Call, rows: int, *, is_signed: bool) -> None:
    """Check that modifiers are 0, but for the broadcast of blocks and the signs of operands.

    Args:
        call: The call.
        rows: Rows of the tile.
        is_signed: Whether the first two modifiers state that A and B are signed.

    Raises:
        CodegenError: A modifier has another value.
    """
    if call.match[1] == "mfma":
        modifiers = call.arguments[5 if rows == 4 else 3 :]
        expected = [0] * len(modifiers)
    else:
        modifiers = [operand for operand, type_ in call.operands if not type_.count]
        expected = [int(is_signed and n < 2) for n in range(len(modifiers))]
    check_constants(call, modifiers, expected)


def check_constants(call: Call, arguments: Sequence[Operand], expected: Sequence[int]) -> None:
    """Check that arguments are the constants that the simulator supports.

    Raises:
        CodegenError: They are not.
    """
    values = [each if isinstance(each, str) else int(each[0]) for each in arguments]
    if values != list(expected):
        raise CodegenError(
            f"the simulator does not support these modifiers of {call.match[0]}",
            found=values,
            accepted=expected,
        )


def _fragment(block: Block, operand: Operand, dtype: np.dtype) -> np.ndarray:
    """Read an operand: [thread, element]."""
    value = block.get(operand)
    rows = np.broadcast_to(value, (block.threads, *value.shape[1:]))
    return np.ascontiguousarray(rows).reshape(block.threads, -1).view(dtype)


@intrinsic(
    r"llvm\.amdgcn\.(mfma|wmma)\.(\w+)\.(\d+)x(\d+)x(\d+)\.?([a-z]\w*?)(?:\.((?!1k|v\d)\w+?))?"
    r"(?:\.1k)?(?:\.v\w+)*"
)
def _compile(call: Call) -> Step:
    """Compile a matrix instruction.

    Raises:
        CodegenError: It has modifiers that the simulator does not support.
    """
    family, d_name, *sizes, a_name, b_name = call.match.groups()
    m, n, k = map(int, sizes)
    a_operand, b_operand, c_operand = _matrix_operands(call)
    _check_modifiers(call, m, is_signed=a_name == "iu8")

    def step(block: Block) -> None:
        chip = block.launch.chip
        a = _fragment(block, a_operand, _dtype(a_name, chip))
        b = _fragment(block, b_operand, _dtype(b_name or a_name, chip))
        c = _fragment(block, c_operand, DTYPES[d_name])
        if m == 4:
            log2_broadcast, number = (int(block.get(each)[0]) for each in call.arguments[3:5])
            d = multiply_4x4_blocks(k, log2_broadcast, number, a, b, c)
        elif family == "mfma":
            d = multiply(mfma_shape(m, n, k, is_f64=c.dtype.itemsize == 8), a, b, c)
        else:
            shape = wmma_shape(k, a.shape[1])
            # 16-bit results of RDNA 3 use the low half of each register.
            stride = c.shape[1] // shape.d.shape[1]
            d = c.copy()
            d[:, ::stride] = multiply(shape, a, b, c[:, ::stride])
        block.set(call.result, d.view(block.get(c_operand).dtype))

    return step
