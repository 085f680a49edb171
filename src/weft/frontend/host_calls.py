"""Calls of Python functions on the values of a kernel, while it is lowered.

    @tl.core.builtin
    def twice(x, _semantic=None):
        return tl.add(x, x, _semantic=_semantic)

The function runs in Python. It gets tensors as `TensorValue`, constants as `constexpr`, tuples as
`tl.tuple` and aggregates as instances of their class; a `Semantic` as `_semantic` emits the calls
that it makes. Constructors and plain methods of aggregates are such functions.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.errors import CompilationError, UnsupportedError, WeftError, did_you_mean
from weft.frontend import static_values
from weft.frontend.context import FunctionContext
from weft.frontend.semantics.aggregates import AggregateValue
from weft.frontend.semantics.builtins.libdevice import ExternalFunctions, call_external
from weft.frontend.semantics.values import (
    BoundMethod,
    DescriptorValue,
    TensorValue,
    TupleValue,
    Value,
)
from weft.language import tensor, tensor_descriptor
from weft.language import tuple as tl_tuple
from weft.language.aggregates import Aggregate
from weft.language.builtin import Builtin
from weft.language.constexpr import ConstexprFunction
from weft.language.host_functions import HostFunction
from weft.language.kernel_function import KernelFunction

__all__ = [
    "Semantic",
    "aggregate_attribute",
    "call_host_function",
    "call_method",
    "class_attribute",
    "construct",
    "to_host",
]

tensor.register(TensorValue)
tensor_descriptor.register(DescriptorValue)


class Semantic:
    """The argument `_semantic` of a Python function that the front end calls.

    Attributes:
        context: The function that is lowered.
    """

    tensor = tensor

    def __init__(self, context: FunctionContext) -> None:
        self.context = context

    @property
    def builder(self) -> Any:
        """Refuse: weft has no MLIR builder."""
        raise UnsupportedError(
            "weft has no MLIR builder",
            found="_semantic.builder",
            hint="call functions of tl with _semantic=_semantic",
        )

    def call(
        self, function: Builtin, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> object:
        """Emit a call of a function of the language."""
        values = [static_values.from_python(each) for each in args]
        named = {name: static_values.from_python(each) for name, each in kwargs.items()}
        return to_host(self.context.emitter.call(function, values, named))

    def call_external(
        self,
        library: str,
        path: str,
        args: Sequence[object],
        symbols: Mapping[tuple[Any, ...], tuple[str, Any]],
        is_pure: bool,
    ) -> TensorValue:
        """Emit a call of a library's function; see `tl.core.extern_elementwise`."""
        names = {
            tuple(each.name for each in types): (symbol, result.name)
            for types, (symbol, result) in symbols.items()
        }
        functions = ExternalFunctions(library, path, names, is_pure, library)
        return call_external(self.context.emitter, functions, list(map(self.to_tensor, args)))

    def call_jit(self, function: KernelFunction, args: Sequence[object]) -> object:
        """Emit a call of a kernel function."""
        values = [static_values.from_python(each) for each in args]
        return to_host(self.context.emitter.call_function(function, values))

    def to_tensor(self, x: object, check_type: bool = True) -> TensorValue:
        """Convert a number to a scalar."""
        return self.context.emitter.to_value(static_values.from_python(x))

    def __getattr__(self, name: str) -> Callable[..., object]:
        """Get the method for a function of the language, or for an operator."""
        from weft import language

        sign = _OPERATORS.get(name)
        emitter = self.context.emitter
        if sign is not None:
            emit = emitter.compare if sign in _COMPARISONS else emitter.binary
            return lambda a, b, *_: emit(
                sign, static_values.from_python(a), static_values.from_python(b)
            )
        function = getattr(language, name, None)
        if isinstance(function, Builtin):
            return lambda *args, **kwargs: self.call(function, args, kwargs)
        raise UnsupportedError(
            f"weft has no _semantic.{name}",
            found=f"_semantic.{name}",
            hint=did_you_mean(name, language.__all__)
            or "call functions of tl with _semantic=_semantic",
        )


_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "and_": "&", "or_": "|", "xor_": "^", "shl": "<<", "ashr": ">>", "lshr": ">>",
    "less_than": "<", "less_equal": "<=", "greater_than": ">", "greater_equal": ">=",
    "equal": "==", "not_equal": "!=",
}  # fmt: skip


