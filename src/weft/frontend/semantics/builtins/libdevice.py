"""Calls of the vendors' math libraries: tt.extern_elementwise with the symbol for the types.

    libdevice.tanh(x: fp32)     on cuda  __nv_tanhf     on hip  __ocml_tanh_f32
    libdevice.isnan(x)          the library's int32 result, compared with zero

Arguments are not converted: their types must be those of a row of the symbol table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from weft.errors import TypeMismatchError, UnsupportedError, did_you_mean
from weft.frontend.semantics.builtins import libdevice_cuda, libdevice_hip
from weft.frontend.semantics.builtins.inline_asm import broadcast_all
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value
from weft.ir import attributes, tt
from weft.language import dtypes
from weft.language.extra.math_library import FUNCTIONS

# The CPU device implements the functions of both libraries.
_SYMBOLS = {
    "cuda": libdevice_cuda.SYMBOLS,
    "hip": libdevice_hip.SYMBOLS,
    "cpu": {**libdevice_hip.SYMBOLS, **libdevice_cuda.SYMBOLS},
}


@cache
def overloads(library: str, name: str) -> dict[tuple[str, ...], tuple[str, str]]:
    """Read the rows of a function from the symbol table.

    Args:
        library: "cuda", "hip" or "cpu".
        name: The function.

    Returns:
        The result type and the symbol by argument types.

    Raises:
        UnsupportedError: The library does not have the function.
    """
    symbols = _SYMBOLS[library]
    if name not in symbols:
        raise UnsupportedError(
            f"the math library of {library} has no function {name}",
            found=f"libdevice.{name}",
            hint=did_you_mean(name, symbols),
        )
    rows: dict[tuple[str, ...], tuple[str, str]] = {}
    for row in symbols[name]:
        arguments, _, rest = row.partition(" > ")
        result, _, symbol = rest.partition(": ")
        rows[tuple(arguments.split())] = (result, symbol)
    return rows


def _library(namespace: str, e: Emitter) -> str:
    if namespace == "extra.libdevice":
        return e.options.backend
    return namespace.split(".")[1]


def _implementation(namespace: str, name: str) -> Callable[..., TensorValue]:
    def emit(e: Emitter, **arguments: Value) -> TensorValue:
        rows = overloads(_library(namespace, e), name)
        values = broadcast_all(e, [e.to_value(argument) for argument in arguments.values()])
        types = tuple(value.dtype.name for value in values)
        if types not in rows:
            raise TypeMismatchError(
                f"input arg type does not match. Expect one of {list(rows)}, got {types}",
                found=f"libdevice.{name}({', '.join(types)})",
                accepted=[" and ".join(row) for row in rows],
                hint="convert the arguments with .to(…)",
            )
        result, symbol = rows[types]
        return _extern_elementwise(e, symbol, values, result)

    return emit


def _extern_elementwise(
    e: Emitter, symbol: str, values: list[TensorValue], result: str
) -> TensorValue:
    is_bool = result == "int1"
    type_ = values[0].type.with_element_ty(dtypes.dtype("int32" if is_bool else result))
    properties = {
        "libname": attributes.string(""),
        "libpath": attributes.string(""),
        "symbol": attributes.string(symbol),
        "pure": attributes.boolean(True),
    }
    handles = [value.handle for value in values]
    handle = e.builder.value(tt.ExternElementwiseOp, handles, ir_type(type_), properties)
    call = TensorValue(handle, type_)
    return e.cast(call, dtypes.int1) if is_bool else call


TABLE: dict[str, Callable[..., object]] = {
    f"{namespace}.{name}": _implementation(namespace, name)
    for namespace in ("extra.libdevice", "extra.cuda.libdevice", "extra.hip.libdevice")
    for name in FUNCTIONS
}
