"""The ways out of a function, and the one type that they share.

if c: return 1          both ways give the constant 1: the caller knows it, no result
return 1
if c: return 1          different constants: both become values of the kernel
return n
"""

from __future__ import annotations

from typing import Any

from weft.errors import TypeMismatchError
from weft.frontend.context import FunctionContext, ReturnSite
from weft.frontend.semantics.values import TupleValue, describe, handles_of, type_of
from weft.frontend.statements import materialize
from weft.ir import tt, ub
from weft.language.constexpr import constexpr


def finish(context: FunctionContext) -> Any:
    """End each block that leaves the function with `tt.return`.

    Returns: a value of the kind that the function returns.
    Raises: TypeMismatchError: two ways out give different types.
    """
    sites = context.returns
    if context.alive:
        sites.append(_end(context))
    written = [site for site in sites if site.is_written]
    values = _agree(context, written) if written else [constexpr(None)]
    model = values[0]
    for site, value in zip(written, values, strict=False):
        _emit(context, site, handles_of(value))
    for site in sites:
        if not site.is_written:
            _emit_end(context, site, model)
    return model


def _end(context: FunctionContext) -> ReturnSite:
    last = context.definition.node.body[-1]
    return ReturnSite(context.block, constexpr(None), last, is_written=False)


def _agree(context: FunctionContext, sites: list[ReturnSite]) -> list[Any]:
    """Return the values of the sites in one type."""
    values = [site.value for site in sites]
    if all(type_of(value) == type_of(values[0]) for value in values[1:]):
        return values
    agreed = []
    for site in sites:
        context.builder.at_end(site.block)
        context.builder.location = context.definition.location(site.node)
        agreed.append(materialize(context, site.value))
    for site, value in zip(sites, agreed, strict=True):
        if type_of(value) != type_of(agreed[0]):
            line = context.position(sites[0].node).line
            context.fail(
                site.node,
                f"{context.function.name} returns another type at line {line}",
                error=TypeMismatchError,
                found=f"{_described(value)} here, {_described(agreed[0])} at line {line}",
                accepted=("the same type from every return",),
            )
    return agreed


def _described(value: Any) -> str:
    if isinstance(value, TupleValue):
        return f"({', '.join(_described(item) for item in value.items)})"
    return describe(value)


def _emit(context: FunctionContext, site: ReturnSite, handles: tuple[Any, ...]) -> None:
    context.builder.at_end(site.block)
    context.builder.location = context.definition.location(site.node)
    context.builder.create(tt.ReturnOp, handles, [])


def _emit_end(context: FunctionContext, site: ReturnSite, model: Any) -> None:
    """Leave where the body just ends: nothing may depend on the result of that way."""
    context.builder.at_end(site.block)
    context.builder.location = context.definition.location(site.node)
    poison = [
        context.builder.create(ub.PoisonOp, [], [handle.type]).results[0]
        for handle in handles_of(model)
    ]
    context.builder.create(tt.ReturnOp, poison, [])
