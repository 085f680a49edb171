"""Calls of kernel functions, and the functions that they need.

    y = scale(x, 2)       %y = tt.call @kernels.scale__fp32S64S_c2(%x)

Each list of argument types and constants makes one private function, lowered when it is first
called. Constants take part in the symbol and are no arguments; a result that is the same
constant on every way out is no result either: the caller just knows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.errors import CompilationError, UnsupportedError, WeftError, did_you_mean
from weft.frontend import mangling, static_values
from weft.frontend.capture import Definition, definition
from weft.frontend.context import FunctionContext, Instance, Session
from weft.frontend.returns import finish
from weft.frontend.scope import Scope
from weft.frontend.semantics.values import handles_of
from weft.frontend.static_values import with_handles
from weft.ir import attributes, locations, tt
from weft.ir.builtin import BlockArgument, FunctionType
from weft.language.kernel_function import KernelFunction, Parameter


def bind_arguments(
    function: KernelFunction, args: Sequence[Any], kwargs: dict[str, Any]
) -> list[Any]:
    """Return the argument of each parameter in order, defaults filled in.

    Raises: CompilationError: one is missing, given twice, or of an unknown name.
    """
    parameters = function.parameters
    if len(args) > len(parameters):
        raise CompilationError(
            f"{function.name} takes {len(parameters)} arguments and {len(args)} are given",
            found=f"{len(args)} arguments",
            accepted=(_spelled(function),),
        )
    given = dict(zip(function.parameter_names, args, strict=False))
    for name, value in kwargs.items():
        if name in given:
            raise CompilationError(
                f"{function.name} is given {name} twice",
                found=f"{name}=",
                accepted=(_spelled(function),),
            )
        if name not in function.parameter_names:
            raise CompilationError(
                f"{function.name} has no parameter {name}",
                found=f"{name}=",
                accepted=(_spelled(function),),
                hint=did_you_mean(name, function.parameter_names),
            )
        given[name] = value
    return [_argument(function, parameter, given) for parameter in parameters]


def _argument(function: KernelFunction, parameter: Parameter, given: dict[str, Any]) -> Any:
    if parameter.name in given:
        return given[parameter.name]
    if parameter.has_default:
        return static_values.enter(parameter.default)
    raise CompilationError(
        f"{function.name} needs an argument for {parameter.name}",
        found="none",
        accepted=(_spelled(function),),
    )


def _spelled(function: KernelFunction) -> str:
    return f"{function.name}({', '.join(function.parameter_names)})"


def call_function(
    session: Session, function: KernelFunction, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Emit a call where the builder stands, lowering the function if need be.

    Returns: the value of the call.
    Raises: CompilationError: the arguments do not fit; UnsupportedError: the function calls itself.
    """
    values = bind_arguments(function, args, kwargs)
    key = (function, mangling.symbol(function, values))
    instance = session.instances.get(key)
    if instance is None:
        instance = session.instances[key] = lower_function(session, function, values, key[1])
    operands = [handle for value in values for handle in handles_of(value)]
    op = session.builder.create(
        tt.CallOp,
        operands,
        [handle.type for handle in handles_of(instance.result)],
        properties={"callee": attributes.symbol(instance.symbol)},
    )
    return with_handles(instance.result, iter(op.results))


def lower_function(
    session: Session, function: KernelFunction, values: Sequence[Any], symbol: str
) -> Instance:
    """Lower a function for these arguments into a private function of the module."""
    if function in session.active:
        chain = [*session.active[session.active.index(function) :], function]
        raise UnsupportedError(
            f"{function.name} calls itself",
            found=" → ".join(called.name for called in chain),
            hint="a kernel has no stack; write a loop",
        )
    tree = checked_definition(function)
    inputs = [handle.type for value in values for handle in handles_of(value)]
    op = tt.FuncOp.of(
        session.free_symbol(symbol), inputs, [], public=False, noinline=function.noinline
    )
    session.append(op)
    scope = Scope()
    arguments = iter(op.entry.args)
    for name, value in zip(function.parameter_names, values, strict=True):
        scope.bind(name, with_handles(value, arguments))
    result = lower_body(session, function, tree, op, scope)
    return Instance(op.symbol, op, result)


def checked_definition(function: KernelFunction) -> Definition:
    """Return the definition of a function whose parameters kernels can have.

    Raises: UnsupportedError: it has `*args` or `**kwargs`.
    """
    tree = definition(function)
    variadic = tree.node.args.vararg or tree.node.args.kwarg
    if variadic is not None:
        raise UnsupportedError(
            f"{function.name} has a parameter that takes any number of arguments",
            location=tree.position(variadic),
            found=variadic.arg,
            accepted=("named parameters",),
            hint="pass a tuple",
        )
    return tree


def lower_body(
    session: Session, function: KernelFunction, tree: Definition, op: tt.FuncOp, scope: Scope
) -> Any:
    """Lower the statements of a function whose parameters are bound in `scope`.

    Returns: a value of the kind that the function returns.
    """
    builder = session.builder
    place, location = builder.place, builder.location
    op.location = builder.location = tree.location(tree.node)
    builder.at_end(op.entry)
    session.active.append(function)
    for name, value in scope.values.items():
        for handle in handles_of(value):
            handle.name_hint = name
            if isinstance(handle, BlockArgument):
                handle.location = locations.named(name, op.location)
    try:
        context = FunctionContext(session, function, tree, op.entry, scope)
        context.statements(tree.node.body)
        result = finish(context)
    except WeftError as error:
        _tell_caller(session, tree, error)
        raise
    finally:
        session.active.pop()
        builder.restore(place)
        builder.location = location
    outputs = [handle.type for handle in handles_of(result)]
    op.properties["function_type"] = FunctionType.from_lists(
        list(op.function_type.inputs.data), outputs
    )
    return result


_LIBRARY = "weft.language."


def _tell_caller(session: Session, tree: Definition, error: WeftError) -> None:
    """Add to an error in a called function what its reader needs to find the mistake.

    A mistake that shows inside of a function of the language is one of its caller: the place is
    taken away, and the call gives the error its own. Otherwise the callers are noted.
    """
    if len(session.active) < 2:
        return
    function, caller = session.active[-1], session.active[-2]
    is_inside = error.location is not None and error.location.file == tree.file
    if function.qualified_name.startswith(_LIBRARY) and is_inside:
        error.add_note(f"in tl.{function.name}, {error.location}")
        error.location = None
    else:
        error.add_note(f"in {function.name}, called from {caller.name}")
