"""Conversions of the 8-bit float format fp8e4b15; `x.to(…)` converts, too."""

from __future__ import annotations

from typing import Any

from weft.language.creation import cast
from weft.language.dtypes import dtype, float8e4b15, float16, float32
from weft.language.host_functions import builtin

__all__ = [
    "convert_custom_float8",
    "convert_custom_float8_sm70",
    "convert_custom_float8_sm80",
    "convert_float16_to_fp8e4b15",
    "convert_fp8e4b15_to_float16",
]


@builtin
def convert_fp8e4b15_to_float16(arg: Any, _semantic: Any = None) -> Any:
    """Convert a tensor of fp8e4b15 to fp16."""
    return cast(arg, float16, _semantic=_semantic)


@builtin
def convert_float16_to_fp8e4b15(arg: Any, has_minx2: bool, _semantic: Any = None) -> Any:
    """Convert a tensor of fp16 to fp8e4b15.

    Args:
        arg: The tensor.
        has_minx2: Whether the chip has a minimum of pairs; weft knows the chip.
    """
    return cast(arg, float8e4b15, _semantic=_semantic)


@builtin
def convert_custom_float8(
    arg: Any,
    dst_ty: dtype,
    fp_downcast_rounding: str | None,
    has_minx2: bool,
    _semantic: Any = None,
) -> Any:
    """Convert between fp8e4b15, and fp16 or fp32.

    Args:
        arg: The tensor.
        dst_ty: The element type of the result.
        fp_downcast_rounding: Has no effect: fp32 is rounded to fp16 toward zero first.
        has_minx2: As of `convert_float16_to_fp8e4b15`.
    """
    if arg.dtype == float32:
        arg = cast(arg, float16, fp_downcast_rounding="rtz", _semantic=_semantic)
    return cast(arg, dst_ty, _semantic=_semantic)


@builtin
def convert_custom_float8_sm80(
    arg: Any, dst_ty: dtype, fp_downcast_rounding: str | None = None, _semantic: Any = None
) -> Any:
    """Convert as `convert_custom_float8`, for compute capability 8.0 and above."""
    return convert_custom_float8(arg, dst_ty, fp_downcast_rounding, True, _semantic=_semantic)


@builtin
def convert_custom_float8_sm70(
    arg: Any, dst_ty: dtype, fp_downcast_rounding: str | None = None, _semantic: Any = None
) -> Any:
    """Convert as `convert_custom_float8`, below compute capability 8.0."""
    return convert_custom_float8(arg, dst_ty, fp_downcast_rounding, False, _semantic=_semantic)
