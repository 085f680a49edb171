"""`triton.runtime.cache`: files that programs store beside compiled kernels.

manager = get_cache_manager(key)
path = manager.put(text, "name.json")         # in the key's folder below knobs.cache.dir
manager.get_file("name.json")                 # the path; None if it is not there
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

from weft import knobs
from weft.compat.unsupported import unsupported_names
from weft.compiler.cache import toolchain_version

__all__ = [
    "CacheManager",
    "FileCacheManager",
    "RemoteCacheBackend",
    "get_cache_key",
    "get_cache_manager",
    "get_dump_manager",
    "get_override_manager",
    "make_so_cache_key",
    "triton_key",
]

__getattr__ = unsupported_names("triton.runtime.cache", "weft's cache is a directory")


class CacheManager(ABC):
    """Files of one key."""

    @abstractmethod
    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        """Select the files of a key."""

    @abstractmethod
    def get_file(self, filename: str) -> str | None:
        """Get the path of a file; None if it is not there."""

    @abstractmethod
    def put(self, data: str | bytes, filename: str, binary: bool = True) -> str:
        """Write a file.

        Returns:
            Its path.
        """

    @abstractmethod
    def get_group(self, filename: str) -> dict[str, str] | None:
        """Get the paths of a group of files by name; None if it is not there."""

    @abstractmethod
    def put_group(self, filename: str, group: Mapping[str, str]) -> str:
        """Write the list of a group of files.

        Returns:
            Its path.
        """


class FileCacheManager(CacheManager):
    """Files of one key in a directory.

    Attributes:
        key: The key.
        cache_dir: The directory.
        lock_path: A file that Triton locks; weft replaces files atomically.
    """

    def __init__(
        self, key: str, override: bool = False, dump: bool = False, directory: str | None = None
    ) -> None:
        self.key = key
        folder = knobs.cache.dump_dir if dump else directory or knobs.cache.dir
        self.cache_dir = os.path.join(knobs.cache.override_dir if override else folder, key)
        self.lock_path = os.path.join(self.cache_dir, "lock")
        if not override:
            os.makedirs(self.cache_dir, exist_ok=True)

    def has_file(self, filename: str) -> bool:
        """Check whether a file is there."""
        return os.path.exists(self._path(filename))

    def get_file(self, filename: str) -> str | None:
        """Get the path of a file; None if it is not there."""
        return self._path(filename) if self.has_file(filename) else None

    def put(self, data: str | bytes | object, filename: str, binary: bool = True) -> str:
        """Write a file atomically; return its path."""
        content = data if isinstance(data, bytes) else str(data).encode()
        path = self._path(filename)
        with tempfile.NamedTemporaryFile(dir=self.cache_dir, delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
        return path

    def get_group(self, filename: str) -> dict[str, str] | None:
        """Get the paths of the files of a group that are there; None if it has no list."""
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        group: dict[str, str] = json.loads(Path(path).read_text())["child_paths"]
        return {name: file for name, file in group.items() if os.path.exists(file)}

    def put_group(self, filename: str, group: Mapping[str, str]) -> str:
        """Write the list of a group; return its path."""
        return self.put(json.dumps({"child_paths": dict(group)}), f"__grp__{filename}")

    def _path(self, filename: str) -> str:
        return os.path.join(self.cache_dir, filename)


class RemoteCacheBackend(ABC):
    """A cache on another machine."""

    @abstractmethod
    def __init__(self, key: str) -> None:
        """Select the files of a key."""

    @abstractmethod
    def get(self, filenames: list[str]) -> dict[str, bytes]:
        """Read files."""

    @abstractmethod
    def put(self, filename: str, data: bytes) -> None:
        """Write a file."""


def get_cache_manager(key: str) -> CacheManager:
    """Get the files of a key, by `knobs.cache.manager_class` if it is set."""
    cls = knobs.cache.manager_class or FileCacheManager
    return cls(_file_name(key))


def get_override_manager(key: str) -> CacheManager:
    """Get the files of a key in `knobs.cache.override_dir`."""
    return FileCacheManager(_file_name(key), override=True)


def get_dump_manager(key: str) -> CacheManager:
    """Get the files of a key in `knobs.cache.dump_dir`."""
    return FileCacheManager(_file_name(key), dump=True)


def _file_name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def triton_key() -> str:
    """Get a text that changes with the compiler: the versions of weft and its libraries."""
    return toolchain_version()


def make_so_cache_key(version_hash: str, signature: Mapping[object, str], constants: Mapping[
    object, object], ids: object, **kwargs: object) -> str:  # fmt: skip
    """Compute the key of a launcher."""
    parts = [version_hash, *signature.values(), *(f"{k}={v}" for k, v in constants.items()), ids]
    parts += [f"{name}={value}" for name, value in kwargs.items()]
    return _file_name("-".join(map(str, parts)))


def get_cache_key(src: object, backend: object, backend_options: object, env_vars: object) -> str:
    """Compute the key of a compilation."""
    parts = (triton_key(), getattr(src, "hash", lambda: src)(), backend, backend_options, env_vars)
    return _file_name("-".join(map(str, parts)))
