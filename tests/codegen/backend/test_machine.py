"""The LLVM worker process: its output, its errors and restarts after a crash."""

from __future__ import annotations

import pytest

import weft
from weft.codegen import LlvmModule, lower
from weft.codegen.llvm.module import Launch
from weft.errors import CodegenError
from weft.targets import known_targets, target

STAGE = "convert"
CHIPS = [chip for chip in known_targets() if chip != "cpu"]
TRIPLES = {"cuda": "nvptx64-nvidia-cuda", "hip": "amdgcn-amd-amdhsa"}
CONVENTIONS = {"cuda": "ptx_kernel", "hip": "amdgpu_kernel"}


def written(chip: str, body: str, declarations: str = "") -> LlvmModule:
    """Return a module with one kernel of a few lines."""
    backend = target(chip).backend
    text = (
        f'target triple = "{TRIPLES[backend]}"\n'
        f"define {CONVENTIONS[backend]} void @k(ptr addrspace(3) %p) {{\n"
        f"entry:\n{body}  ret void\n}}\n{declarations}"
    )
    return LlvmModule(text, "k", target(chip), Launch(4))


@pytest.mark.parametrize("chip", CHIPS)
def test_assembly_and_object_on_every_chip(chip, machine):
    from examples.vector_add import vector_add

    compiled = weft.compile(
        vector_add,
        signature="*fp32:16, *fp32:16, *fp32:16, i32:16, 1024",
        target=chip,
        stop_after=STAGE,
    )
    module = lower(compiled.module("ttgir"))
    text = machine.emit(module, "assembly").decode()
    if target(chip).backend == "cuda":
        assert f".target {target(chip).llvm_cpu}" in text
        assert "ld.global.b32" in text
        assert "st.global.b32" in text
    else:
        assert "global_load_" in text
        assert "s_endpgm" in text
        assert machine.emit(module, "object")[:4] == b"\x7fELF"
    assert b"fadd contract" in machine.emit(module, "llir")


def test_invalid_llvm_ir_reports_the_llvm_error(machine):
    broken = LlvmModule("define void @k( {", "k", target("cuda:90"), Launch(4))
    with pytest.raises(CodegenError, match="LLVM refuses k for cuda:90") as caught:
        machine.emit(broken, "assembly")
    assert "expected" in str(caught.value)


# Instructions that a chip does not have: LLVM cannot select them, and aborts.
FOREIGN = {
    "cuda:80": (
        "  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %p, i32 0)\n",
        "declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3), i32)\n",
    ),
    "hip:gfx942": (
        "  %x = call <2 x i32> @llvm.amdgcn.ds.read.tr8.b64.v2i32(ptr addrspace(3) %p)\n"
        "  store <2 x i32> %x, ptr addrspace(3) %p\n",
        "declare <2 x i32> @llvm.amdgcn.ds.read.tr8.b64.v2i32(ptr addrspace(3))\n",
    ),
}


@pytest.mark.parametrize("chip", FOREIGN)
def test_llvm_crash_is_an_error_and_the_worker_restarts(chip, machine):
    with pytest.raises(CodegenError, match=f"LLVM aborted while compiling k for {chip}"):
        machine.emit(written(chip, *FOREIGN[chip]), "assembly")
    assert b"k" in machine.emit(written(chip, ""), "assembly")


def test_killed_worker_is_restarted(machine):
    module = written("cuda:90", "")
    machine.emit(module, "assembly")
    machine.process.kill()
    machine.process.wait()
    assert b"k" in machine.emit(module, "assembly")


def test_worker_killed_during_a_request_is_an_error(machine, monkeypatch):
    module = written("cuda:90", "")
    machine.emit(module, "assembly")
    monkeypatch.setattr(type(machine.process), "poll", lambda self: None)
    machine.process.kill()
    with pytest.raises(CodegenError, match="LLVM aborted while compiling k") as caught:
        machine.emit(module, "assembly")
    assert "no message; signal 9" in str(caught.value)
    assert b"k" in machine.emit(module, "assembly")


def test_an_interrupted_request_leaves_no_reply_to_the_next(machine, monkeypatch):
    interrupted, module = written("cuda:90", ""), written("hip:gfx942", "")

    def raise_interrupt(stream):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("weft.codegen.backend.machine.receive", raise_interrupt)
        with pytest.raises(KeyboardInterrupt):
            machine.emit(interrupted, "assembly")
    assert b"s_endpgm" in machine.emit(module, "assembly")
