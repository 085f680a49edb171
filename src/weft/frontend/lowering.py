"""The entry point of the front end: from a kernel and its signature to a module of TTIR.

    @weft.jit
    def double(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, tl.load(x + i) * 2)

    lower(double, {"x": "*fp32"}, {"BLOCK": 64}, {(0,): [("tt.divisibility", 16)]}, options)

    tt.func public @double(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) …

The kernel is the first function of the module and the only public one.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence

from weft.errors import CompilationError, WeftError
from weft.frontend.arguments import (
    Parameters,
    Path,
    TypeName,
    argument_types,
    bind_signature,
    parameter_values,
)
from weft.frontend.context import Session
from weft.frontend.dispatch import TABLES
from weft.frontend.functions import call_function, checked_definition, lower_body
from weft.frontend.options import FrontendOptions
from weft.frontend.scope import Scope
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import describe, handles_of
from weft.ir import attributes as attribute
from weft.ir import tt, types
from weft.ir.builtin import Attribute, ModuleOp
from weft.ir.rewriting import Builder
from weft.language.kernel_function import KernelFunction

__all__ = ["lower"]


def lower(
    function: object,
    signature: Mapping[str, TypeName],
    constexprs: Mapping[Path | str, object] | Mapping[str, object],
    attributes: Mapping[Path, Sequence[tuple[str, int]]],
    options: FrontendOptions,
) -> ModuleOp:
    """Lower a kernel to TTIR.

    Args:
        function: A KernelFunction, or a JITFunction of Triton.
        signature: The type of each parameter: "*fp16", "i32", "constexpr",
            "tensordesc<fp16[64,32]>", or a tuple of types.
        constexprs: The value of each constant, by parameter name or path.
        attributes: The attributes of the arguments, by path: ("tt.divisibility", 16).
        options: The properties of target and launch.

    Returns:
        A module whose first function is the kernel.

    Raises:
        CompilationError: The kernel has a mistake.
        SignatureError: The signature does not match the kernel.
    """
    kernel = KernelFunction.of(function)
    parameters = bind_signature(kernel, signature, constexprs, attributes)
    definition = checked_definition(kernel)
    session = _session(options, kernel)
    try:
        arguments = argument_types(session.emitter, parameters)
    except WeftError as error:
        error.location = error.location or definition.position(definition.node)
        raise
    inputs = [type_ for _, type_ in arguments]
    op = tt.FuncOp.of(session.unique_symbol(kernel.name), inputs, [], noinline=kernel.noinline)
    _set_argument_attributes(op, [path for path, _ in arguments], parameters)
    session.append(op)
    scope = Scope(parameter_values(session.emitter, kernel, parameters, iter(op.entry.args)))
    result = lower_body(session, kernel, definition, op, scope)
    if handles_of(result):
        raise CompilationError(
            f"kernel {kernel.name} must not return a value",
            location=definition.position(definition.node),
            found=describe(result),
            accepted=("return",),
            hint="store the result with tl.store",
        )
    session.module.location = op.location
    return session.module


def _session(options: FrontendOptions, kernel: KernelFunction) -> Session:
    builder, module = Builder(), ModuleOp([])
    emitter = Emitter(builder, options)
    if kernel.is_gluon:
        # Most kernels are none: the module loads all of Gluon.
        gluon = importlib.import_module("weft.frontend.semantics.gluon.emitter")
        emitter = gluon.GluonEmitter(builder, options)
        gluon.set_module_attributes(module, options)
    session = Session(module, options, builder, emitter, TABLES)
    session.emitter.call_function = lambda function, args: call_function(
        session, function, args, {}
    )
    return session


def _set_argument_attributes(op: tt.FuncOp, paths: Sequence[Path], parameters: Parameters) -> None:
    for path, pairs in parameters.attributes.items():
        if tuple(path) in paths:
            index = paths.index(tuple(path))
            argument_attributes: dict[str, Attribute] = {
                name: attribute.integer(value, types.i32) for name, value in sorted(pairs)
            }
            op.set_argument_attributes(index, argument_attributes)
