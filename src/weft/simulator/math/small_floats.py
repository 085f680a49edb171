"""Conversions of small floats, and words put together from bytes.

NVIDIA's saturate by themselves; AMD's do where the kernel has set the mode for it, and without it a
number beyond the greatest one is an error here, since what comes out is not what anybody wants.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.matrix.amd_fp8 import eight_bits
from weft.simulator.matrix.fp4 import numbers_of
from weft.simulator.registry import Call, intrinsic, value

__all__: list[str] = []

_NVIDIA = {"e4m3x2": np.dtype(ml_dtypes.float8_e4m3fn), "e5m2x2": np.dtype(ml_dtypes.float8_e5m2)}
_LARGE = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
}
_ZERO = 12  # what v_perm takes for a byte of zeros
_MODE = "mode.saturate"
_OVERFLOW_MODE = 1 | 23 << 6


def _rows(values: np.ndarray) -> np.ndarray:
    """Return an array with the bytes of each thread's value in a row."""
    flat = np.ascontiguousarray(values).reshape(values.shape[0], -1)
    return flat.view(np.uint8)


def _saturated(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return floats rounded to nearest, the greatest number for what is beyond."""
    greatest = float(ml_dtypes.finfo(dtype).max)
    with np.errstate(all="ignore"):
        return np.clip(values.astype(np.float32), -greatest, greatest).astype(dtype)


@intrinsic(r"llvm[.]nvvm[.](e4m3x2|e5m2x2)[.]to[.]f16x2[.]rn")
def _widen_pair(call: Call) -> Step:
    dtype = _NVIDIA[call.match[1]]
    return _function(call, lambda codes: _rows(codes).view(dtype).astype(np.float16))


@intrinsic(r"llvm[.]nvvm[.]f16x2[.]to[.](e4m3x2|e5m2x2)[.]rn")
def _narrow_halves(call: Call) -> Step:
    dtype = _NVIDIA[call.match[1]]
    return _function(call, lambda halves: _saturated(halves, dtype).view(np.int16)[:, 0])


@intrinsic(r"llvm[.]nvvm[.]ff[.]to[.](e4m3x2|e5m2x2)[.]rn")
def _narrow_floats(call: Call) -> Step:
    dtype = _NVIDIA[call.match[1]]

    def run(high: np.ndarray, low: np.ndarray) -> np.ndarray:
        both = np.stack(np.broadcast_arrays(low, high), axis=1)
        return _saturated(both, dtype).view(np.int16)[:, 0]

    return _function(call, run)


def _function(call: Call, run: Callable[..., np.ndarray]) -> Step:
    def step(block: Block) -> None:
        block.set(call.result, run(*(block.get(argument) for argument in call.arguments)))

    return step


@value("llvm.nvvm.ff2f16x2.rz")
def _truncate_nvidia(block: Block, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    return _truncated(low, high)


@value("llvm.amdgcn.cvt.pkrtz")
def _truncate_amd(block: Block, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return _truncated(low, high)


def _truncated(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return two floats as halves, rounded towards zero."""
    values = np.stack(np.broadcast_arrays(low, high), axis=1)
    with np.errstate(all="ignore"):
        near = values.astype(np.float16)
        above = np.abs(near.astype(np.float32)) > np.abs(values)
    return (near.view(np.uint16) - above).astype(np.uint16).view(np.float16)


@value("llvm.nvvm.prmt")
def _prmt(block: Block, low: np.ndarray, high: np.ndarray, selector: np.ndarray) -> np.ndarray:
    low, high, selector = np.broadcast_arrays(low, high, selector)
    source = np.concatenate([_rows(low), _rows(high)], axis=1)
    nibbles = (selector[:, None].view(np.uint32) >> np.arange(0, 16, 4).astype(np.uint32)) & 15
    if (nibbles & 8).any():
        raise CodegenError("prmt that spreads a sign is not simulated")
    return np.take_along_axis(source, nibbles.astype(np.int64), axis=1).view(np.int32)[:, 0]


@value("llvm.amdgcn.perm")
def _perm(block: Block, high: np.ndarray, low: np.ndarray, selector: np.ndarray) -> np.ndarray:
    low, high, selector = np.broadcast_arrays(low, high, selector)
    source = np.concatenate([_rows(low), _rows(high)], axis=1)
    bytes_ = _rows(selector)
    if ((bytes_ > 7) & (bytes_ != _ZERO)).any():
        raise CodegenError("v_perm that spreads signs is not simulated")
    source = np.concatenate([source, np.zeros((len(source), 5), np.uint8)], axis=1)
    return np.take_along_axis(source, bytes_.astype(np.int64), axis=1).view(np.int32)[:, 0]


@value("llvm.amdgcn.s.setreg")
def _set_mode(block: Block, register: np.ndarray, setting: np.ndarray) -> None:
    if int(register[0]) != _OVERFLOW_MODE:
        raise CodegenError("a mode that the simulator does not know", found=int(register[0]))
    block.values[_MODE] = setting


@intrinsic(
    r"llvm[.]amdgcn[.](cvt[.]pk|cvt[.]scalef32[.]pk|cvt[.]scale[.]pk8)"
    r"[.](f16|bf16|f32)[.](fp8|bf8|fp4)"
)
def _widen_amd(call: Call) -> Step:
    """Return two or eight numbers of a word or two, times a scale."""
    form, large, small = call.match.groups()
    count = 8 if form.endswith("8") else 2

    def step(block: Block) -> None:
        words, *scale, chosen = (block.get(argument) for argument in call.arguments)
        numbers = _numbers(_rows(words), small, block.chip)
        start = 0 if count == 8 else int(chosen[0]) * count
        found = numbers[:, start : start + count]
        if scale:
            factor = scale[0].astype(np.float32)
            if form == "cvt.scale.pk8":
                exponent = scale[0] & 255
                factor = np.ldexp(np.float32(1), exponent - 127)
                factor = np.where(exponent == 255, np.float32(np.nan), factor)
            found = found * factor.reshape(-1, 1)
        with np.errstate(all="ignore"):
            block.set(call.result, found.astype(_LARGE[large]))

    return step


def _numbers(codes: np.ndarray, small: str, chip: str) -> np.ndarray:
    """Return the numbers that bytes are, as f32."""
    if small == "fp4":
        return numbers_of(codes).astype(np.float32)
    return codes.view(eight_bits(small, chip)).astype(np.float32)


@intrinsic(r"llvm[.]amdgcn[.](cvt[.]pk|cvt[.]scalef32[.]pk8?)[.](fp8|bf8)[.](f16|bf16|f32)")
def _narrow_amd(call: Call) -> Step:
    """Return codes in two bytes of a word that is kept otherwise, or in eight."""
    form, small, _ = call.match.groups()

    def step(block: Block) -> None:
        dtype = eight_bits(small, block.chip)
        if _MODE not in block.values:
            raise CodegenError("a conversion to 8-bit floats that does not saturate")
        given = [block.get(argument) for argument in call.arguments]
        if form == "cvt.scalef32.pk8":
            codes = _saturated(given[0], dtype).view(np.int32)
            block.set(call.result, codes)
            return
        old, numbers, chosen = _parts(given, form)
        codes = _rows(_saturated(numbers, dtype))
        rows = max(len(codes), len(old))
        whole = np.broadcast_to(_rows(old), (rows, 4)).copy()
        start = 2 * int(chosen[0])
        whole[:, start : start + 2] = codes
        kind = np.int32 if form == "cvt.pk" else np.int16
        found = whole.view(kind)
        block.set(call.result, found[:, 0] if form == "cvt.pk" else found)

    return step


def _parts(given: list[np.ndarray], form: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the word that is kept, the two numbers, and which bytes they go to."""
    if form == "cvt.pk":
        low, high, old, chosen = given
        return old, np.stack(np.broadcast_arrays(low, high), axis=1), chosen
    old, *numbers, _, chosen = given
    if len(numbers) == 2:
        return old, np.stack(np.broadcast_arrays(*numbers), axis=1), chosen
    return old, numbers[0], chosen
