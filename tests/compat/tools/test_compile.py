"""Kernels compiled to C files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from weft.codegen.backend.ptxas import ptxas_for
from weft.compat.as_triton import IMPORT_PATH
from weft.compat.tools.compile import CompileArgs, compile_kernel, main
from weft.errors import LaunchError

SOURCE = """
import weft
import weft.language as tl

@weft.jit
def scale(x, BLOCK: tl.constexpr, n, factor, stride):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i * stride, tl.load(x + i * stride, mask=i < n) * factor, mask=i < n)

@weft.jit
def of_a_pair(x):
    tl.store(x[0], x[1])
"""
SIGNATURE = "*fp32:16, 64, i32:16, fp32, i32:1"
needs_ptxas = pytest.mark.skipif(ptxas_for("sm_90a") is None, reason="no ptxas knows sm_90a")


@pytest.fixture
def arguments(tmp_path, monkeypatch) -> CompileArgs:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "kernels.py"
    file.write_text(SOURCE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return CompileArgs(
        str(file), "scale", SIGNATURE, "n / 64, 1, 1", "cuda:90:32", 4, out_path=tmp_path / "scale"
    )


@needs_ptxas
def test_files_and_names(arguments, tmp_path):
    name, files = compile_kernel(arguments)
    # Triton 3.7.1's names.
    assert name == "scale_5f3a92fb_0d2d4c"
    assert files == [tmp_path / f"scale.5f3a92fb_0d2d4c{suffix}" for suffix in (".h", ".c")]
    header, source = (file.read_text() for file in files)
    assert "CUresult scale_5f3a92fb_0d2d4c(CUstream stream, CUdeviceptr x, int32_t n, float factor)"
    assert "float factor, int32_t stride:64x1_warps4xstages3" in header
    assert "// BLOCK=64, stride=1, num_warps=4, num_stages=3" in source
    assert "{127,69,76,70," in source  # an ELF file
    assert "&x, &n, &factor, &global_scratch, &profile_scratch" in source


def test_an_amd_kernel_in_another_process(arguments):
    command = [sys.executable, "-m", "triton.tools.compile", arguments.path, "-n", "scale"]
    command += ["-s", SIGNATURE, "-g", arguments.grid, "-t", "hip:gfx942:64"]
    folder = Path(arguments.path).parent
    environment = {"PYTHONPATH": f"{IMPORT_PATH}:{':'.join(sys.path)}"}
    subprocess.run(command, check=True, cwd=folder, env=environment)
    assert len(list(folder.glob("scale.*.c"))) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"grid": "1"}, "three expressions"),
        ({"target": "cpu"}, "for GPUs"),
        ({"kernel_name": "shift"}, "has no shift"),
    ],
)
def test_wrong_arguments(arguments, changed, message):
    for name, value in changed.items():
        setattr(arguments, name, value)
    with pytest.raises(LaunchError, match=message):
        compile_kernel(arguments)


@needs_ptxas
def test_arguments_that_c_cannot_pass(arguments):
    arguments.kernel_name, arguments.signature = "of_a_pair", "(*i32, i32)"
    with pytest.raises(LaunchError, match="C code cannot pass argument x"):
        compile_kernel(arguments)


def test_the_command_line_names_what_is_missing(capsys):
    with pytest.raises(SystemExit):
        main(["kernels.py"])
    assert "--kernel-name" in capsys.readouterr().err
