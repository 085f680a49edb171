"""What the code of a kernel depends on besides its arguments: its source, its callees, globals.

`Captured` is quick, for the key of every launch; `fingerprint` reads sources, and is the same in
another process.
"""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Callable, Iterator
from types import ModuleType

from weft.errors import UnsupportedError
from weft.language.kernel_function import KernelFunction, is_foreign

_Name = tuple[Callable[[str], object], str, object]  # how to look it up, itself, its value now

_CONSTANT = "constexpr"
_LANGUAGES = ("weft", "triton")  # what these define does not change while a program runs


class Captured:
    """The compile-time globals that a kernel and its callees see, read again when one changes.

    A global rebound between two launches means new code, so `key` belongs to the key of a cache.

    Args: kernel: whose globals.
    seen: what the key was read from.
    """

    __slots__ = ("_is_read", "_kernel", "_key", "seen")

    def __init__(self, kernel: KernelFunction) -> None:
        self._kernel = kernel
        self.seen: list[_Name] = []
        self._is_read = False
        self._key: tuple[object, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether all that `key` was last read from is as it was."""
        try:
            for look_up, name, value in self.seen:
                if look_up(name) is not value:
                    return False
        except (KeyError, ValueError):
            return False
        return self._is_read

    @property
    def key(self) -> tuple[object, ...]:
        """Return what two moments share only if the kernel means the same at both."""
        if not self.unchanged:
            self._read()
        return self._key

    def _read(self) -> None:
        seen: list[_Name] = []
        found: list[object] = []
        for function in _reachable(self._kernel):
            found.append(id(function))
            seen += (each for each in _free(function) if not _is_fixed(each[2]))
            found += [(name, *_identity(value)) for name, value in _constants(function)]
        self._key = tuple(found)
        self.seen[:] = seen
        self._is_read = True


def fingerprint(kernel: KernelFunction) -> str:
    """Return a digest of the sources of a kernel and its callees, and of their globals."""
    digest = hashlib.sha256()
    for function in _reachable(kernel):
        digest.update(f"{function.qualified_name}\n{function.source.text}\n".encode())
        for name, value in _constants(function):
            digest.update(f"{name} = {_identity(value)}\n".encode())
    return digest.hexdigest()


def _constants(function: KernelFunction) -> Iterator[tuple[str, object]]:
    for _, name, value in _free(function):
        if type(value).__name__ == _CONSTANT or isinstance(value, int | float | str):
            yield name, value


def _identity(value: object) -> tuple[str, str]:
    return type(value).__name__, repr(value)


def _is_fixed(value: object) -> bool:
    """Tell whether a value is the language itself or Python's own, which nobody rebinds."""
    if isinstance(value, ModuleType):
        return value.__name__.startswith(_LANGUAGES)
    return getattr(builtins, getattr(value, "__name__", ""), None) is value


def _reachable(kernel: KernelFunction) -> Iterator[KernelFunction]:
    """Yield the kernel and all it may call, each once, in a fixed order."""
    waiting, seen = [kernel], {kernel.fn}
    while waiting:
        function = waiting.pop()
        yield function
        for *_, value in _free(function):
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


def _free(function: KernelFunction) -> Iterator[_Name]:
    """Yield the names that a function takes from outside, and those it takes from modules there."""
    code = function.fn.__code__
    for name in (*code.co_names, *code.co_freevars):
        try:
            value = function.resolve(name)
        except KeyError:  # the name of an attribute
            continue
        yield function.resolve, name, value
        if isinstance(value, ModuleType) and not value.__name__.startswith(_LANGUAGES):
            members = vars(value)
            used = (each for each in code.co_names if each in members)
            yield from ((members.__getitem__, each, members[each]) for each in used)
