"""Machine code of TTGIR, and targets or tools that are missing."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.codegen.backend import ptxas
from weft.compiler.machine_code import (
    assemble_cubin,
    emit_code,
    launch_code,
    lower_ttgir,
    start_llvm,
)
from weft.errors import CodegenError


@weft.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


def ttgir(target: str):
    compiled = weft.compile(fill, signature="*fp32, 128", target=target)
    return compiled.module("ttgir"), compiled.metadata.options


@pytest.mark.parametrize(
    ("target", "stage", "start"),
    [
        ("cuda:90", "llir", b"define"),
        ("cuda:90", "ptx", b".visible .entry fill"),
        ("hip:gfx942", "amdgcn", b"fill:"),
        ("hip:gfx942", "hsaco", b"\x7fELF"),
    ],
)
def test_stages(target, stage, start):
    module, options = ttgir(target)
    assert start in emit_code(module, stage, options)


def test_a_stage_of_another_back_end():
    module, options = ttgir("hip:gfx942")
    with pytest.raises(CodegenError, match="hip:gfx942 has no stage ptx") as caught:
        emit_code(module, "ptx", options)
    assert caught.value.accepted == ("llir", "amdgcn", "hsaco")


def test_without_ptxas(monkeypatch):
    monkeypatch.setattr(ptxas, "ptxas_for", lambda chip: None)
    llvm = lower_ttgir(*ttgir("cuda:90"))
    with pytest.raises(CodegenError, match="Cannot find a ptxas that supports sm_90") as caught:
        assemble_cubin(llvm)
    assert "nvidia-cuda-nvcc" in str(caught.value)
    assert list(launch_code(llvm)) == ["ptx"]


def test_what_a_launch_on_amd_needs():
    code = launch_code(lower_ttgir(*ttgir("hip:gfx942")))
    assert list(code) == ["amdgcn", "hsaco"]
    assert b"amdhsa_kernel" in code["amdgcn"]
    assert code["hsaco"][:4] == b"\x7fELF"


def test_start_in_the_background():
    start_llvm("sm_90a")
    start_llvm()
