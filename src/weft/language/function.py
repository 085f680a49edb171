"""Python functions that are kernels, or parts of kernels.

A `KernelFunction` remembers a Python function without running it: where its source stands, what
its parameters say, and how a free name of its body resolves (closure first, then module, then
builtins; looked up when asked, so a global bound after the definition is seen).

The front end gives it meaning. `runtime.JITFunction` is a `KernelFunction` that can be launched,
and `KernelFunction.of` makes one of a Triton `JITFunction` without importing Triton.
"""

from __future__ import annotations

import builtins
import inspect
import linecache
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from types import CodeType, FunctionType
from typing import Any, overload

from weft.errors import CompilationError, Location, UnsupportedError

__all__ = ["KernelFunction", "Parameter", "SourceText", "is_foreign", "kernel_function"]

_FOREIGN_PACKAGE = "triton"
_MISSING = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Parameter:
    """Describe one parameter of a kernel function.

    Args: index: position.  name: as written.  annotation: its text, "" where there is none.
          default: the default value, meaningful only if has_default.
          is_constexpr: the argument is a compile-time value.
          do_not_specialize: its value is never specialised (no equal-to-1, no divisibility).
          do_not_specialize_on_alignment: its divisibility is not specialised.
    """

    index: int
    name: str
    annotation: str
    default: Any
    has_default: bool
    is_constexpr: bool
    do_not_specialize: bool = False
    do_not_specialize_on_alignment: bool = False


@dataclass(frozen=True, slots=True)
class SourceText:
    """Hold the text of a function as it stands in its file.

    Args: file: path.  line: 1-based line of the first line of `text`.
          text: whole lines, decorators and indentation included.
    """

    file: str
    line: int
    text: str

    @property
    def is_indented(self) -> bool:
        """Return whether the function is nested in a block."""
        return self.text[:1].isspace()


