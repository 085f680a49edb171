"""`with warp_pipeline_stage(…):` marks a part of a loop's body as a stage of a warp pipeline.

The operations of the body are followed by a scheduling barrier, which ends the stage.
"""

from __future__ import annotations

import ast

from weft.errors import UnsupportedError
from weft.frontend.calls import arguments_of
from weft.frontend.context import FunctionContext, StatementTable
from weft.language import Builtin

_STAGE = "gluon.amd.warp_pipeline_stage"


def with_(context: FunctionContext, node: ast.With) -> None:
    """Lower a `with` statement.

    Raises:
        UnsupportedError: It is not one of warp pipeline stages, or contains `return`.
    """
    stages = [_stage(context, item) for item in node.items]
    if context.definition.returns(node):
        context.fail(
            node,
            "Cannot have `return` statements inside `with` statements in triton ",
            error=UnsupportedError,
            found="return",
        )
    context.statements(node.body)
    for builtin, args, kwargs in reversed(stages):
        context.emitter.call(builtin, args, kwargs)


def _stage(
    context: FunctionContext, item: ast.withitem
) -> tuple[Builtin, tuple[object, ...], dict[str, object]]:
    call = item.context_expr
    callee = context.expression(call.func) if isinstance(call, ast.Call) else None
    if (
        not isinstance(call, ast.Call)
        or not isinstance(callee, Builtin)
        or callee.qualified_name != _STAGE
        or item.optional_vars is not None
    ):
        context.fail(
            call,
            "unsupported context manager of a `with` statement",
            error=UnsupportedError,
            found=ast.unparse(item),
            accepted=("gl.amd.warp_pipeline_stage(…)",),
        )
    args, kwargs = arguments_of(context, call)
    return callee, args, kwargs


STATEMENTS: StatementTable = {ast.With: with_}
