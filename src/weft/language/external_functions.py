"""`tl.core.extern_elementwise`: a function of a bitcode library, called on each element.

@tl.core.extern
def scale(x, _semantic=None):
    return tl.core.extern_elementwise(
        "mine", "", [x], {(tl.float32,): ("scale_f32", tl.float32)}, True, _semantic=_semantic
    )

kernel[grid](x, extern_libs={"mine": "libmine.bc"})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.language.dtypes import dtype
from weft.language.host_functions import builtin

__all__ = ["extern_elementwise"]


@builtin
def extern_elementwise(
    lib_name: str,
    lib_path: str,
    args: Sequence[object],
    arg_type_symbol_dict: Mapping[tuple[dtype, ...], tuple[str, dtype]],
    is_pure: bool,
    _semantic: Any = None,
) -> object:
    """Call a function of a library on each element of tensors, which are broadcast.

    Args:
        lib_name: The name of the library, as in the compile option `extern_libs`.
        lib_path: Its bitcode file; "" for that of `extern_libs`.
        args: The tensors and numbers.
        arg_type_symbol_dict: Symbol and result type by the types of the arguments.
        is_pure: Whether the function has no effects.

    Raises:
        TypeMismatchError: There is no function for the types of the arguments.
    """
    return _semantic.call_external(lib_name, lib_path, args, arg_type_symbol_dict, is_pure)
