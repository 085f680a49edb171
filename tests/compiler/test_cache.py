"""The disk cache: readers see a whole entry or none."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import knobs
from weft.compiler import cache as cache_module
from weft.compiler.cache import DiskCache, toolchain_version
from weft.errors import WeftError

KEY = "ab" + "0" * 62


@pytest.fixture
def cache(tmp_path) -> DiskCache:
    return DiskCache(tmp_path / "cache")


def only_file(cache: DiskCache) -> Path:
    (file,) = cache.files()
    return file.path


def test_an_entry_is_read_as_it_was_written(cache):
    assert cache.get(KEY) is None
    assert cache.put(KEY, {"name": "k", "sizes": [1, 2]}, {"ptx": b"p" * 999, "cubin": b"\0\n\xff"})
    entry = cache.get(KEY)
    assert entry is not None
    assert entry.metadata == {"name": "k", "sizes": [1, 2]}
    assert dict(entry.blobs) == {"ptx": b"p" * 999, "cubin": b"\0\n\xff"}
    assert [each.key for each in cache.files()] == [KEY]
    assert not list(cache.path.glob("??/*.partial"))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_truncated_or_modified_entry_is_deleted(tmp_path_factory, data):
    cache = DiskCache(tmp_path_factory.mktemp("cache"))
    cache.put(KEY, {"name": "k"}, {"ptx": b"text", "cubin": bytes(range(256))})
    file = only_file(cache)
    whole = file.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        file.write_bytes(whole[:at])
    else:
        flipped = whole[at] ^ data.draw(st.integers(1, 255))
        file.write_bytes(whole[:at] + bytes([flipped]) + whole[at + 1 :])
    assert cache.get(KEY) is None
    assert not cache.files(), "a damaged file is deleted"


def test_entries_are_listed_by_use_and_cleared_by_age(cache):
    keys = [f"{n:02x}" + "1" * 62 for n in range(3)]
    for age, key in enumerate(keys):
        cache.put(key, {}, {"ptx": b"x"})
        os.utime(cache.path / key[:2] / f"{key}.weft", (0, time.time() - 1000 * age))
    cache.get(keys[1])
    assert [each.key for each in cache.files()] == [keys[1], keys[0], keys[2]]
    (abandoned, recent) = (cache.path / "00" / f"{name}.partial" for name in "ab")
    abandoned.touch()
    recent.touch()
    os.utime(abandoned, (0, 0))
    size = cache.files()[2].size
    assert cache.clear(older_than_s=500) == (1, size)
    assert (abandoned.exists(), recent.exists()) == (False, True)
    assert cache.clear() == (2, 2 * size)
    assert cache.clear() == (0, 0)


@pytest.mark.parametrize("state", ["read-only", "a file", "full"])
def test_a_directory_that_cannot_be_written_warns_once(cache, state, monkeypatch):
    if state == "a file":
        cache.path.write_text("")
    elif state == "full":

        def full(*args: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(DiskCache, "_write", staticmethod(full))
    else:

        def denied(*args: object, **options: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "mkdir", denied)
    with pytest.warns(RuntimeWarning, match="weft cannot write its kernel cache: .*WEFT_CACHE_DIR"):
        assert not cache.put(KEY, {}, {"ptx": b"x"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not cache.put(KEY, {}, {"ptx": b"x"})
    assert cache.get(KEY) is None


def test_an_interrupted_write_leaves_no_file(cache, monkeypatch):
    def interrupt(source: str, target: str) -> None:
        raise KeyboardInterrupt

    cache.path.mkdir()
    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cache.put(KEY, {}, {"ptx": b"x"})
    assert not list(cache.path.glob("*/*"))


def test_directory_of_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "a"))
    assert DiskCache.open().path == tmp_path / "a"
    assert DiskCache.open() is DiskCache.open()
    monkeypatch.delenv("WEFT_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
    assert DiskCache.open().path == tmp_path / "b" / "weft"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert DiskCache.open().path == tmp_path / ".cache" / "weft"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert DiskCache.open().path == tmp_path / "Library" / "Caches" / "weft"
    monkeypatch.setattr(Path, "expanduser", lambda path: (_ for _ in ()).throw(RuntimeError()))
    assert DiskCache.open().path.name == f"weft-{os.getuid()}"
    monkeypatch.undo()
    monkeypatch.setenv("WEFT_CACHE_DIR", " ")
    with pytest.raises(WeftError, match="invalid value of environment variable WEFT_CACHE_DIR"):
        assert knobs.cache.dir


def test_toolchain_version_depends_on_the_source_files(monkeypatch, tmp_path):
    (tmp_path / "deep").mkdir()
    source = tmp_path / "deep" / "a.py"
    source.write_text("1")
    (tmp_path / "a.txt").write_text("not a source file")
    before = list(cache_module._source_files(tmp_path))
    assert [name for name, _, _ in before] == ["/deep/a.py"]
    source.write_text("12")
    assert list(cache_module._source_files(tmp_path)) != before
    assert toolchain_version().startswith(f"{weft.__version__} llvmlite ")


WRITER = """
import sys
from pathlib import Path
from weft.compiler.cache import DiskCache
cache, key, writer = DiskCache(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for n in range(60):
    cache.put(key, {"writer": writer}, {"blob": bytes([writer]) * 200_000})
    entry = cache.get(key)
    assert entry is not None
    assert entry.blobs["blob"] == bytes([entry.metadata["writer"]]) * 200_000
"""


def test_processes_that_write_the_same_entry(tmp_path):
    arguments = [sys.executable, "-c", WRITER, str(tmp_path), KEY]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    running = [subprocess.Popen([*arguments, str(n)], env=environment) for n in (1, 2, 3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert len(DiskCache(tmp_path).files()) == 1
