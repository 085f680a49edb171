"""`tl.core`: all names of `tl`, and those that packages import from `triton.language.core`."""

from __future__ import annotations

import builtins
import functools
import math
from typing import TYPE_CHECKING, Any

from weft.errors import UnsupportedError
from weft.language.aggregates import aggregate as _aggregate
from weft.language.base_values import base_type, base_value
from weft.language.compound_types import check_block_shape
from weft.language.constexpr import constexpr, unwrap
from weft.language.external_functions import extern_elementwise
from weft.language.host_functions import builtin, extern, is_builtin, must_use_result
from weft.language.kernel_function import KernelFunction
from weft.language.tuples import slice, slice_type
from weft.lazy_attributes import lazy_getattr

if TYPE_CHECKING:
    from weft.language.tensor_classes import tensor

__all__ = [
    "CONSTEXPR_0",
    "TRITON_BUILTIN",
    "JITCallable",
    "_aggregate",
    "aggregate",
    "base_type",
    "base_value",
    "binary_op_type_legalization",
    "builtin",
    "builtin_max",
    "builtin_min",
    "check_bit_width",
    "dispatch",
    "extern",
    "extern_elementwise",
    "is_builtin",
    "is_negative_zero",
    "must_use_result",
    "slice",
    "slice_type",
]

TRITON_BUILTIN = "__triton_builtin__"
"""The attribute of functions that the compiler calls."""
CONSTEXPR_0 = constexpr(0)
_NOTHING = object()
JITCallable = KernelFunction
aggregate = _aggregate


@builtin
def builtin_max(*args: Any, propagate_nan: object = _NOTHING, _semantic: Any = None) -> Any:
    """Compute the maximum of constants, or of values; what Python's `max` does in a kernel."""
    return _extremum(builtins.max, "maximum", args, propagate_nan, _semantic)


@builtin
def builtin_min(*args: Any, propagate_nan: object = _NOTHING, _semantic: Any = None) -> Any:
    """Compute the minimum of constants, or of values; what Python's `min` does in a kernel."""
    return _extremum(builtins.min, "minimum", args, propagate_nan, _semantic)


def _extremum(
    fold: Any, name: str, args: tuple[Any, ...], propagate_nan: object, semantic: Any
) -> Any:
    constants = [each.value for each in args if isinstance(each, constexpr)]
    if len(constants) == len(args):
        return constexpr(fold(constants))
    named = {} if propagate_nan is _NOTHING else {"propagate_nan": propagate_nan}
    combine = getattr(semantic, name)
    return functools.reduce(lambda a, b: combine(a, b, **named), args)


def _unwrap_shape(shape: object) -> list[object]:
    """Unwrap a shape, and its extents, from constants."""
    return [unwrap(extent) for extent in unwrap(shape)]  # type: ignore[attr-defined]


def _shape_check_impl(shape: object) -> list[object]:
    """Unwrap a shape and check its extents."""
    extents = _unwrap_shape(shape)
    check_block_shape(extents)
    return extents


def is_negative_zero(x: float) -> bool:
    """Check whether a number is -0.0."""
    return x == 0.0 and math.copysign(1.0, x) < 0


def check_bit_width(value: Any, shift_value: object) -> None:
    """Warn where a constant shifts a value by at least its width.

    Args:
        value: A tensor.
        shift_value: A tensor or a constant.
    """
    if isinstance(value, base_value) and isinstance(shift_value, constexpr):
        width = value.type.scalar.primitive_bitwidth  # type: ignore[attr-defined]
        if int(shift_value) >= width:
            import warnings

            warnings.warn(
                f"Value {shift_value.value} exceeds the maximum bitwidth ({width}) for type "
                f"'{value.dtype}'. This may result in undefined behavior.",  # pyright: ignore
                stacklevel=2,
            )


def binary_op_type_legalization(lhs: Any, rhs: Any, semantic: Any) -> Any:
    """Convert two operands to one type and shape."""
    return semantic.binary_op_type_checking_impl(lhs, rhs)


def dispatch(
    func: object,
    lib_name: str,
    lib_path: str,
    args: list[tensor],
    arg_type_symbol_dict: dict[object, object],
    ret_type: object,
    is_pure: bool,
    _semantic: object = None,
) -> object:
    """Refuse to call into Triton's MLIR builder.

    Raises:
        UnsupportedError: Always.
    """
    raise UnsupportedError(
        "weft has no MLIR builder to dispatch to",
        found=f"dispatch of {lib_name}",
        hint="tl.core.extern_elementwise calls a function of a library",
    )


__getattr__ = lazy_getattr(
    __name__,
    {
        "get_primitive_bitwidth": "weft.language.dtypes:get_primitive_bitwidth",
        "validate_block_shape": "weft.language.compound_types:validate_block_shape",
    },
    fallback="weft.language",
)