class KernelFunction:
    """Capture a Python function whose body the front end lowers.

    Args: fn: the function.  noinline: keep calls of it as calls.
          do_not_specialize, do_not_specialize_on_alignment: names or indices of parameters.
          naming: from a specialisation to the name of the compiled function, else the kernel's.
    Raises: UnsupportedError: `fn` is not a plain Python function.
    """

    def __init__(
        self,
        fn: FunctionType,
        *,
        noinline: bool = False,
        do_not_specialize: Iterable[str | int] = (),
        do_not_specialize_on_alignment: Iterable[str | int] = (),
        naming: Callable[[Any], str] | None = None,
    ) -> None:
        if not isinstance(fn, FunctionType):
            raise UnsupportedError(
                "a kernel is made of a Python function written with def",
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
        """Return the KernelFunction of a function made by weft or by Triton's own `jit`.

        Args: function: a KernelFunction; or an object of Triton that holds one (`JITFunction`,
              an autotuner or a heuristic around it), told by the module of its class.
        Raises: UnsupportedError: it is neither.
        """
        if isinstance(function, KernelFunction):
            return function
        inner = function
        while is_foreign(inner) and hasattr(inner, "fn"):
            if isinstance(inner.fn, FunctionType):
                return _of_foreign(inner)
            inner = inner.fn
        raise UnsupportedError(
            "not a kernel function",
            found=f"{type(function).__name__} {getattr(function, '__name__', '')}".rstrip(),
            accepted=("a function decorated with weft.jit", "a triton JITFunction"),
        )

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Return the names of the parameters in order."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def file(self) -> str:
        """Return the path of the file the function was compiled from."""
        return self.fn.__code__.co_filename

    @property
    def first_line(self) -> int:
        """Return the 1-based line where the function starts, decorators included."""
        return self.fn.__code__.co_firstlineno

    @cached_property
    def source(self) -> SourceText:
        """Read the source text of the function.

        Raises: UnsupportedError: there is no text (typed at the prompt, or built by exec).
        """
        linecache.checkcache(self.file)
        lines = linecache.getlines(self.file, self.fn.__globals__)
        if len(lines) < self.first_line:
            raise UnsupportedError(
                f"no source text for kernel {self.name}",
                location=Location(self.file, self.first_line),
                hint="define the kernel in a file",
            )
        start = self.first_line - 1
        end = _end_of_function(self.fn.__code__, lines)
        return SourceText(self.file, self.first_line, "".join(lines[start:end]))

    def resolve(self, name: str) -> Any:
        """Return what a free name of the body stands for now.

        Raises: KeyError: nothing of that name in closure, module or builtins.
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
        """Return whether `name` is bound in an enclosing function."""
        return name in self.fn.__code__.co_freevars

    def global_annotation(self, name: str) -> Any:
        """Return the annotation of a module-level name (`N: tl.constexpr = 4`), or None."""
        return self.fn.__globals__.get("__annotations__", {}).get(name)

    def known_names(self) -> Iterator[str]:
        """Yield every free name the body may use, for suggestions."""
        yield from self.fn.__code__.co_freevars
        yield from self.fn.__globals__
        yield from dir(builtins)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse: a kernel function has meaning only inside a kernel."""
        raise CompilationError(
            f"{self.name} is a kernel function and was called from Python",
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
    """Return whether the class of `obj` comes from Triton, told by its module name alone."""
    module = getattr(type(obj), "__module__", None) or ""
    return module == _FOREIGN_PACKAGE or module.startswith(f"{_FOREIGN_PACKAGE}.")


_FOREIGN: weakref.WeakKeyDictionary[FunctionType, KernelFunction] = weakref.WeakKeyDictionary()


def _of_foreign(function: Any) -> KernelFunction:
    known = _FOREIGN.get(function.fn)
    if known is None:
        known = KernelFunction(
            function.fn,
            noinline=bool(getattr(function, "noinline", False)),
            do_not_specialize=getattr(function, "do_not_specialize", None) or (),
            do_not_specialize_on_alignment=(
                getattr(function, "do_not_specialize_on_alignment", None) or ()
            ),
            naming=getattr(function, "_repr", None),
        )
        _FOREIGN[function.fn] = known
    return known


def _end_of_function(code: CodeType, lines: list[str]) -> int:
    """Return how many of the file's lines there are up to the end of a function.

    The compiled code says where its last statement ends; what follows with a deeper indentation
    (comments, statements that make no code) is the function's too. Much faster than tokens, which
    remain for a function that makes no code at all.
    """
    start = code.co_firstlineno
    end = max((last for _, last, _, _ in code.co_positions() if last), default=start)
    if end == start or not _has_statement(code):
        return start - 1 + len(inspect.getblock(lines[start - 1 :]))
    first = lines[start - 1]
    margin = len(first) - len(first.lstrip())
    while end < len(lines):
        line = lines[end]
        if line.strip() and len(line) - len(line.lstrip()) <= margin:
            break
        end += 1
    return end


def _has_statement(code: CodeType) -> bool:
    """Tell whether any code stands below the line where the body of the function is entered."""
    entry = next((line for _, _, line in code.co_lines() if line), code.co_firstlineno)
    return any(line is not None and line > entry for _, _, line in code.co_lines())


def _parameters(
    fn: FunctionType, unspecialised: frozenset[str | int], unaligned: frozenset[str | int]
) -> tuple[Parameter, ...]:
    parameters = []
    for index, parameter in enumerate(inspect.signature(fn).parameters.values()):
        annotation = _annotation_text(parameter.annotation)
        parameters.append(
            Parameter(
                index,
                parameter.name,
                annotation,
                None if parameter.default is _MISSING else parameter.default,
                parameter.default is not _MISSING,
                "constexpr" in annotation,
                index in unspecialised or parameter.name in unspecialised,
                index in unaligned or parameter.name in unaligned,
            )
        )
    return tuple(parameters)


def _annotation_text(annotation: Any) -> str:
    if annotation is _MISSING:
        return ""
    if isinstance(annotation, str):
        return annotation
    return getattr(annotation, "__name__", None) or str(annotation)
