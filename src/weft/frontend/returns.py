"""The return sites of a function, and its result type.

if c: return 1          both return the constant 1: the caller knows it, and there is no result
return 1

if c: return 1          the returned values differ: both become run-time values
return n
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import ErrorForm, TypeMismatchError
from weft.frontend.context import FunctionContext, ReturnSite
from weft.frontend.semantics.values import TupleValue, Value, describe, handles_of, type_of
from weft.frontend.statements import materialize
from weft.ir import tt, ub
from weft.ir.builtin import SSAValue
from weft.language.constexpr import constexpr


def emit_returns(context: FunctionContext) -> Value:
    """End each block that leaves the function with `tt.return`.

    Returns:
        The value that the function returns.

    Raises:
        TypeMismatchError: Two returns have different types.
    """
    sites = context.returns
    if context.is_reachable:
        sites.append(_end_of_body(context))
    explicit = [site for site in sites if site.is_explicit]
    values = _unify_types(context, explicit) if explicit else [constexpr(None)]
    result = values[0]
    for site, value in zip(explicit, values, strict=False):
        _emit_return(context, site, handles_of(value))
    for site in sites:
        if not site.is_explicit:
            _emit_implicit_return(context, site, result)
    return result


def _end_of_body(context: FunctionContext) -> ReturnSite:
    last = context.definition.node.body[-1]
    location = context.builder.location
    return ReturnSite(context.block, constexpr(None), last, location, is_explicit=False)


def _unify_types(context: FunctionContext, sites: list[ReturnSite]) -> list[Value]:
    """Return the values of the sites; constants that differ become run-time values."""
    values = [site.value for site in sites]
    if all(type_of(value) == type_of(values[0]) for value in values[1:]):
        return values
    run_time_values: list[Value] = []
    for site in sites:
        context.builder.at_end(site.block)
        context.builder.location = site.location
        run_time_values.append(materialize(context, site.value))
    first = run_time_values[0]
    for site, value in zip(sites, run_time_values, strict=True):
        if type_of(value) != type_of(first):
            line = context.position(sites[0].node).line
            # Triton points at the function; the return says more.
            context.fail(
                context.definition.node if ErrorForm.is_triton else site.node,
                f"Return type mismatch: {_describe(first)} and {_describe(value)}",
                error=TypeMismatchError,
                found=f"{_describe(value)} here, {_describe(first)} at line {line}",
                accepted=("the same type from every return",),
            )
    return run_time_values


def _describe(value: Value) -> str:
    if isinstance(value, TupleValue):
        return f"({', '.join(_describe(item) for item in value.items)})"
    return describe(value)


def _emit_return(context: FunctionContext, site: ReturnSite, handles: Sequence[SSAValue]) -> None:
    context.builder.at_end(site.block)
    context.builder.location = site.location
    context.builder.create(tt.ReturnOp, handles, [])


def _emit_implicit_return(context: FunctionContext, site: ReturnSite, result: Value) -> None:
    """Return at the end of the body, with poison for the results of the other returns."""
    context.builder.at_end(site.block)
    context.builder.location = site.location
    poison = [
        context.builder.create(ub.PoisonOp, [], [handle.type]).results[0]
        for handle in handles_of(result)
    ]
    context.builder.create(tt.ReturnOp, poison, [])
