"""Calls of kernel functions, and the lowering of the functions that they call.

    y = scale(x, 2)       %y = tt.call @kernels.scale__fp32S64S_c2(%x)

The first call with a list of argument types and constants lowers the function to a private function
of the module. Constants are part of its symbol and not arguments. A result that is the same
constant at every return is not a result either: the caller knows its value.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from weft.errors import CompilationError, UnsupportedError, WeftError, did_you_mean
from weft.frontend import mangling, static_values
from weft.frontend.context import FunctionContext, Instance, Session
from weft.frontend.definition import Definition, definition_of
from weft.frontend.returns import emit_returns
from weft.frontend.scope import Scope
from weft.frontend.semantics.values import Value, handles_of
from weft.frontend.static_values import with_handles
from weft.ir import attributes, locations, tt
from weft.ir.builtin import BlockArgument, FunctionType
from weft.language.kernel_function import KernelFunction, Parameter


def bind_arguments(
    function: KernelFunction, args: Sequence[Value], kwargs: dict[str, Value]
) -> list[Value]:
    """Return the argument of each parameter, with defaults.

    Raises:
        CompilationError: A parameter has no argument or two, or a name is unknown.
    """
    parameters = function.parameters
    accepted = (f"{function.name}({', '.join(function.parameter_names)})",)
    if len(args) > len(parameters):
        raise CompilationError(
            f"{function.name}() takes {len(parameters)} positional arguments but {len(args)} "
            "were given",
            found=f"{len(args)} arguments",
            accepted=accepted,
        )
    arguments = dict(zip(function.parameter_names, args, strict=False))
    for name, value in kwargs.items():
        if name in arguments:
            raise CompilationError(
                f"{function.name}() got multiple values for argument '{name}'",
                found=f"{name}=",
                accepted=accepted,
            )
        if name not in function.parameter_names:
            raise CompilationError(
                f"{function.name}() got an unexpected keyword argument '{name}'",
                found=f"{name}=",
                accepted=accepted,
                hint=did_you_mean(name, function.parameter_names),
            )
        arguments[name] = value
    missing = [p for p in parameters if p.name not in arguments and not p.has_default]
    if missing:
        raise CompilationError(
            f"{function.name}() missing a required argument: '{missing[0].name}'",
            found="none",
            accepted=accepted,
        )
    return [_argument(parameter, arguments) for parameter in parameters]


def _argument(parameter: Parameter, arguments: dict[str, Value]) -> Value:
    if parameter.name in arguments:
        return arguments[parameter.name]
    return static_values.from_python(parameter.default)


def call_function(
    session: Session, function: KernelFunction, args: Sequence[Value], kwargs: dict[str, Value]
) -> Value:
    """Emit a call at the insertion point; lower the function if this is its first call.

    Returns:
        The result of the call.

    Raises:
        CompilationError: The arguments do not match the parameters.
        UnsupportedError: The function is recursive.
    """
    values = bind_arguments(function, args, kwargs)
    symbol = session.emitter.symbol_in_partition(mangling.symbol(function, values))
    key = (function, symbol)
    instance = session.instances.get(key)
    if instance is None:
        instance = session.instances[key] = _lower_function(session, function, values, key[1])
    operands = [handle for value in values for handle in handles_of(value)]
    op = session.builder.create(
        tt.CallOp,
        operands,
        [handle.type for handle in handles_of(instance.result)],
        properties={"callee": attributes.symbol(instance.symbol)},
    )
    return with_handles(instance.result, iter(op.results))


_MAX_RECURSION = 30
"""Instances of a function for different types or constants that call each other."""


def _lower_function(
    session: Session, function: KernelFunction, values: Sequence[Value], symbol: str
) -> Instance:
    """Lower a function for given arguments to a private function of the module."""
    if (function, symbol) in session.lowering or session.active.count(function) > _MAX_RECURSION:
        cycle = [*session.active[session.active.index(function) :], function]
        raise UnsupportedError(
            f"recursive call of {function.name} is not supported",
            found=" → ".join(caller.name for caller in cycle),
            hint="use a loop",
        )
    definition = checked_definition(function)
    session.lowering.add((function, symbol))
    inputs = [handle.type for value in values for handle in handles_of(value)]
    op = tt.FuncOp.of(
        session.unique_symbol(symbol), inputs, [], public=False, noinline=function.noinline
    )
    session.emitter.mark_partition(op)
    session.append(op)
    scope = Scope()
    arguments = iter(op.entry.args)
    for name, value in zip(function.parameter_names, values, strict=True):
        scope.bind(name, with_handles(value, arguments))
    result = lower_body(session, function, definition, op, scope)
    session.lowering.discard((function, symbol))
    return Instance(op.symbol, op, result)


def checked_definition(function: KernelFunction) -> Definition:
    """Parse a function and check its parameters.

    Raises:
        UnsupportedError: It has `*args` or `**kwargs`.
        CompilationError: A compile-time constant is listed in `do_not_specialize`.
    """
    definition = definition_of(function)
    variadic = definition.node.args.vararg or definition.node.args.kwarg
    if variadic is not None:
        raise UnsupportedError(
            f"variadic parameter {variadic.arg} of {function.name} is not supported",
            location=definition.position(variadic),
            found=variadic.arg,
            accepted=("named parameters",),
            hint="pass a tuple",
        )
    nodes = {each.arg: each for each in ast.walk(definition.node.args) if isinstance(each, ast.arg)}
    for each in function.parameters:
        if each.is_constexpr and (each.do_not_specialize or each.do_not_specialize_on_alignment):
            raise CompilationError(
                f"{each.name} marked as constexpr and listed in "
                "do_not_specialize/do_not_specialize_on_alignment. "
                "Remove constexpr designation to skip specialization.",
                location=definition.position(nodes[each.name]),
            )
    return definition


def lower_body(
    session: Session,
    function: KernelFunction,
    definition: Definition,
    op: tt.FuncOp,
    scope: Scope,
) -> Value:
    """Lower the statements of a function whose parameters are bound in `scope`.

    Returns:
        The value that the function returns.
    """
    builder = session.builder
    insertion_point, location = builder.place, builder.location
    op.location = builder.location = definition.location(definition.node)
    builder.at_end(op.entry)
    session.active.append(function)
    for name, value in scope.values.items():
        for handle in handles_of(value):
            if isinstance(handle, BlockArgument):
                handle.location = locations.named(name, op.location)
    try:
        context = FunctionContext(session, function, definition, op.entry, scope)
        context.statements(definition.node.body)
        result = emit_returns(context)
        context.locations.apply()
    except WeftError as error:
        _blame_caller_of_library(session, definition, error)
        raise
    finally:
        session.active.pop()
        builder.restore(insertion_point)
        builder.location = location
    outputs = [handle.type for handle in handles_of(result)]
    op.properties["function_type"] = FunctionType.from_lists(
        list(op.function_type.inputs.data), outputs
    )
    return result


_LIBRARY = "weft.language."


def _blame_caller_of_library(session: Session, definition: Definition, error: WeftError) -> None:
    """Remove the location of an error inside a function of weft.language.

    It is a mistake of the caller, so the location of the call is set instead.
    """
    if len(session.active) < 2:
        return
    function = session.active[-1]
    is_in_function = error.location is not None and error.location.file == definition.file
    if function.qualified_name.startswith(_LIBRARY) and is_in_function:
        error.add_note(f"in tl.{function.name}, {error.location}")
        error.location = None
        error.callers.clear()
