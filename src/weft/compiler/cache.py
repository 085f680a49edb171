r"""The disk cache: entries by key, one file each, shared by all processes of a user.

    cache = DiskCache.open()                   # in the directory weft.knobs.cache.dir
    cache.put(key, {"kernel": "add"}, {"ptx": b"…", "cubin": b"…"})
    entry = cache.get(key)                     # None: missing or damaged
    entry.metadata["kernel"], entry.blobs["cubin"]

An entry is written to a temporary file, which is then renamed, so that a reader in any process sees
a whole entry or none. The first line holds a digest of the rest: a truncated or modified file is
deleted and compiled again. A directory that cannot be written causes one warning.

    weft entry 1 <sha256 of the rest>\n
    {"metadata": {…}, "sizes": {"ptx": 812, …}}\n
    the blobs one after another, each compressed by zlib
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

from msgspec import Struct

from weft import knobs
from weft.version import __version__

__all__ = ["CacheEntry", "CacheFile", "DiskCache", "toolchain_version"]

_MAGIC = b"weft entry 1 "
_SUFFIX = ".weft"
_TEMPORARY_SUFFIX = ".partial"
_ABANDONED_AFTER_S = 3600.0  # a temporary file of this age belongs to a process that ended


class CompressedBlobs(Mapping[str, bytes]):
    """The blobs of an entry by name, decompressed on access."""

    def __init__(self, compressed: Mapping[str, bytes]) -> None:
        self._compressed = compressed

    def __getitem__(self, name: str) -> bytes:
        return zlib.decompress(self._compressed[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._compressed)

    def __len__(self) -> int:
        return len(self._compressed)


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """The value of a key.

    Attributes:
        metadata: Anything that JSON can represent.
        blobs: Bytes by name.
    """

    metadata: Mapping[str, Any]
    blobs: Mapping[str, bytes] = field(repr=False)


class CacheFile(Struct, frozen=True):
    """A file of the cache, as `weft cache list` shows it.

    Attributes:
        key: The entry's key.
        path: The file.
        size: Bytes on disk.
        last_used: When it was last read or written, in seconds since 1970.
    """

    key: str
    path: Path
    size: int
    last_used: float

    def metadata(self) -> Mapping[str, Any]:
        """Read the entry's metadata without its blobs; {} if the file is damaged."""
        try:
            with self.path.open("rb") as file:
                file.readline()
                return json.loads(file.readline())["metadata"]
        except (OSError, ValueError, KeyError):
            return {}


class DiskCache(Struct):
    """A directory of entries.

    Attributes:
        path: The directory, created with the first entry.
        is_writable: False after a write failed.
    """

    path: Path
    is_writable: bool = True

    @staticmethod
    def open() -> DiskCache:
        """Get this process's cache in the directory that `weft.knobs.cache.dir` names."""
        return _cache_in(Path(knobs.cache.dir))

    def get(self, key: str) -> CacheEntry | None:
        """Read an entry; None if it is missing or damaged."""
        file = self._file(key)
        try:
            data = file.read_bytes()
        except OSError:
            return None
        entry = _decode(data)
        with contextlib.suppress(OSError):  # another user's file, or deleted in the meantime
            if entry is None:
                file.unlink()
            else:
                os.utime(file)
        return entry

    def put(self, key: str, metadata: Mapping[str, Any], blobs: Mapping[str, bytes]) -> bool:
        """Write an entry, replacing an existing one.

        Args:
            key: The entry's key.
            metadata: Anything that JSON can represent.
            blobs: Bytes by name.

        Returns:
            Whether it was written. The first failure warns.
        """
        if not self.is_writable:
            return False
        file = self._file(key)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._write(file, _encode(metadata, blobs))
        except OSError as error:
            self.is_writable = False
            warnings.warn(
                f"weft cannot write its kernel cache: {self.path}: {error.strerror or error}; "
                "set WEFT_CACHE_DIR to another directory",
                RuntimeWarning,
                stacklevel=2,
            )
            return False
        return True

    @staticmethod
    def _write(file: Path, data: bytes) -> None:
        handle, temporary = tempfile.mkstemp(_TEMPORARY_SUFFIX, f"{file.stem[:16]}-", file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(temporary, file)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def files(self) -> list[CacheFile]:
        """List the entries, most recently used first."""
        files: list[CacheFile] = []
        for path in self._glob(f"*{_SUFFIX}"):
            with contextlib.suppress(OSError):
                status = path.stat()
                files.append(CacheFile(path.stem, path, status.st_size, status.st_mtime))
        return sorted(files, key=lambda file: -file.last_used)

    def clear(self, older_than_s: float = 0.0) -> tuple[int, int]:
        """Delete the entries that were not used for some time, and abandoned temporary files.

        Returns:
            The number of deleted entries, and their bytes.
        """
        now, count, size = time.time(), 0, 0
        for file in self.files():
            if now - file.last_used >= older_than_s:
                with contextlib.suppress(OSError):
                    file.path.unlink()
                    count, size = count + 1, size + file.size
        for path in self._glob(f"*{_TEMPORARY_SUFFIX}"):
            with contextlib.suppress(OSError):
                if now - path.stat().st_mtime >= _ABANDONED_AFTER_S:
                    path.unlink()
        return count, size

    def _glob(self, pattern: str) -> list[Path]:
        return sorted(self.path.glob(f"??/{pattern}"))

    def _file(self, key: str) -> Path:
        return self.path / key[:2] / f"{key}{_SUFFIX}"


@cache
def _cache_in(path: Path) -> DiskCache:
    return DiskCache(path)


def _encode(metadata: Mapping[str, Any], blobs: Mapping[str, bytes]) -> bytes:
    compressed = {name: zlib.compress(blob, 1) for name, blob in blobs.items()}
    sizes = {name: len(blob) for name, blob in compressed.items()}
    header = json.dumps({"metadata": metadata, "sizes": sizes}).encode()
    rest = b"".join((header, b"\n", *compressed.values()))
    return b"".join((_MAGIC, hashlib.sha256(rest).hexdigest().encode(), b"\n", rest))


def _decode(data: bytes) -> CacheEntry | None:
    """Decode the content of a file; None if the digest does not match."""
    first_line, _, rest = data.partition(b"\n")
    if first_line != _MAGIC + hashlib.sha256(rest).hexdigest().encode():
        return None
    header_line, _, body = rest.partition(b"\n")
    header, compressed, start = json.loads(header_line), {}, 0
    for name, size in header["sizes"].items():
        compressed[name] = body[start : start + size]
        start += size
    return CacheEntry(header["metadata"], CompressedBlobs(compressed))


@cache
def toolchain_version() -> str:
    """Identify the versions of weft and LLVM that compiled code depends on.

    Each source file of weft counts with its size and modification time, so that an edited checkout
    does not use what it compiled before the edit.
    """
    from importlib.metadata import version  # slow to import

    digest = hashlib.sha256()
    for name, size, modified in sorted(_source_files(Path(__file__).parents[1])):
        digest.update(f"{name} {size} {modified}\n".encode())
    return f"{__version__} llvmlite {version('llvmlite')} {digest.hexdigest()}"


def _source_files(root: Path) -> Iterator[tuple[str, int, int]]:
    """Yield relative path, size and modification time (ns) of weft's source files."""
    folders = [str(root)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.name.endswith((".py", ".toml")):
                    status = entry.stat()
                    yield entry.path[len(str(root)) :], status.st_size, status.st_mtime_ns
