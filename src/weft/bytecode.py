"""What Python compiles for weft, in one file beside the byte code that Python keeps.

    __pycache__/__init__.cpython-311.pyc     Python's own, of the module weft alone
    __pycache__/__init__.cpython-311.kept    the code of all modules that any process has loaded

A first compile loads three hundred modules. For each of them Python looks into a directory, asks
the system four times about the source and its byte code, opens, reads and closes. With one file,
one question is left for each: whether the source is the one, by time and size, that was compiled.
`made` keeps what weft itself computes from its own source and files: constructors, rows of facts.

A process that had to make something adds it when it ends. A file that is not as it was written is
made again, one that cannot be written is let be, and `-B`, `-O` and PYTHONPYCACHEPREFIX mean what
they always do. In the file stand

    _FORM          of this file, and MAGIC_NUMBER of Python's byte code
    8 bytes        the length of the index
    index          marshal: by name what the value was made from, and where it starts and ends
    values         marshal, one after another
"""

from __future__ import annotations

import atexit
import marshal
import os
import sys
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source, spec_from_file_location
from mmap import ACCESS_READ, mmap
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

__all__ = ["Finder", "Kept", "keep", "made", "state_of"]

_PACKAGES = ("weft", "xdsl")
_INIT = os.sep + "__init__.py"
_FORM = b"weft kept 1\n" + MAGIC_NUMBER
_LENGTH = 8


class Kept:
    """Values by name in a file, each with what it was made from.

    Args: file: may be missing, and may hold anything.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.known = _read(file)
        self.added: dict[str, tuple[Any, bytes]] = {}

    def get(self, name: str) -> tuple[Any, bytes | memoryview] | None:
        """Return what a value was made from, and the value as marshal writes it."""
        return self.added.get(name) or self.known.get(name)

    def put(self, name: str, source: Any, value: Any) -> None:
        """Keep a value from the end of this process on. Raises: ValueError: marshal has no form."""
        if not self.added:
            atexit.register(self.write)
        self.added[name] = (source, marshal.dumps(value))

    def made(self, name: str, source: Any, make: Callable[[], Any]) -> Any:
        """Return what `make` returns, the same for the same source; None is not kept."""
        entry = self.get(name)
        if entry is not None and entry[0] == source:
            value = _value(entry[1])
            if value is not None:
                return value
        if (value := make()) is not None:
            self.put(name, source, value)
        return value

    def write(self) -> None:
        """Write what was read and added: all of it, or nothing."""
        if sys.dont_write_bytecode:
            return
        index, values, end = {}, [], 0
        for name, (source, value) in (self.known | _read(self.file) | self.added).items():
            index[name] = (source, end, end := end + len(value))
            values.append(value)
        head = marshal.dumps(index)
        partial = f"{self.file}.{os.getpid()}"
        try:
            with open(partial, "wb") as file:
                file.write(_FORM + len(head).to_bytes(_LENGTH, "little") + head)
                file.writelines(values)
            os.replace(partial, self.file)
        except OSError:
            with suppress(OSError):
                os.unlink(partial)


def _read(file: str) -> dict[str, tuple[Any, bytes | memoryview]]:
    """Return what is in a file; nothing, where it has another form or is not whole."""
    start = len(_FORM) + _LENGTH
    try:
        with open(file, "rb") as opened:
            data = memoryview(mmap(opened.fileno(), 0, access=ACCESS_READ))
        if data[: len(_FORM)] != _FORM:
            return {}
        head = int.from_bytes(data[len(_FORM) : start], "little")
        index, values = marshal.loads(data[start : start + head]), data[start + head :]
        if max(end for *_, end in index.values()) != len(values):
            return {}
        return {name: (source, values[at:end]) for name, (source, at, end) in index.items()}
    except (OSError, ValueError, EOFError, TypeError, AttributeError):
        return {}


def _value(data: bytes | memoryview) -> Any:
    """Return a value; None, where the data are not as they were written."""
    try:
        return marshal.loads(data)
    except (ValueError, EOFError, TypeError):
        return None


def state_of(file: str) -> tuple[int, int] | None:
    """Return when a file was last changed, in ns, and its bytes; None: there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class Finder:
    """Finds modules in packages, for sys.meta_path: their code is kept from then on.

    Args: packages: the names of those at the top.
    """

    def __init__(self, kept: Kept, packages: Sequence[str] = _PACKAGES) -> None:
        self.kept, self.packages = kept, packages

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module in a package; None lets Python's other finders look."""
        if path is None or name.partition(".")[0] not in self.packages:
            return None
        entry = self.kept.get(name)
        if entry is not None:
            under, file, cached, state = entry[0]
            if [under] == list(path) and state_of(file) == state:
                inside = [file.removesuffix(_INIT)] if file.endswith(_INIT) else None
                loader = _Loader(name, file, entry[1])
                spec = spec_from_file_location(
                    name, file, loader=loader, submodule_search_locations=inside
                )
                if spec is not None:
                    spec.cached = cached
                return spec
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader and len(path) == 1:
            source = (path[0], spec.loader.path, spec.cached)
            spec.loader = _Keeping(name, spec.loader.path, source, self.kept)
        return spec


class _Loader(SourceFileLoader):
    """Loads a module whose code is at hand."""

    def __init__(self, name: str, file: str, code: bytes | memoryview) -> None:
        super().__init__(name, file)
        self.code = code

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module; where it is not as it was written, as Python does."""
        code = _value(self.code)
        return code if isinstance(code, CodeType) else super().get_code(fullname)


class _Keeping(SourceFileLoader):
    """Loads a module as Python does, and keeps its code."""

    def __init__(self, name: str, file: str, source: tuple[Any, ...], kept: Kept) -> None:
        super().__init__(name, file)
        self.source, self.kept = source, kept

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module."""
        state, code = state_of(self.path), super().get_code(fullname)
        self.kept.put(fullname, (*self.source, state), code)
        return code


_source = os.path.join(os.path.dirname(__file__), "__init__.py")
_kept = Kept(cache_from_source(_source).removesuffix("pyc") + "kept")
made = _kept.made


def keep() -> None:
    """Let the modules of weft and of xDSL be found here."""
    sys.meta_path.insert(0, Finder(_kept))
