"""Python functions that the front end compiles: kernels and the functions they call.

A `KernelFunction` describes a Python function: its source text, its parameters, and the values of
its free names. A free name is looked up at each request, in the closure, then the module, then the
builtins, so that a global defined after the function is found.

`JITFunction` is a `KernelFunction` that can be launched. `KernelFunction.of` accepts Triton's
`JITFunction`, without importing Triton.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import textwrap
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, update_wrapper
from types import CodeType, FunctionType
from typing import Any, overload

from msgspec import Struct

from weft.errors import CompilationError, Location, UnsupportedError
from weft.language.constexpr import constexpr_type

__all__ = ["KernelFunction", "Parameter", "SourceText", "is_foreign", "kernel_function"]

_FOREIGN_PACKAGE = "triton"
_MISSING = inspect.Parameter.empty


class Parameter(Struct, frozen=True):
    """A parameter of a kernel function.

    Attributes:
        index: Its position.
        name: Its name.
        annotation: The text of its annotation, "" without one.
        default: Its default value; `inspect.Parameter.empty` without one.
        has_default: Whether it has a default value.
        is_constexpr: Whether its argument is a compile-time constant.
        do_not_specialize: Do not specialize the kernel on the argument's value (equal to 1,
            divisible by 16).
        do_not_specialize_on_alignment: Do not specialize the kernel on the argument's divisibility.
    """

    index: int
    name: str
    annotation: str
    default: object
    has_default: bool
    is_constexpr: bool
    do_not_specialize: bool = False
    do_not_specialize_on_alignment: bool = False

    @property
    def num(self) -> int:
        """Its position, under Triton's name."""
        return self.index

    @property
    def is_const(self) -> bool:
        """Whether it is annotated as a pointer that the kernel only reads."""
        is_annotated = "const" in self.annotation or self.annotation.startswith("*k")
        return is_annotated and not self.is_constexpr


class SourceText(Struct, frozen=True):
    """The source text of a function.

    Attributes:
        file: The path of the file.
        line: The line number of the first line, 1-based.
        text: Whole lines, with decorators and indentation.
    """

    file: str
    line: int
    text: str

    @property
    def is_indented(self) -> bool:
        """Whether the function is defined inside another block."""
        return self.text[:1].isspace()


