"""What the code of a kernel depends on besides its arguments: its source, its callees, globals.

`captured` is quick and goes into the key of every launch; `fingerprint` reads sources, and is the
same in another process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from types import ModuleType

from weft.errors import UnsupportedError
from weft.language.function import KernelFunction, is_foreign

_CONSTANT = "constexpr"
_LANGUAGES = ("weft", "triton")  # what these define does not change while a program runs


def captured(kernel: KernelFunction) -> tuple[object, ...]:
    """Return the compile-time globals that a kernel and its callees see now.

    A global rebound between two launches means new code, so they belong to the key of a cache.
    """
    found: list[object] = []
    for function in _reachable(kernel):
        found.append(id(function))
        for name, value in _free(function):
            if type(value).__name__ == _CONSTANT or isinstance(value, int | float | str):
                found.append((name, type(value).__name__, repr(value)))
    return tuple(found)


def fingerprint(kernel: KernelFunction) -> str:
    """Return a digest of the sources of a kernel and its callees, and of their globals."""
    digest = hashlib.sha256()
    for function in _reachable(kernel):
        digest.update(f"{function.qualified_name}\n{function.source.text}\n".encode())
        for name, value in _free(function):
            if type(value).__name__ == _CONSTANT or isinstance(value, int | float | str):
                digest.update(f"{name} = {value!r}\n".encode())
    return digest.hexdigest()


def _reachable(kernel: KernelFunction) -> Iterator[KernelFunction]:
    """Yield the kernel and all it may call, each once, in a fixed order."""
    waiting, seen = [kernel], {kernel.fn}
    while waiting:
        function = waiting.pop()
        yield function
        for _, value in _free(function):
            if not isinstance(value, KernelFunction) and not is_foreign(value):
                continue
            callee = value if isinstance(value, KernelFunction) else _foreign(value)
            if callee is not None and callee.fn not in seen:
                seen.add(callee.fn)
                waiting.append(callee)


def _foreign(value: object) -> KernelFunction | None:
    try:
        return KernelFunction.of(value)
    except UnsupportedError:
        return None


def _free(function: KernelFunction) -> Iterator[tuple[str, object]]:
    """Yield the names that a function takes from outside, and those it takes from modules there."""
    code = function.fn.__code__
    for name in (*code.co_names, *code.co_freevars):
        try:
            value = function.resolve(name)
        except KeyError:
            continue
        yield name, value
        if isinstance(value, ModuleType) and not value.__name__.startswith(_LANGUAGES):
            members = vars(value)
            yield from ((each, members[each]) for each in code.co_names if each in members)
