r"""What is kept on disk from one process to the next: entries by key, each a file of its own.

    store = Store.open()                       # the directory that weft.knobs.cache says
    store.put(key, {"kernel": "add"}, {"ptx": b"…", "cubin": b"…"})
    entry = store.get(key)                     # None: not there, or not as it was written
    entry.facts["kernel"], entry.blobs["cubin"]

An entry is written under another name and then renamed, so that whoever reads it, in whichever
process, finds all of it or nothing. Its digest stands in its first line: what was cut short or
changed is no entry, and is made again. A directory that cannot be written costs one warning.

    weft entry 1 <sha256 of the rest>\n
    {"facts": {…}, "sizes": {"ptx": 812, …}}\n
    the blobs one after another, each compressed
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
import warnings
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from weft import knobs

__all__ = ["Entry", "Listed", "Store", "versions"]

_MAGIC = b"weft entry 1 "
_SUFFIX = ".weft"
_PARTIAL = ".partial"  # while it is written
_ABANDONED_S = 3600.0  # such a file of this age belongs to a process that ended


class Blobs(Mapping[str, bytes]):
    """Named bytes of an entry, decompressed when they are asked for."""

    def __init__(self, packed: Mapping[str, bytes]) -> None:
        self._packed = packed

    def __getitem__(self, name: str) -> bytes:
        return zlib.decompress(self._packed[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one key stands for: facts that JSON can say, and bytes by name."""

    facts: Mapping[str, Any]
    blobs: Mapping[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry as `weft cache list` shows it.

    size: bytes on disk.  used: when it was last read or written, seconds since 1970.
    """

    key: str
    path: Path
    size: int
    used: float

    def facts(self) -> Mapping[str, Any]:
        """Return what the entry says of itself, without a look at the rest; {} if it is damaged."""
        try:
            with self.path.open("rb") as file:
                file.readline()
                return json.loads(file.readline())["facts"]
        except (OSError, ValueError, KeyError):
            return {}


@dataclass(slots=True)
class Store:
    """Entries in a directory.

    Args: path: of the directory; it is made when the first entry is written.
    """

    path: Path
    is_writable: bool = True

    @staticmethod
    def open() -> Store:
        """Return the store of this process, in the directory that `weft.knobs.cache.dir` says."""
        return _store(knobs.cache.dir)

    def get(self, key: str) -> Entry | None:
        """Return an entry; None where there is none that is whole."""
        file = self._file(key)
        try:
            data = file.read_bytes()
        except OSError:
            return None
        entry = _decoded(data)
        with contextlib.suppress(OSError):  # it may be another's, or gone by now
            if entry is None:
                file.unlink()
            else:
                os.utime(file)
        return entry

    def put(self, key: str, facts: Mapping[str, Any], blobs: Mapping[str, bytes]) -> bool:
        """Write an entry, in place of the one that is there.

        Args: facts: what JSON can say.
        Returns: whether it was written; where it cannot be, the first time warns.
        """
        if not self.is_writable:
            return False
        file = self._file(key)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._write(file, _encoded(facts, blobs))
        except OSError as error:
            self.is_writable = False
            warnings.warn(
                f"weft keeps no compiled kernels: {self.path}: {error.strerror or error}; "
                "WEFT_CACHE_DIR names another directory",
                RuntimeWarning,
                stacklevel=2,
            )
            return False
        return True

    @staticmethod
    def _write(file: Path, data: bytes) -> None:
        handle, partial = tempfile.mkstemp(_PARTIAL, f"{file.stem[:16]}-", file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(partial, file)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(partial)
            raise

    def entries(self) -> list[Listed]:
        """Return the entries, the one used last first."""
        found: list[Listed] = []
        for file in self._files(f"*{_SUFFIX}"):
            with contextlib.suppress(OSError):
                about = file.stat()
                found.append(Listed(file.stem, file, about.st_size, about.st_mtime))
        return sorted(found, key=lambda one: -one.used)

    def clear(self, older_than_s: float = 0.0) -> tuple[int, int]:
        """Delete the entries that were not used for some time, and what was never finished.

        Returns: how many entries, and their bytes.
        """
        now, count, size = time.time(), 0, 0
        for one in self.entries():
            if now - one.used >= older_than_s:
                with contextlib.suppress(OSError):
                    one.path.unlink()
                    count, size = count + 1, size + one.size
        for file in self._files(f"*{_PARTIAL}"):
            with contextlib.suppress(OSError):
                if now - file.stat().st_mtime >= _ABANDONED_S:
                    file.unlink()
        return count, size

    def _files(self, pattern: str) -> list[Path]:
        return sorted(self.path.glob(f"??/{pattern}"))

    def _file(self, key: str) -> Path:
        return self.path / key[:2] / f"{key}{_SUFFIX}"


@cache
def _store(path: Path) -> Store:
    return Store(path)


def _encoded(facts: Mapping[str, Any], blobs: Mapping[str, bytes]) -> bytes:
    packed = {name: zlib.compress(blob, 1) for name, blob in blobs.items()}
    sizes = {name: len(blob) for name, blob in packed.items()}
    head = json.dumps({"facts": facts, "sizes": sizes}).encode()
    rest = b"".join((head, b"\n", *packed.values()))
    return b"".join((_MAGIC, hashlib.sha256(rest).hexdigest().encode(), b"\n", rest))


def _decoded(data: bytes) -> Entry | None:
    """Return the entry whose file this is; None if it is not as it was written."""
    first, _, rest = data.partition(b"\n")
    if first != _MAGIC + hashlib.sha256(rest).hexdigest().encode():
        return None
    head, _, body = rest.partition(b"\n")
    said, packed, start = json.loads(head), {}, 0
    for name, size in said["sizes"].items():
        packed[name] = body[start : start + size]
        start += size
    return Entry(said["facts"], Blobs(packed))


@cache
def versions() -> str:
    """Return what all that weft makes depends on: the releases it is made of, and its own files.

    A file counts with its size and its time: a copy of weft that is being changed makes anew what
    it kept before the change.
    """
    from importlib.metadata import version

    from weft import __version__

    digest = hashlib.sha256()
    for name, size, changed in sorted(_sources(Path(__file__).parents[1])):
        digest.update(f"{name} {size} {changed}\n".encode())
    return f"{__version__} llvmlite {version('llvmlite')} {digest.hexdigest()}"


def _sources(root: Path) -> Iterator[tuple[str, int, int]]:
    """Yield name, bytes and time of change of the files that weft consists of."""
    waiting = [str(root)]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for one in found:
                if one.is_dir():
                    waiting.append(one.path)
                elif one.name.endswith((".py", ".toml")):
                    about = one.stat()
                    yield one.path[len(str(root)) :], about.st_size, about.st_mtime_ns
