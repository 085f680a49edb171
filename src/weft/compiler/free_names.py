"""The free names of a kernel, and the functions that it may call, in the kernel and on the host.

SCALE: tl.constexpr = tl.constexpr(3)

@weft.constexpr_function
def factor(n): return n * SCALE            # a host function: runs while the kernel is compiled

@weft.jit
def kernel(x): tl.store(x, factor(2))      # reaches factor, whose free name is SCALE
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import NamedTuple

from weft.errors import UnsupportedError
from weft.language.aggregates import Aggregate
from weft.language.constexpr import ConstexprFunction
from weft.language.host_functions import HostFunction
from weft.language.kernel_function import KernelFunction, is_foreign

__all__ = [
    "Reference",
    "callee_of",
    "free_names",
    "host_source",
    "is_constant",
    "is_fixed",
    "python_function",
    "reachable_functions",
]

_LANGUAGES = ("weft", "triton")  # packages whose contents do not change while a program runs
_CONSTANT_CLASSES = ("constexpr", "dtype", "pointer_type", "block_type")  # weft's and Triton's


class Reference(NamedTuple):
    """A global name that a function reads.

    Attributes:
        look_up: Resolves the name; raises KeyError if it is gone.
        name: The name.
        value: Its value when it was last read.
    """

    look_up: Callable[[str], object]
    name: str
    value: object


def reachable_functions(kernel: KernelFunction | ConstexprFunction) -> Iterator[object]:
    """Yield a function and the functions that it may call, each once, in a fixed order.

    The function is a kernel, or is passed to one. The others are kernel functions; constexpr
    functions and the like, which run on the host; and the Python functions that those call, as long
    as they belong to the same package.
    """
    worklist: list[object] = [kernel]
    visited = {python_function(kernel)}
    while worklist:
        function = worklist.pop()
        yield function
        for _, _, value in free_names(function):
            for each in (value, *_members(value)):
                callee = callee_of(function, each)
                if callee is not None and python_function(callee) not in visited:
                    visited.add(python_function(callee))
                    worklist.append(callee)


def free_names(function: object) -> Iterator[Reference]:
    """Yield the free names of a function, and the attributes that it may read from modules.

    Args:
        function: An item of `reachable_functions`.
    """
    code = python_function(function).__code__
    resolve = function.resolve if isinstance(function, KernelFunction) else _resolver(function)
    names = tuple(_names_of(code, nested=not isinstance(function, KernelFunction)))
    for name in (*names, *code.co_freevars):
        try:
            value = resolve(name)
        except KeyError:  # co_names also lists attribute names
            continue
        yield Reference(resolve, name, value)
        if isinstance(value, ModuleType) and _root(value.__name__) not in _LANGUAGES:
            members = vars(value)
            for attribute in names:
                if attribute in members:
                    yield Reference(members.__getitem__, attribute, members[attribute])


def _names_of(code: CodeType, nested: bool) -> Iterator[str]:
    """Yield the global and attribute names of code; of a comprehension or lambda in it, too."""
    yield from code.co_names
    if nested:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from _names_of(constant, nested)


def is_fixed(value: object) -> bool:
    """Check whether a value belongs to the language or to Python, and so is never rebound."""
    if isinstance(value, ModuleType):
        return _root(value.__name__) in _LANGUAGES
    return getattr(builtins, getattr(value, "__name__", ""), None) is value


def is_constant(value: object) -> bool:
    """Check whether a value is a constant, an element type or a tuple of these.

    Its `repr` describes it.
    """
    if isinstance(value, tuple):
        return all(map(is_constant, value))
    return isinstance(value, int | float | str) or type(value).__name__ in _CONSTANT_CLASSES


def python_function(function: object) -> FunctionType:
    """Get the Python function of a kernel function or host function."""
    inner = getattr(function, "fn", function)
    assert isinstance(inner, FunctionType)
    return inner


def host_source(function: object) -> str:
    """Get the source text of a class or function that runs on the host."""
    try:
        if isinstance(function, ConstexprFunction):
            return function.src  # it may have been replaced
        return inspect.getsource(getattr(function, "fn", function))  # pyright: ignore
    except (OSError, TypeError):  # typed at the prompt
        return getattr(function, "__qualname__", repr(function))


def _members(value: object) -> Iterator[object]:
    """Yield the methods of an aggregate."""
    if isinstance(value, type) and issubclass(value, Aggregate):
        for member in vars(value).values():
            yield member.__func__ if isinstance(member, staticmethod) else member


def callee_of(function: object, value: object) -> object | None:
    """Get the function that a free name of another function refers to, if its code counts."""
    if isinstance(value, KernelFunction):
        return value
    if isinstance(value, ConstexprFunction | HostFunction):
        is_user_code = _root(value.fn.__module__) not in _LANGUAGES
        return value if isinstance(value.fn, FunctionType) and is_user_code else None
    if isinstance(value, FunctionType) and not isinstance(function, KernelFunction):
        is_near = _root(value.__module__) == _root(python_function(function).__module__)
        return value if is_near else None
    if not is_foreign(value):
        return None
    try:
        return KernelFunction.of(value)
    except UnsupportedError:
        return None


def _root(module: str) -> str:
    return module.partition(".")[0]


def _resolver(function: object) -> Callable[[str], object]:
    """Create the function that looks up a free name of a host function."""
    fn = python_function(function)

    def resolve(name: str) -> object:
        if name in fn.__code__.co_freevars and fn.__closure__ is not None:
            try:
                return fn.__closure__[fn.__code__.co_freevars.index(name)].cell_contents
            except ValueError:
                raise KeyError(name) from None
        if name in fn.__globals__:
            return fn.__globals__[name]
        return vars(builtins)[name]

    return resolve
