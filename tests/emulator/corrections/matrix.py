"""Matrix instructions: D = A × B + C on the registers of a wave.

Sources: "AMD Instinct MI300", "MI200" and "CDNA4 Instruction Set Architecture", sections on MFMA
and the layouts of their operands; "RDNA3.5" and "RDNA4 Instruction Set Architecture", sections on
WMMA.
"""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.wave import Wave

__all__: list[str] = []

_Floats = NDArray[np.float64]
_SHAPE = re.compile(r"(?P<m>\d+)X(?P<n>\d+)X(?P<k>\d+)")
_NARROW = {
    "F16": np.float16, "BF16": ml_dtypes.bfloat16, "I8": np.int8, "F32": np.float32,
    "XF32": np.float32,
}  # fmt: skip
_FIRST_VECTOR = 256  # the number of v0 as a source
_SRC2_BIT = 18  # of the second dword of VOP3P
_FP8 = {"FP8": ml_dtypes.float8_e4m3fn, "BF8": ml_dtypes.float8_e5m2}
_FNUZ = {"FP8": ml_dtypes.float8_e4m3fnuz, "BF8": ml_dtypes.float8_e5m2fnuz}  # CDNA 3


def _element_types(instruction: Instruction) -> tuple[type, type]:
    """Find the element types of A and B in the name: V_MFMA_F32_32X32X16_FP8_BF8."""
    shape = _SHAPE.search(instruction.name)
    assert shape
    tail = instruction.name[shape.end() :].removesuffix("_1K").strip("_").split("_")
    narrow = _NARROW | (_FNUZ if instruction.chip == "gfx942" else _FP8)
    return narrow[tail[0]], narrow[tail[-1]]


def _rows(wave: Wave, operand: int, acc: bool, rows: int, depth: int, dtype: type) -> _Floats:
    """Read A, or B transposed: lane l has row l % rows, and an equal share of its elements."""
    share = depth * rows // wave.lanes
    count = share * np.dtype(dtype).itemsize // 4
    registers = np.ascontiguousarray(wave.source(operand, count, acc).T)
    values = registers.view(dtype).astype(np.float64)
    return values.reshape(wave.lanes // rows, rows, share).transpose(1, 0, 2).reshape(rows, depth)


def _result_rows(lanes: int, rows: int, count: int) -> NDArray[np.int64]:
    """Compute the row of D that each register of each lane holds; its column is lane % rows."""
    register, group = np.arange(count)[:, None], np.arange(lanes)[None] // rows
    groups = lanes // rows
    # Blocks of 4 rows go to the groups of lanes in turn.
    return register // 4 * 4 * groups + group * 4 + register % 4


def _multiply(
    instruction: Instruction, wave: Wave, rows: int, depth: int, positions: NDArray[np.int64]
) -> None:
    """Compute A × B + C, where register r of lane l has row positions[r, l] of D."""
    acc, acc_cd = instruction.flag("acc"), bool(instruction.flag("acc_cd"))
    types = _element_types(instruction)
    a, b = (
        _rows(wave, instruction.register(f"src{n}"), bool(acc >> n & 1), rows, depth, types[n])
        for n in range(2)
    )
    result_type = np.int32 if types[0] is np.int8 else np.float32
    count = len(positions)
    c = wave.source(instruction.register("src2"), count, acc_cd).view(result_type)
    product = (a @ b.T)[positions, np.arange(wave.lanes)[None] % rows]
    values = (product + c).astype(result_type).view(np.uint32)
    wave.write(instruction.vector("vdst"), values, acc_cd)


@correction("MFMA 32x32", "gfx9.*", r"V_MFMA_F32_32X32X.*", lambda each: "_2B" not in each.name)
@correction("MFMA of int8", "gfx9.*", r"V_MFMA_I32_(16X16|32X32)X.*I8")
@correction("MFMA of AccVGPRs", "gfx9.*", r"V_MFMA_F32_16X16X.*", lambda each: each.flag("acc") > 0)
@correction("MFMA of fnuz fp8", "gfx942", r"V_MFMA_F32_16X16X32_(FP8|BF8)_(FP8|BF8)")
@correction("MFMA of xf32", "gfx942", r"V_MFMA_F32_16X16X8_?XF32")
@correction("MFMA of gfx90a alone", "gfx90a", r"V_MFMA_F32_16X16X16BF16_1K")
def _mfma(instruction: Instruction, wave: Wave) -> None:
    shape = _SHAPE.search(instruction.name)
    assert shape
    rows, depth = int(shape["m"]), int(shape["k"])
    _multiply(instruction, wave, rows, depth, _result_rows(wave.lanes, rows, rows**2 // wave.lanes))


@correction("MFMA of f16 that is not finite", "gfx9.*", r"V_MFMA_F32_16X16X\d+_?F16")
def _mfma_of_f16(instruction: Instruction, wave: Wave) -> bool:
    """Multiply infinities and NaNs, which the emulator reads as numbers of 2^16 and more."""
    shape = _SHAPE.search(instruction.name)
    assert shape
    acc, count = instruction.flag("acc"), int(shape["k"]) // 8
    operands = [
        wave.source(instruction.register(f"src{n}"), count, bool(acc >> n & 1)).view(np.float16)
        for n in range(2)
    ]
    if all(np.isfinite(each).all() for each in operands):
        wave.execute(instruction.data[: instruction.size])
        return False
    _mfma(instruction, wave)
    return True


def _has_constant_addend(instruction: Instruction) -> bool:
    return instruction.register("src2") < _FIRST_VECTOR


@correction("WMMA with a constant C", "gfx1.*", r"V_WMMA_(?!.*FP8|.*BF8).*", _has_constant_addend)
def _wmma_constant(instruction: Instruction, wave: Wave) -> None:
    """Put the constant into registers: the emulator reads register 128 for the constant 0."""
    constant = wave.scalar(instruction.register("src2"))
    if constant and "_F32_" not in instruction.name:
        raise NotImplementedError("WMMA with another constant than 0 and results of other types")
    first = _free_registers(instruction, 8)
    old_values = wave.vgpr[first : first + 8].copy()
    wave.vgpr[first : first + 8] = constant
    words = np.frombuffer(instruction.data[: instruction.size], np.uint32).copy()
    words[1] = words[1] & ~np.uint32(0x1FF << _SRC2_BIT) | (_FIRST_VECTOR + first) << _SRC2_BIT
    wave.execute(words.tobytes())
    wave.vgpr[first : first + 8] = old_values


def _free_registers(instruction: Instruction, count: int) -> int:
    """Find a range of registers of which the instruction names none; a range has 8 at most."""
    starts = [instruction.vector(name) for name in ("vdst", "src0", "src1")]
    return next(
        each for each in range(0, 64, count) if all(abs(each - start) >= 8 for start in starts)
    )


@correction("WMMA of fp8", "gfx120.", r"V_WMMA_F32_16X16X16_(FP8|BF8)_(FP8|BF8)")
def _wmma(instruction: Instruction, wave: Wave) -> None:
    """Lane l holds column l % 16 of D, and its rows 8 × (l / 16) and the 7 after it."""
    positions = np.arange(8)[:, None] + 8 * (np.arange(wave.lanes)[None] // 16)
    _multiply(instruction, wave, 16, 16, positions)
