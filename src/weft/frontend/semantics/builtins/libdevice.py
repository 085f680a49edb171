"""Calls of the vendors' math libraries: tt.extern_elementwise with the symbol for the types.

    libdevice.tanh(x: fp32)     on cuda  __nv_tanhf     on hip  __ocml_tanh_f32
    libdevice.isnan(x)          the library's int32 result, compared with zero

Arguments are not converted: their types must be those of a row of the symbol table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
        values = [e.to_value(argument) for argument in arguments.values()]
        types = tuple(value.dtype.name for value in values)
        # The library's predicates return an int32.
        is_bool = rows.get(types, ("", ""))[0] == "int1"
        functions = {row: (symbol, result) for row, (result, symbol) in rows.items()}
        if is_bool:
            functions[types] = (functions[types][0], "int32")
        call = call_external(e, ExternalFunctions("", "", functions, name=name), values)
        return e.cast(call, dtypes.int1) if is_bool else call

    return emit


@dataclass(frozen=True, slots=True)
class ExternalFunctions:
    """The functions of a library that compute the same for different types.

    Attributes:
        library: The name of the library; "" for the vendor's.
        path: Its bitcode file; "" for one that the compiler finds.
        symbols: Symbol and result type by the types of the arguments.
        is_pure: Whether the functions have no effects.
        name: Their name, for messages.
    """

    library: str
    path: str
    symbols: Mapping[tuple[str, ...], tuple[str, str]]
    is_pure: bool = True
    name: str = ""


def call_external(
    e: Emitter, functions: ExternalFunctions, values: list[TensorValue]
) -> TensorValue:
    """Call the function for the types of some values, elementwise on their broadcast shape.

    Raises:
        TypeMismatchError: There is none for these types.
    """
    values = broadcast_all(e, values)
    types = tuple(value.dtype.name for value in values)
    if types not in functions.symbols:
        rows = list(functions.symbols)
        raise TypeMismatchError(
            f"input arg type does not match. Expect one of {rows}, got {types}",
            found=f"{functions.name}({', '.join(types)})",
            accepted=[" and ".join(row) for row in rows],
            hint="convert the arguments with .to(…)",
        )
    symbol, result = functions.symbols[types]
    type_ = values[0].type.with_element_ty(dtypes.dtype(result))
    properties = {
        "libname": attributes.string(functions.library),
        "libpath": attributes.string(functions.path),
        "symbol": attributes.string(symbol),
        "pure": attributes.boolean(functions.is_pure),
    }
    handles = [value.handle for value in values]
    handle = e.builder.value(tt.ExternElementwiseOp, handles, ir_type(type_), properties)
    return TensorValue(handle, type_)


TABLE: dict[str, Callable[..., object]] = {
    f"{namespace}.{name}": _implementation(namespace, name)
    for namespace in ("extra.libdevice", "extra.cuda.libdevice", "extra.hip.libdevice")
    for name in FUNCTIONS
}
