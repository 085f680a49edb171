"""Entries on disk: whole or not there, whoever writes them and however that ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import knobs
from weft.compiler import build as building
from weft.compiler.cache import Store, versions
from weft.errors import CodegenError, WeftError

KEY = "ab" + "0" * 62


@weft.jit
def double(x, BLOCK: tl.constexpr = 128):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * 2)


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "cache")


def only(store: Store) -> Path:
    (entry,) = store.entries()
    return entry.path


def test_what_is_written_is_read(store):
    assert store.get(KEY) is None
    assert store.put(KEY, {"name": "k", "sizes": [1, 2]}, {"ptx": b"p" * 999, "cubin": b"\0\n\xff"})
    entry = store.get(KEY)
    assert entry is not None
    assert entry.facts == {"name": "k", "sizes": [1, 2]}
    assert dict(entry.blobs) == {"ptx": b"p" * 999, "cubin": b"\0\n\xff"}
    assert [each.key for each in store.entries()] == [KEY]
    assert not list(store.path.glob("??/*.partial"))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_an_entry_that_was_cut_or_changed_is_none(tmp_path_factory, data):
    store = Store(tmp_path_factory.mktemp("cache"))
    store.put(KEY, {"name": "k"}, {"ptx": b"text", "cubin": bytes(range(256))})
    file = only(store)
    whole = file.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        file.write_bytes(whole[:at])
    else:
        flipped = whole[at] ^ data.draw(st.integers(1, 255))
        file.write_bytes(whole[:at] + bytes([flipped]) + whole[at + 1 :])
    assert store.get(KEY) is None
    assert not store.entries(), "it is deleted, to be made again"


def test_entries_are_listed_by_when_they_were_used_and_cleared_by_age(store):
    keys = [f"{n:02x}" + "1" * 62 for n in range(3)]
    for age, key in enumerate(keys):
        store.put(key, {}, {"ptx": b"x"})
        os.utime(store.path / key[:2] / f"{key}.weft", (0, time.time() - 1000 * age))
    store.get(keys[1])
    assert [each.key for each in store.entries()] == [keys[1], keys[0], keys[2]]
    (abandoned, young) = (store.path / "00" / f"{name}.partial" for name in "ab")
    abandoned.touch()
    young.touch()
    os.utime(abandoned, (0, 0))
    size = store.entries()[2].size
    assert store.clear(older_than_s=500) == (1, size)
    assert (abandoned.exists(), young.exists()) == (False, True)
    assert store.clear() == (2, 2 * size)
    assert store.clear() == (0, 0)


@pytest.mark.parametrize("state", ["read-only", "a file", "full"])
def test_a_directory_that_takes_nothing_costs_one_warning(store, state, monkeypatch):
    if state == "a file":
        store.path.write_text("")
    elif state == "full":

        def full(*args: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Store, "_write", staticmethod(full))
    else:

        def denied(*args: object, **options: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "mkdir", denied)
    with pytest.warns(RuntimeWarning, match="weft keeps no compiled kernels: .*WEFT_CACHE_DIR"):
        assert not store.put(KEY, {}, {"ptx": b"x"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not store.put(KEY, {}, {"ptx": b"x"})
    assert store.get(KEY) is None


def test_a_write_that_ends_early_leaves_nothing(store, monkeypatch):
    def ended(source: str, target: str) -> None:
        raise KeyboardInterrupt

    store.path.mkdir()
    monkeypatch.setattr(os, "replace", ended)
    with pytest.raises(KeyboardInterrupt):
        store.put(KEY, {}, {"ptx": b"x"})
    assert not list(store.path.glob("*/*"))


def test_the_directory_is_the_environment_s_or_the_user_s(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "a"))
    assert Store.open().path == tmp_path / "a"
    assert Store.open() is Store.open()
    monkeypatch.delenv("WEFT_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
    assert Store.open().path == tmp_path / "b" / "weft"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Store.open().path == tmp_path / ".cache" / "weft"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert Store.open().path == tmp_path / "Library" / "Caches" / "weft"
    monkeypatch.setattr(Path, "expanduser", lambda path: (_ for _ in ()).throw(RuntimeError()))
    assert Store.open().path.name == f"weft-{os.getuid()}"
    monkeypatch.undo()
    monkeypatch.setenv("WEFT_CACHE_DIR", " ")
    with pytest.raises(WeftError, match="invalid value of environment variable WEFT_CACHE_DIR"):
        assert knobs.cache.dir


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    return FakeCuda(monkeypatch)


def compiled(monkeypatch) -> list[str]:
    """Return a list to which the name of each kernel is added that is compiled."""
    made: list[str] = []
    in_truth = building._compiled

    def counted(kernel, *rest):
        made.append(kernel.name)
        return in_truth(kernel, *rest)

    monkeypatch.setattr(building, "_compiled", counted)
    return made


def launched(**options: object) -> object:
    """Launch as a new process would: with nothing in memory."""
    return weft.jit(double.fn)[(1,)](Tensor(), **options)


def test_a_kernel_is_compiled_once_for_all_processes(gpu, monkeypatch):
    made = compiled(monkeypatch)
    first, second = launched(), launched()
    assert made == ["double"]
    assert first.hash == second.hash
    assert dict(first.asm) == dict(second.asm)
    assert first.metadata == second.metadata
    assert gpu.loaded[0] == gpu.loaded[1]


def test_what_the_code_depends_on_is_its_key(gpu, monkeypatch):
    made = compiled(monkeypatch)
    launched()
    launched(num_warps=8)
    launched(BLOCK=64)
    gpu.capability = 80
    from weft.launch.drivers.cuda.driver import CudaDriver

    CudaDriver.get().capabilities.clear()
    launched()
    monkeypatch.setattr(building, "versions", lambda: "another release")
    launched()
    assert made == ["double"] * 5
    launched()
    assert made == ["double"] * 5


def test_a_damaged_entry_is_made_again(gpu, monkeypatch):
    made = compiled(monkeypatch)
    launched()
    file = only(Store.open())
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    launched()
    assert made == ["double"] * 2
    assert file.read_bytes()[:80] == whole[:80]
    launched()
    assert made == ["double"] * 2


def test_a_directory_that_takes_nothing_launches_all_the_same(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "file"))
    gpu = FakeCuda(monkeypatch)
    with pytest.warns(RuntimeWarning, match="weft keeps no compiled kernels"):
        launched()
    launched(num_warps=2)
    assert len(gpu.launches) == 2


def test_a_kernel_that_llvm_refuses_is_an_error_and_not_kept(gpu, monkeypatch):
    lowered = building.lowered

    def broken(module, options):
        return replace(lowered(module, options), text="define void @double( {")

    monkeypatch.setattr(building, "lowered", broken)
    for _ in range(2):
        with pytest.raises(CodegenError, match="LLVM refuses double for cuda:90"):
            launched()
    assert not Store.open().entries()
    monkeypatch.undo()


def test_the_digest_of_weft_follows_its_files(monkeypatch, tmp_path):
    from weft.compiler import cache as store

    (tmp_path / "deep").mkdir()
    source = tmp_path / "deep" / "a.py"
    source.write_text("1")
    (tmp_path / "a.txt").write_text("no source")
    before = list(store._sources(tmp_path))
    assert [name for name, _, _ in before] == ["/deep/a.py"]
    source.write_text("12")
    assert list(store._sources(tmp_path)) != before
    assert versions().startswith(f"{weft.__version__} llvmlite ")


WRITER = """
import sys
from pathlib import Path
from weft.compiler.cache import Store
store, key, me = Store(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for n in range(60):
    store.put(key, {"writer": me}, {"blob": bytes([me]) * 200_000})
    entry = store.get(key)
    assert entry is not None
    assert entry.blobs["blob"] == bytes([entry.facts["writer"]]) * 200_000
"""


def test_processes_that_write_one_entry_at_once_all_read_it_whole(tmp_path):
    arguments = [sys.executable, "-c", WRITER, str(tmp_path), KEY]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    running = [subprocess.Popen([*arguments, str(n)], env=environment) for n in (1, 2, 3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert len(Store(tmp_path).entries()) == 1
