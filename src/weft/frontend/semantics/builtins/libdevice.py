"""Calls of the vendors' math libraries: tt.extern_elementwise with the symbol for the types.

    libdevice.tanh(x: fp32)     on cuda  __nv_tanhf     on hip  __ocml_tanh_f32
    libdevice.isnan(x)          the library's int32, compared with zero

The types must be those of a row of the table: nothing is converted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from weft.errors import TypeMismatchError, UnsupportedError, did_you_mean
from weft.frontend.semantics.builtins import libdevice_cuda, libdevice_hip
from weft.frontend.semantics.builtins.assembly import broadcast_all
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue
from weft.ir import attributes, tt
from weft.language import dtypes
from weft.language.extra.math_library import FUNCTIONS

# The CPU device knows the functions of both by name; NVIDIA's table has more.
_LIBRARIES = {
    "cuda": libdevice_cuda.SYMBOLS,
    "hip": libdevice_hip.SYMBOLS,
    "cpu": {**libdevice_hip.SYMBOLS, **libdevice_cuda.SYMBOLS},
}


@cache
def rows(library: str, name: str) -> dict[tuple[str, ...], tuple[str, str]]:
    """Return, for one function, argument types → (result type, symbol).

    Args: library: "cuda", "hip" or "cpu".
    Raises: UnsupportedError where the library lacks the function.
    """
    symbols = _LIBRARIES[library]
    if name not in symbols:
        raise UnsupportedError(
            f"the math library of {library} has no {name}",
            found=f"libdevice.{name}",
            hint=did_you_mean(name, symbols),
        )
    table = {}
    for row in symbols[name]:
        given, _, rest = row.partition(" > ")
        result, _, symbol = rest.partition(": ")
        table[tuple(given.split())] = (result, symbol)
    return table


def _library(family: str, e: Emitter) -> str:
    if family == "extra.libdevice":
        return e.options.backend
    return family.split(".")[1]


def _function(family: str, name: str) -> Callable[..., TensorValue]:
    def emit(e: Emitter, **arguments: Any) -> TensorValue:
        table = rows(_library(family, e), name)
        values = broadcast_all(e, [e.to_value(argument) for argument in arguments.values()])
        given = tuple(value.dtype.name for value in values)
        if given not in table:
            raise TypeMismatchError(
                f"libdevice.{name} does not take these types",
                found=", ".join(given),
                accepted=[" and ".join(row) for row in table],
                hint="convert the arguments with .to(…)",
            )
        result, symbol = table[given]
        return _extern(e, symbol, values, result)

    return emit


def _extern(e: Emitter, symbol: str, values: list[TensorValue], result: str) -> TensorValue:
    is_truth = result == "int1"
    type_ = values[0].type.with_element_ty(dtypes.dtype("int32" if is_truth else result))
    properties = {
        "libname": attributes.string(""),
        "libpath": attributes.string(""),
        "symbol": attributes.string(symbol),
        "pure": attributes.boolean(True),
    }
    handles = [value.handle for value in values]
    handle = e.builder.value(tt.ExternElementwiseOp, handles, ir_type(type_), properties)
    called = TensorValue(handle, type_)
    return e.cast(called, dtypes.int1) if is_truth else called


TABLE: dict[str, Callable[..., Any]] = {
    f"{family}.{name}": _function(family, name)
    for family in ("extra.libdevice", "extra.cuda.libdevice", "extra.hip.libdevice")
    for name in FUNCTIONS
}
