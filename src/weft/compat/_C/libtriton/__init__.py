"""`triton._C.libtriton`: what programs use of Triton's native library."""

from __future__ import annotations

import os
from typing import Any, cast

from weft.compat.backends.compiler import BaseBackend
from weft.compat.unsupported import unsupported_names
from weft.errors import LaunchError
from weft.kernel.specialization import specialize_argument as _specialize
from weft.knobs import is_on
from weft.language.constexpr import constexpr
from weft.launch.arrays import tuple_like
from weft.lazy_attributes import lazy_getattr

__all__ = [
    "get_cache_invalidating_env_vars",
    "getenv",
    "getenv_bool",
    "native_specialize_impl",
]

_MODULES = (
    "amd", "gluon_ir", "interpreter", "ir", "linear_layout", "llvm", "nvidia", "passes", "proton",
)  # fmt: skip
_load = lazy_getattr(__name__, {name: f"{__name__}.{name}" for name in _MODULES})
_refuse = unsupported_names(
    "triton._C.libtriton", "weft has no native library; its passes run by weft.passes"
)


def __getattr__(name: str) -> Any:
    return _load(name) if name in _MODULES else _refuse(name)


def getenv(key: str, default: str | None = None) -> str | None:
    """Read an environment variable."""
    return os.environ.get(key, default)


def getenv_bool(key: str, default: bool = False) -> bool:
    """Read a flag from an environment variable."""
    text = os.environ.get(key)
    return default if text is None else is_on(text)


def get_cache_invalidating_env_vars() -> dict[str, str]:
    """List the environment variables that Triton's code depends on: none that weft reads.

    The values of weft's settings are part of each kernel's hash.
    """
    return {}


def native_specialize_impl(
    backend: Any, arg: object, is_const: bool, specialize_value: bool, align: bool
) -> tuple[object, object]:
    """Compute the type of an argument, and what a kernel is specialized on.

    Args:
        backend: The back end, or its class, whose rules for integers and arrays apply; None for
            those that all have.
        arg: The argument.
        is_const: Whether the kernel only reads from the pointer.
        specialize_value: Whether to specialize on the value.
        align: Whether to specialize on divisibility by 16.

    Returns:
        The name of the type, and the letters of the specialization; None for what is not
        specialized. For a constant "constexpr" and the value.

    Raises:
        TypeError: An argument of an unsupported type.
    """
    if isinstance(arg, tuple):
        pairs = [native_specialize_impl(backend, item, False, True, True) for item in arg]
        return tuple_like(arg, [pair[0] for pair in pairs]), tuple_like(arg, [p[1] for p in pairs])
    if isinstance(arg, constexpr):
        return "constexpr", arg
    try:
        type_, value = _specialize(
            arg, is_const=is_const, specialize_value=specialize_value, align=align
        )
    except LaunchError as error:
        raise TypeError(error.message) from None
    if type_ == "constexpr" or not specialize_value:
        return type_, value or None
    backend = backend or BaseBackend
    if isinstance(arg, int) and not isinstance(arg, bool):
        return type_, backend.get_int_specialization(arg, align=align)
    if cast("str", type_).startswith("*"):
        return type_, backend.get_tensor_specialization(arg, align=align)
    return type_, None
