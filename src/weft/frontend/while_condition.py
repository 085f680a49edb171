"""The condition of a `while` loop, which may have options.

while tl.condition(i < n, disable_licm=True):    →    scf.while … {llvm.loop_annotation = …}
"""

from __future__ import annotations

import ast

from weft.frontend import static_values
from weft.frontend.calls import arguments_of
from weft.frontend.context import FunctionContext
from weft.frontend.semantics.builtin_calls import bind
from weft.frontend.semantics.values import Value, describe
from weft.ir import llvm, loop_attributes
from weft.ir.builtin import Attribute
from weft.language import condition as tl_condition


def while_condition(context: FunctionContext, node: ast.expr) -> tuple[Value, dict[str, Attribute]]:
    """Lower the condition of a `while`, which may be in `tl.condition` with options.

    Returns:
        The condition, and the attributes of the loop.

    Raises:
        CompilationError: An option is unknown or not a constant.
    """
    if not isinstance(node, ast.Call) or not _is_dotted_name(node.func):
        return context.expression(node), {}
    if context.expression(node.func) is not tl_condition:
        return context.expression(node), {}
    arguments = bind(tl_condition, *arguments_of(context, node))
    is_licm_disabled = arguments["disable_licm"]
    if not static_values.is_static(is_licm_disabled):
        context.fail(
            node,
            "disable_licm of tl.condition must be a compile-time constant",
            found=describe(is_licm_disabled),
            accepted=("True", "False"),
        )
    attributes: dict[str, Attribute] = {}
    if is_licm_disabled:
        attributes[loop_attributes.DISABLE_LICM] = llvm.licm_disabled()
    return static_values.from_python(arguments["arg1"]), attributes


def _is_dotted_name(node: ast.expr) -> bool:
    """Check for `a` or `a.b.c`, whose lowering emits no operation."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
