"""Kernels are compiled once for all processes, and again when their code changes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft.compiler import build
from weft.compiler.cache import DiskCache
from weft.errors import CodegenError
from weft.launch.drivers.cuda.driver import CudaDriver


@weft.jit
def double(x, BLOCK: tl.constexpr = 128):  # pyright: ignore[reportArgumentType]
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * 2)


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    return FakeCuda(monkeypatch)


def record_compilations(monkeypatch) -> list[str]:
    """Return a list to which the name of each compiled kernel is added."""
    compilations: list[str] = []
    compile_ = build._compile

    def recording(kernel, *rest):
        compilations.append(kernel.name)
        return compile_(kernel, *rest)

    monkeypatch.setattr(build, "_compile", recording)
    return compilations


def launch(**options: object) -> Any:
    """Launch like a new process, without anything in memory."""
    return weft.jit(double.fn)[(1,)](Tensor(), **options)


def test_a_kernel_is_compiled_once_for_all_processes(gpu, monkeypatch):
    compilations = record_compilations(monkeypatch)
    first, second = launch(), launch()
    assert compilations == ["double"]
    assert first.hash == second.hash
    assert dict(first.asm) == dict(second.asm)
    assert first.metadata == second.metadata
    assert gpu.loaded[0] == gpu.loaded[1]


def test_everything_that_the_code_depends_on_is_in_the_key(gpu, monkeypatch):
    compilations = record_compilations(monkeypatch)
    launch()
    launch(num_warps=8)
    launch(BLOCK=64)
    gpu.capability = 80
    CudaDriver.get().capabilities.clear()
    launch()
    monkeypatch.setattr(build, "toolchain_version", lambda: "another version")
    launch()
    assert compilations == ["double"] * 5
    launch()
    assert compilations == ["double"] * 5


def test_a_damaged_entry_is_compiled_again(gpu, monkeypatch):
    compilations = record_compilations(monkeypatch)
    launch()
    (file,) = (each.path for each in DiskCache.open().files())
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    launch()
    assert compilations == ["double"] * 2
    assert file.read_bytes()[:80] == whole[:80]
    launch()
    assert compilations == ["double"] * 2


def test_kernels_launch_without_a_writable_cache(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "file"))
    gpu = FakeCuda(monkeypatch)
    with pytest.warns(RuntimeWarning, match="weft cannot write its kernel cache"):
        launch()
    launch(num_warps=2)
    assert len(gpu.launches) == 2


def test_a_kernel_that_llvm_rejects_is_not_cached(gpu, monkeypatch):
    lower_ttgir = build.lower_ttgir

    def broken(module, options):
        return replace(lower_ttgir(module, options), text="define void @double( {")

    monkeypatch.setattr(build, "lower_ttgir", broken)
    for _ in range(2):
        with pytest.raises(CodegenError, match="LLVM refuses double for cuda:90"):
            launch()
    assert not DiskCache.open().files()