class KernelFunction:
    """A Python function that the front end compiles.

    Attributes:
        fn: The Python function.
        noinline: Whether calls of it stay calls.
        name: Its name.
        naming: Computes the name of the compiled function from a specialization, if not None.
        module: The name of its module.
        qualified_name: The name of its module and its qualified name.
        parameters: Its parameters.
        is_gluon: Whether it is a Gluon kernel, whose tensors have layouts.
        source_version: How often its source text was replaced.
    """

    is_gluon = False
    source_version = 0
    __name__: str  # set by update_wrapper

    def __init__(
        self,
        fn: FunctionType,
        *,
        noinline: bool = False,
        do_not_specialize: Iterable[str | int] = (),
        do_not_specialize_on_alignment: Iterable[str | int] = (),
        naming: Callable[[Any], str] | None = None,
    ) -> None:
        """Describe a function.

        Args:
            fn: The function.
            noinline: Keep calls of it as calls.
            do_not_specialize: Names or indices of parameters; see `Parameter`.
            do_not_specialize_on_alignment: Names or indices of parameters; see `Parameter`.
            naming: From a specialization to the name of the compiled function.

        Raises:
            UnsupportedError: `fn` is not a Python function.
        """
        if not isinstance(fn, FunctionType):
            raise UnsupportedError(
                "a kernel must be a Python function defined with def",
                found=f"{type(fn).__name__} {getattr(fn, '__name__', fn)!s}",
            )
        self.fn = fn
        self.noinline = noinline
        self.name = fn.__name__
        self.naming = naming
        self.module = fn.__module__
        self.qualified_name = f"{fn.__module__}.{fn.__qualname__}"
        self.parameters = _parameters(
            fn, frozenset(do_not_specialize), frozenset(do_not_specialize_on_alignment)
        )
        update_wrapper(self, fn)

    @staticmethod
    def of(function: Any) -> KernelFunction:
        """Return the KernelFunction of a function decorated with weft's or Triton's `jit`.

        Args:
            function: A KernelFunction, or Triton's `JITFunction`, `Autotuner` or `Heuristics`,
                recognized by the module of its class.

        Raises:
            UnsupportedError: It is none of these.
        """
        if isinstance(function, KernelFunction):
            return function
        inner = function
        while is_foreign(inner) and hasattr(inner, "fn"):
            if isinstance(inner.fn, FunctionType):
                return _of_triton_function(inner)
            inner = inner.fn
        raise UnsupportedError(
            "not a kernel function",
            found=f"{type(function).__name__} {getattr(function, '__name__', '')}".rstrip(),
            accepted=("a function decorated with weft.jit", "a triton JITFunction"),
        )

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of the parameters in order."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def file(self) -> str:
        """The path of the file that defines the function."""
        return self.fn.__code__.co_filename

    @property
    def first_line(self) -> int:
        """The line number of the function's first decorator or `def`, 1-based."""
        return self.fn.__code__.co_firstlineno

    @cached_property
    def source(self) -> SourceText:
        """The source text of the function.

        Raises:
            UnsupportedError: There is none: the function was typed at the prompt or built by exec.
        """
        linecache.checkcache(self.file)
        lines = linecache.getlines(self.file, self.fn.__globals__)
        if len(lines) < self.first_line:
            raise UnsupportedError(
                "@jit functions should be defined in a Python file",
                location=Location(self.file, self.first_line),
                found=f"no source text for kernel {self.name}",
            )
        start = self.first_line - 1
        end = _end_of_function(self.fn.__code__, lines)
        return SourceText(self.file, self.first_line, "".join(lines[start:end]))

    @property
    def src(self) -> str:
        """The source text from the `def` on, without its margin."""
        lines = textwrap.dedent(self.source.text).splitlines(keepends=True)
        start = next((i for i, line in enumerate(lines) if line.startswith("def ")), 0)
        return "".join(lines[start:])

    @property
    def raw_src(self) -> list[str]:
        """The source lines with decorators and margin."""
        return self.source.text.splitlines(keepends=True)

    @property
    def starting_line_number(self) -> int:
        """The line of the first decorator or the `def`, 1-based."""
        return self.first_line

    @property
    def signature(self) -> inspect.Signature:
        """The signature of the Python function."""
        return inspect.signature(self.fn)

    @property
    def type(self) -> constexpr_type:
        """The type of the function as a value of a kernel: that of a constant."""
        return constexpr_type(self)

    def parse(self) -> ast.Module:
        """Parse the source text."""
        return ast.parse(self.src)

    def get_capture_scope(self) -> dict[str, Any]:
        """Collect the globals and the variables of enclosing functions."""
        return {**self.fn.__globals__, **inspect.getclosurevars(self.fn).nonlocals}

    def _unsafe_update_src(self, new_src: str) -> None:
        """Replace the source text of the function."""
        self.__dict__["source"] = SourceText(self.file, self.first_line, new_src)
        self.source_version += 1

    def resolve(self, name: str) -> Any:
        """Look up a free name of the body in the closure, the module and the builtins.

        Raises:
            KeyError: The name is not defined.
        """
        free = self.fn.__code__.co_freevars
        if name in free and self.fn.__closure__ is not None:
            try:
                return self.fn.__closure__[free.index(name)].cell_contents
            except ValueError:
                raise KeyError(name) from None
        if name in self.fn.__globals__:
            return self.fn.__globals__[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise KeyError(name)

    def is_closure_name(self, name: str) -> bool:
        """Check whether `name` is a variable of an enclosing function."""
        return name in self.fn.__code__.co_freevars

    def global_annotation(self, name: str) -> Any:
        """Return the annotation of a global (`N: tl.constexpr = 4`), or None."""
        return self.fn.__globals__.get("__annotations__", {}).get(name)

    def known_names(self) -> Iterator[str]:
        """Yield all names that the body can use: closure, module and builtins."""
        yield from self.fn.__code__.co_freevars
        yield from self.fn.__globals__
        yield from dir(builtins)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise CompilationError: Python code cannot call a kernel function."""
        raise CompilationError(
            f"cannot call the kernel function {self.name} outside of the scope of a kernel",
            location=Location(self.file, self.first_line),
            hint="call it inside a kernel, or launch a weft.jit kernel with kernel[grid](...)",
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.qualified_name})"


@overload
def kernel_function(fn: FunctionType, /) -> KernelFunction: ...
@overload
def kernel_function(*, noinline: bool = False) -> Callable[[FunctionType], KernelFunction]: ...
def kernel_function(fn: Any = None, /, *, noinline: bool = False) -> Any:
    """Make a function callable inside kernels; `@kernel_function` or `@kernel_function(...)`."""
    if fn is not None:
        return KernelFunction(fn, noinline=noinline)
    return lambda function: KernelFunction(function, noinline=noinline)


def is_foreign(obj: object) -> bool:
    """Check by the module of its class whether `obj` is Triton's."""
    module = getattr(type(obj), "__module__", None) or ""
    return module == _FOREIGN_PACKAGE or module.startswith(f"{_FOREIGN_PACKAGE}.")


# One KernelFunction per function of Triton, so that what is cached on it is found again.
_TRITON_FUNCTIONS: weakref.WeakKeyDictionary[FunctionType, KernelFunction] = (
    weakref.WeakKeyDictionary()
)


def _of_triton_function(function: Any) -> KernelFunction:
    kernel = _TRITON_FUNCTIONS.get(function.fn)
    if kernel is None:
        kernel = KernelFunction(
            function.fn,
            noinline=bool(getattr(function, "noinline", False)),
            do_not_specialize=getattr(function, "do_not_specialize", None) or (),
            do_not_specialize_on_alignment=(
                getattr(function, "do_not_specialize_on_alignment", None) or ()
            ),
            naming=getattr(function, "_repr", None),
        )
        kernel.is_gluon = bool(getattr(function, "is_gluon", bool)())
        _TRITON_FUNCTIONS[function.fn] = kernel
    return kernel


def _end_of_function(code: CodeType, lines: list[str]) -> int:
    """Return the number of the last line of a function, 1-based.

    The byte code has the position of the last statement that generates code. Lines after it that
    are indented deeper than the function (comments, `pass`) belong to it too. This is much faster
    than tokenizing the file, which only a function without code needs.
    """
    start = code.co_firstlineno
    end = max((last for _, last, _, _ in code.co_positions() if last), default=start)
    if end == start or not _has_statement(code):
        return start - 1 + len(inspect.getblock(lines[start - 1 :]))
    first_line = lines[start - 1]
    margin = len(first_line) - len(first_line.lstrip())
    while end < len(lines):
        line = lines[end]
        if line.strip() and len(line) - len(line.lstrip()) <= margin:
            break
        end += 1
    return end


def _has_statement(code: CodeType) -> bool:
    """Check whether a statement below the first line of the function generates code."""
    entry = next((line for _, _, line in code.co_lines() if line), code.co_firstlineno)
    return any(line is not None and line > entry for _, _, line in code.co_lines())


def _parameters(
    fn: FunctionType, unspecialized: frozenset[str | int], unaligned: frozenset[str | int]
) -> tuple[Parameter, ...]:
    parameters = []
    for index, parameter in enumerate(inspect.signature(fn).parameters.values()):
        annotation = _annotation_text(parameter.annotation)
        parameters.append(
            Parameter(
                index,
                parameter.name,
                annotation,
                parameter.default,
                parameter.default is not _MISSING,
                "constexpr" in annotation,
                index in unspecialized or parameter.name in unspecialized,
                index in unaligned or parameter.name in unaligned,
            )
        )
    return tuple(parameters)


def _annotation_text(annotation: object) -> str:
    if annotation is _MISSING:
        return ""
    if isinstance(annotation, str):
        return annotation
    return getattr(annotation, "__name__", None) or str(annotation)
