"""The input and the pipeline of each stage, in files that run again."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.compiler.build import build
from weft.compiler.options import options_for
from weft.compiler.signature import Signature
from weft.targets import target


@weft.jit
def double(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) * 2)


@pytest.mark.parametrize(
    ("chip", "lowering"),
    [
        ("cuda:90", "convert-triton-gpu-to-llvm{compute-capability=90}"),
        ("hip:gfx942", "convert-triton-amdgpu-to-llvm{gfx-arch=gfx942}"),
    ],
)
def test_reproducers(chip, lowering, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(tmp_path / "bug"))
    signature = Signature.of(double, "*fp32:16, 128")
    chip_target = target(chip)
    artifact = build(double, signature, options_for(chip_target, {}), chip_target)
    files = {each: tmp_path / f"bug.make_{each}.repro.mlir" for each in ("ttir", "ttgir", "llir")}
    assert lowering in files["llir"].read_text()
    for stage in ("ttir", "ttgir"):
        flags = ["--run-reproducer", "--mlir-use-nameloc-as-prefix"]
        command = [sys.executable, "-m", "weft", "opt", *flags, files[stage]]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        assert run.stdout.strip() == artifact.blobs[stage].decode().strip()


def test_a_reproducer_on_standard_error(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", "-")
    monkeypatch.chdir(tmp_path)
    weft.jit(double.fn)[(1,)](np.zeros(64, np.float32), 64)
    assert "mlir_reproducer" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_no_reproducer(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("TRITON_REPRODUCER_PATH", raising=False)
    monkeypatch.chdir(tmp_path)
    weft.jit(double.fn)[(1,)](np.zeros(64, np.float32), 64)
    assert "mlir_reproducer" not in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
