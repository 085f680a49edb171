"""The door of the front end: a kernel and its signature in, a module of TTIR out.

    @weft.jit
    def double(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, tl.load(x + i) * 2)

    lower(double, {"x": "*fp32"}, {"BLOCK": 64}, {(0,): [("tt.divisibility", 16)]}, options)

    tt.func public @double(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) …

The kernel is the only public function; what it calls stands behind it, private, as calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.errors import CompilationError
from weft.frontend.arguments import Parameters, Path, TypeName, ir_types, parameters_of, values_of
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
    function: Any,
    signature: Mapping[str, TypeName],
    constexprs: Mapping[Path | str, Any],
    attributes: Mapping[Path, Sequence[tuple[str, int]]],
    options: FrontendOptions,
) -> ModuleOp:
    """Lower a kernel to TTIR.

    Args: function: a KernelFunction, or a Triton JITFunction.
          signature: parameter → "*fp16", "i32", "constexpr", "tensordesc<fp16[64,32]>", a tuple.
          constexprs: parameter name, or path, → value of each constant.
          attributes: path → attributes of the argument, such as ("tt.divisibility", 16).
          options: what the target says about types and defaults.
    Returns: a module; the kernel is its first function.
    Raises: CompilationError: a mistake in the kernel, with its place.
            SignatureError: the signature does not fit the kernel.
    """
    kernel = KernelFunction.of(function)
    parameters = parameters_of(kernel, signature, constexprs, attributes)
    tree = checked_definition(kernel)
    session = _session(options)
    leaves = ir_types(session.emitter, parameters)
    inputs = [type_ for _, type_ in leaves]
    op = tt.FuncOp.of(session.free_symbol(kernel.name), inputs, [], noinline=kernel.noinline)
    _mark_arguments(op, [path for path, _ in leaves], parameters)
    session.append(op)
    scope = Scope(values_of(kernel, parameters, iter(op.entry.args)))
    result = lower_body(session, kernel, tree, op, scope)
    if handles_of(result):
        raise CompilationError(
            f"kernel {kernel.name} returns a value",
            location=tree.position(tree.node),
            found=describe(result),
            accepted=("return",),
            hint="a launch has no result: write it to memory with tl.store",
        )
    session.module.location = op.location
    return session.module


def _session(options: FrontendOptions) -> Session:
    builder = Builder()
    session = Session(ModuleOp([]), options, builder, Emitter(builder, options), TABLES)
    session.emitter.call_function = lambda function, args: call_function(
        session, function, args, {}
    )
    return session


def _mark_arguments(op: tt.FuncOp, paths: Sequence[Path], parameters: Parameters) -> None:
    """Put the attributes of the signature on the arguments."""
    for path, pairs in parameters.attributes.items():
        if tuple(path) in paths:
            index = paths.index(tuple(path))
            marks: dict[str, Attribute] = {
                name: attribute.integer(value, types.i32) for name, value in sorted(pairs)
            }
            op.set_argument_attributes(index, marks)
