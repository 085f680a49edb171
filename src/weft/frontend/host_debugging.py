"""`print` and `breakpoint` of a kernel on the CPU device.

    print("sum", total)      tt.print with weft.print = ["'sum'", "total"]: the values as arrays
    breakpoint()             tt.print with weft.breakpoint = ["x", "total"]: the debugger, with the
                             values of all variables

The attributes name the operands in turn; text that is printed is quoted. Other targets compile
`print` as `tl.device_print`, and have no `breakpoint`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from weft.errors import UnsupportedError
from weft.frontend import static_values
from weft.frontend.context import FunctionContext
from weft.frontend.semantics.values import TensorValue, Value
from weft.ir import attributes, tt
from weft.ir.builtin import ArrayAttr, SSAValue
from weft.language.constexpr import constexpr

__all__ = ["breakpoint_", "is_on_cpu", "print_"]

_CPU = "cpu"


def is_on_cpu(context: FunctionContext) -> bool:
    """Check whether a function is compiled for the CPU device."""
    return context.session.options.backend == _CPU


def print_(context: FunctionContext, node: ast.Call, args: Sequence[Value]) -> Value:
    """Print values as numpy arrays, with the names that the call has for them.

    A call with text prints its values without names, as Python does.
    """
    sources = [ast.unparse(each) for each in node.args]
    if len(sources) != len(args):  # one of them is *tuple
        sources = [f"argument {number}" for number in range(len(args))]
    has_text = any(isinstance(_constant(each), str) for each in args)
    items: list[str] = []
    operands: list[SSAValue] = []
    for source, value in zip(sources, args, strict=True):
        if isinstance(value, TensorValue):
            items.append("" if has_text else source)
            operands.append(value.handle)
            continue
        constant = _constant(value)
        is_named = not has_text and not isinstance(constant, str)
        items.append(repr(f"{source} = {constant}" if is_named else str(constant)))
    _emit(context, "weft.print", items, operands)
    return constexpr(None)


def breakpoint_(context: FunctionContext, node: ast.Call) -> Value:
    """Enter the debugger with the variables of the function.

    Raises:
        UnsupportedError: The kernel is compiled for a GPU.
    """
    options = context.session.options
    if not is_on_cpu(context):
        context.fail(
            node,
            "breakpoint() in a kernel works on the CPU device only",
            error=UnsupportedError,
            found=f"{options.backend}:{options.arch}",
            accepted=("arrays on the CPU",),
            hint="tl.device_print prints values on a GPU",
        )
    names: list[str] = []
    operands: list[SSAValue] = []
    for name, value in context.scope.values.items():
        if isinstance(value, TensorValue):
            names.append(name)
            operands.append(value.handle)
        elif isinstance(constant := _constant(value), int | float | str | None):
            names.append(f"{name}={constant!r}")
    _emit(context, "weft.breakpoint", names, operands)
    return constexpr(None)


def _constant(value: Value) -> object:
    return static_values.to_python(value) if static_values.is_static(value) else value


def _emit(
    context: FunctionContext, kind: str, items: Sequence[str], operands: Sequence[SSAValue]
) -> None:
    properties = {
        "prefix": attributes.string(""),
        "hex": attributes.boolean(False),
        "isSigned": attributes.array_i32((1,) * len(operands)),
    }
    names = ArrayAttr([attributes.string(item) for item in items])
    context.builder.create(tt.PrintOp, operands, properties=properties, attributes={kind: names})