def to_host(value: Value) -> object:
    """Convert a value for a Python function, as described above."""
    if isinstance(value, TupleValue):
        return tl_tuple(map(to_host, value.items), value.fields)
    if isinstance(value, AggregateValue):
        instance = value.cls.without_fields()
        for name, member in zip(value.cls.fields, value.members, strict=True):
            instance.__dict__[name] = to_host(member)
        return instance
    if isinstance(value, BoundMethod) and isinstance(value.receiver, AggregateValue):
        return getattr(to_host(value.receiver), value.function.__name__)
    return value


def call_host_function(
    context: FunctionContext,
    node: ast.AST,
    function: Callable[..., object],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """Call a Python function on values of the kernel.

    Raises:
        CompilationError: The function raises an exception.
    """
    plain = function.fn if isinstance(function, HostFunction) else function
    parameters = inspect.signature(plain).parameters
    internal = {"_semantic": Semantic(context), "_generator": context}
    named = {name: to_host(value) for name, value in kwargs.items()}
    named |= {name: value for name, value in internal.items() if name in parameters}
    try:
        return static_values.from_python(plain(*map(to_host, args), **named))
    except WeftError:
        raise
    except Exception as error:
        raise CompilationError(
            str(error) or type(error).__name__,
            location=context.position(node),
            found=f"{type(error).__name__} in {getattr(plain, '__qualname__', plain)}",
        ) from error


def construct(
    context: FunctionContext,
    node: ast.AST,
    cls: type[Aggregate],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """Construct an aggregate.

    Raises:
        CompilationError: The arguments do not fit its constructor.
    """

    def constructor(*args: object, _semantic: object, _generator: object, **kwargs: object) -> Any:
        return cls(*args, _semantic=_semantic, _generator=_generator, **kwargs)

    return call_host_function(context, node, constructor, args, kwargs)


def aggregate_attribute(value: AggregateValue, name: str) -> Value:
    """Return a field or a method of an aggregate.

    Raises:
        CompilationError: There is none of this name.
    """
    member = value.member(name)
    if member is not None:
        return member
    attribute = inspect.getattr_static(value.cls, name, None)
    if isinstance(attribute, staticmethod):
        return host_callable(attribute.__func__)
    if isinstance(attribute, classmethod):
        return HostFunction(getattr(value.cls, name))
    if isinstance(attribute, property):
        return static_values.from_python(getattr(to_host(value), name))
    if isinstance(attribute, KernelFunction | ConstexprFunction) or callable(attribute):
        return BoundMethod(value, host_callable(attribute))
    if name == "type":
        return static_values.from_python(value.type)
    methods = vars(value.cls).keys() - {"fields", "original"}
    names = [*value.cls.fields, *sorted(each for each in methods if not each.startswith("_"))]
    raise CompilationError(
        f"'{value.cls.__name__}' object has no attribute '{name}'",
        found=name,
        accepted=names,
        hint=did_you_mean(name, names),
    )


def host_callable(function: Any) -> Any:
    """Make a plain Python function of an aggregate callable; return other functions unchanged."""
    if isinstance(function, KernelFunction | ConstexprFunction | HostFunction | Builtin):
        return function
    return HostFunction(function)


def class_attribute(cls: type[Aggregate], name: str) -> Value:
    """Return a static method of the class of an aggregate, or one to be called with an instance.

    Raises:
        CompilationError: There is none of this name.
    """
    attribute = inspect.getattr_static(cls, name, None)
    if attribute is None:
        raise CompilationError(
            f"type object '{cls.__name__}' has no attribute '{name}'", found=name
        )
    if isinstance(attribute, staticmethod):
        return host_callable(attribute.__func__)
    if isinstance(attribute, classmethod):
        return HostFunction(getattr(cls, name))
    is_function = callable(attribute)
    return host_callable(attribute) if is_function else static_values.from_python(attribute)


def call_method(
    context: FunctionContext, node: ast.AST, value: AggregateValue, name: str, *args: Value
) -> Value:
    """Call a method of an aggregate.

    Raises:
        CompilationError: It has no such method.
    """
    method = aggregate_attribute(value, name)
    assert isinstance(method, BoundMethod)
    if isinstance(method.function, KernelFunction):
        return context.emitter.call_function(method.function, (value, *args))
    return call_host_function(context, node, method.function, (value, *args), {})
