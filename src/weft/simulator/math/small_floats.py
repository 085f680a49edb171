"""Conversions of small floats, and byte permutations.

NVIDIA's conversions to fp8 saturate. AMD's saturate in the mode that the kernel sets for it;
without it, a conversion is an error here: numbers beyond the range would become NaN or infinity.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.matrix.amd_fp8 import fp8_dtype
from weft.simulator.matrix.fp4 import unpack_fp4
from weft.simulator.registry import Call, array_intrinsic, intrinsic

__all__: list[str] = []

_NVIDIA_FP8 = {
    "e4m3x2": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2x2": np.dtype(ml_dtypes.float8_e5m2),
}
_LARGE_FLOATS = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
}
_ZERO_SELECTOR = 12  # of v_perm
_SATURATION = "mode.saturate"
"""Name under which a block's values hold the mode."""
_FP16_OVERFLOW_MODE = 1 | 23 << 6
"""The bit of s_setreg's MODE register, as its immediate encodes it."""


def _bytes_of(values: np.ndarray) -> np.ndarray:
    """View the value of each thread as a row of bytes."""
    rows = np.ascontiguousarray(values).reshape(values.shape[0], -1)
    return rows.view(np.uint8)


def _saturate(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Round to nearest even, and clamp to the range of the type."""
    largest = float(ml_dtypes.finfo(dtype).max)
    with np.errstate(all="ignore"):
        return np.clip(values.astype(np.float32), -largest, largest).astype(dtype)


def _step(call: Call, function: Callable[..., np.ndarray]) -> Step:
    """Compile a call to the evaluation of a function of its arguments' arrays."""

    def step(block: Block) -> None:
        block.set(call.result, function(*(block.get(argument) for argument in call.arguments)))

    return step


@intrinsic(r"llvm[.]nvvm[.](e4m3x2|e5m2x2)[.]to[.]f16x2[.]rn")
def _fp8_to_f16(call: Call) -> Step:
    dtype = _NVIDIA_FP8[call.match[1]]
    return _step(call, lambda codes: _bytes_of(codes).view(dtype).astype(np.float16))


@intrinsic(r"llvm[.]nvvm[.]f16x2[.]to[.](e4m3x2|e5m2x2)[.]rn")
def _f16_to_fp8(call: Call) -> Step:
    dtype = _NVIDIA_FP8[call.match[1]]
    return _step(call, lambda halves: _saturate(halves, dtype).view(np.int16)[:, 0])


@intrinsic(r"llvm[.]nvvm[.]ff[.]to[.](e4m3x2|e5m2x2)[.]rn")
def _f32_to_fp8(call: Call) -> Step:
    dtype = _NVIDIA_FP8[call.match[1]]

    def run(high: np.ndarray, low: np.ndarray) -> np.ndarray:
        pairs = np.stack(np.broadcast_arrays(low, high), axis=1)
        return _saturate(pairs, dtype).view(np.int16)[:, 0]

    return _step(call, run)


@array_intrinsic("llvm.nvvm.ff2f16x2.rz")
def _truncate_nvidia(block: Block, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    return _truncate_to_f16(low, high)


@array_intrinsic("llvm.amdgcn.cvt.pkrtz")
def _truncate_amd(block: Block, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return _truncate_to_f16(low, high)


def _truncate_to_f16(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Round pairs of f32 to f16 toward zero."""
    values = np.stack(np.broadcast_arrays(low, high), axis=1)
    with np.errstate(all="ignore"):
        nearest = values.astype(np.float16)
        is_above = np.abs(nearest.astype(np.float32)) > np.abs(values)
    return (nearest.view(np.uint16) - is_above).astype(np.uint16).view(np.float16)


@array_intrinsic("llvm.nvvm.prmt")
def _prmt(block: Block, low: np.ndarray, high: np.ndarray, selector: np.ndarray) -> np.ndarray:
    """Select 4 of 8 bytes by the nibbles of the selector."""
    low, high, selector = np.broadcast_arrays(low, high, selector)
    source = np.concatenate([_bytes_of(low), _bytes_of(high)], axis=1)
    nibbles = (selector[:, None].view(np.uint32) >> np.arange(0, 16, 4).astype(np.uint32)) & 15
    if (nibbles & 8).any():
        raise CodegenError("the simulator does not support prmt that replicates a sign")
    return np.take_along_axis(source, nibbles.astype(np.int64), axis=1).view(np.int32)[:, 0]


@array_intrinsic("llvm.amdgcn.perm")
def _perm(block: Block, high: np.ndarray, low: np.ndarray, selector: np.ndarray) -> np.ndarray:
    """Select 4 of 8 bytes, or zeros, by the bytes of the selector."""
    low, high, selector = np.broadcast_arrays(low, high, selector)
    selectors = _bytes_of(selector)
    if ((selectors > 7) & (selectors != _ZERO_SELECTOR)).any():
        raise CodegenError("the simulator does not support v_perm that replicates signs")
    zeros = np.zeros((len(selectors), 5), np.uint8)
    source = np.concatenate([_bytes_of(low), _bytes_of(high), zeros], axis=1)
    return np.take_along_axis(source, selectors.astype(np.int64), axis=1).view(np.int32)[:, 0]


@array_intrinsic("llvm.amdgcn.s.setreg")
def _set_mode(block: Block, register: np.ndarray, setting: np.ndarray) -> None:
    if int(register[0]) != _FP16_OVERFLOW_MODE:
        raise CodegenError(
            "the simulator does not support this register of s_setreg", found=int(register[0])
        )
    block.values[_SATURATION] = setting


@intrinsic(
    r"llvm[.]amdgcn[.](cvt[.]pk|cvt[.]scalef32[.]pk|cvt[.]scale[.]pk8)"
    r"[.](f16|bf16|f32)[.](fp8|bf8|fp4)"
)
def _small_to_large(call: Call) -> Step:
    """Compile the conversion of two or eight small floats, with an optional scale."""
    form, large, small = call.match.groups()
    count = 8 if form.endswith("8") else 2

    def step(block: Block) -> None:
        words, *scale, selector = (block.get(argument) for argument in call.arguments)
        codes = _bytes_of(words)
        if small == "fp4":
            numbers = unpack_fp4(codes).astype(np.float32)
        else:
            numbers = codes.view(fp8_dtype(small, block.launch.chip)).astype(np.float32)
        start = 0 if count == 8 else int(selector[0]) * count
        values = numbers[:, start : start + count]
        if scale:
            factor = scale[0].astype(np.float32)
            if form == "cvt.scale.pk8":  # an e8m0 scale
                exponent = scale[0] & 255
                factor = np.ldexp(np.float32(1), exponent - 127)
                factor = np.where(exponent == 255, np.float32(np.nan), factor)
            values = values * factor.reshape(-1, 1)
        with np.errstate(all="ignore"):
            block.set(call.result, values.astype(_LARGE_FLOATS[large]))

    return step


@intrinsic(r"llvm[.]amdgcn[.](cvt[.]pk|cvt[.]scalef32[.]pk8?)[.](fp8|bf8)[.](f16|bf16|f32)")
def _large_to_small(call: Call) -> Step:
    """Compile the conversion of two floats to half of a word, or of eight to two words."""
    form, small, _ = call.match.groups()

    def step(block: Block) -> None:
        dtype = fp8_dtype(small, block.launch.chip)
        if _SATURATION not in block.values:
            raise CodegenError("a conversion to fp8 without the mode that saturates")
        arguments = [block.get(argument) for argument in call.arguments]
        if form == "cvt.scalef32.pk8":
            block.set(call.result, _saturate(arguments[0], dtype).view(np.int32))
            return
        old, numbers, selector = _narrowing_operands(arguments, form)
        codes = _bytes_of(_saturate(numbers, dtype))
        rows = max(len(codes), len(old))
        words = np.broadcast_to(_bytes_of(old), (rows, 4)).copy()
        start = 2 * int(selector[0])
        words[:, start : start + 2] = codes
        if form == "cvt.pk":
            block.set(call.result, words.view(np.int32)[:, 0])
        else:
            block.set(call.result, words.view(np.int16))

    return step


def _narrowing_operands(
    arguments: list[np.ndarray], form: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the old word, the pair of numbers, and the selector of the half to replace."""
    if form == "cvt.pk":
        low, high, old, selector = arguments
        return old, np.stack(np.broadcast_arrays(low, high), axis=1), selector
    old, *numbers, _, selector = arguments
    if len(numbers) == 2:
        return old, np.stack(np.broadcast_arrays(*numbers), axis=1), selector
    return old, numbers[0], selector
