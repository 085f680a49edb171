"""Dumps of a kernel's stages, and files in place of what stages return."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.backend.amd_assemblers import has_assembler
from weft import knobs
from weft.compiler.artifact import Artifact
from weft.compiler.build import build
from weft.compiler.kernel_files import source_key
from weft.compiler.options import options_for
from weft.compiler.signature import Signature
from weft.errors import CodegenError, WeftError
from weft.targets import target


@weft.jit
def add(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) + 77.0)


SIGNATURE = Signature.of(add, "*fp32:16, 128")
STAGES = {
    "cuda:90": {"ttir", "ttgir", "llir", "ptx"},
    "hip:gfx942": {"ttir", "ttgir", "llir", "amdgcn", "hsaco"},
}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "files"))
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "files"))
    return tmp_path / "files" / source_key(add, SIGNATURE)


def compiled(chip: str = "cuda:90") -> Artifact:
    return build(add, SIGNATURE, options_for(target(chip), {}), target(chip))


@pytest.mark.parametrize("chip", STAGES)
def test_dumps(chip, folder, monkeypatch):
    compiled(chip)
    assert not folder.exists()
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    artifact = compiled(chip)  # from the disk cache
    assert STAGES[chip] <= artifact.blobs.keys()
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert files == {f"add.{stage}": blob for stage, blob in artifact.blobs.items()}


@pytest.mark.parametrize("chip", STAGES)
@pytest.mark.parametrize("stage", ["ttir", "ttgir", "llir", "assembly"])
def test_overrides(chip, stage, folder, monkeypatch, capsys):
    assembly = "ptx" if chip.startswith("cuda") else "amdgcn"
    stage = assembly if stage == "assembly" else stage
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    before = compiled(chip)
    file = folder / f"add.{stage}"
    for each in folder.iterdir():
        if each != file:
            each.unlink()
    old, new = ("7.700000e+01", "7.800000e+01") if "ttir ttgir".find(stage) >= 0 else ("", "")
    text = file.read_text()
    if old:
        assert old in text
        file.write_text(text.replace(old, new))
    else:
        comment = {"llir": "\n; edited\n", "ptx": "\n// edited\n", "amdgcn": "\n; edited\n"}
        file.write_text(text + comment[stage])
    edited = file.read_text()
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    assert compiled(chip).blobs[assembly] == before.blobs[assembly]
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    if stage == "amdgcn" and not has_assembler("gfx942"):
        with pytest.raises(CodegenError, match="Cannot find an assembler that supports gfx942"):
            compiled(chip)
        return
    after = compiled(chip)
    assert f"\nOverriding kernel with file {file}" in capsys.readouterr().out
    if old:
        assert after.blobs[assembly] != before.blobs[assembly]
    else:
        assert after.blobs[stage].decode() == edited
    monkeypatch.delenv("TRITON_KERNEL_OVERRIDE")
    assert compiled(chip).blobs[assembly] == before.blobs[assembly], "not stored"


def test_a_launch_on_the_cpu_device(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path))
    kernel, x = weft.jit(add.fn), np.zeros(128, np.float32)
    with knobs.compilation.scope():
        knobs.compilation.dump_ir = True
        kernel[(1,)](x, 128)
        (file,) = tmp_path.glob("*/add.ttir")
        file.write_text(file.read_text().replace("7.700000e+01", "1.000000e+00"))
        knobs.compilation.override = True
        kernel[(1,)](x, 128)
    assert x[0] == 78


def test_a_directory_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "file"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    with pytest.raises(WeftError, match="cannot write dumps of kernels"):
        compiled()
