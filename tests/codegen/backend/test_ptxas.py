"""ptxas: search order, outputs and errors."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import weft
from weft.codegen import LlvmModule, Machine, lower
from weft.codegen.backend import ptxas
from weft.codegen.backend.ptxas import VARIABLE, every_ptxas, ptxas_for
from weft.codegen.llvm.module import Launch
from weft.errors import CodegenError
from weft.targets import target

CHIPS = ("cuda:80", "cuda:90", "cuda:100", "cuda:120")
ELF = b"\x7fELF"

FAKE = """\
#!/bin/sh
case "$1" in
  --version) echo "Cuda compilation tools, release {release}, V{release}.1" ;;
  --help) echo "Allowed values: {chips}" ;;
  *) echo "ptxas fatal : {refusal}" >&2; exit 255 ;;
esac
"""


def fake(folder: Path, release: str, *chips: str, refusal: str = "no") -> Path:
    """Write a program that answers as ptxas does, and assembles nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "ptxas"
    known = ",".join(f"'{chip}'" for chip in chips)
    file.write_text(FAKE.format(release=release, chips=known, refusal=refusal))
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


@pytest.fixture
def only(monkeypatch):
    """Let nothing be found but by CUDA_HOME, CUDA_PATH and PATH."""
    monkeypatch.setattr(ptxas, "_in_package", lambda *_: [])
    monkeypatch.setattr(
        ptxas, "_matching", lambda *at: [path for path in ["/".join(at)] if os.path.exists(path)]
    )
    for name in (VARIABLE, "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "")
    return monkeypatch


def assembler_for(processor: str) -> ptxas.Ptxas:
    """Find the ptxas for a chip; fail where there is none."""
    assembler = ptxas_for(processor)
    assert assembler is not None
    return assembler


def test_newest_ptxas_that_supports_the_chip(only, tmp_path):
    old = fake(tmp_path / "old/bin", "12.4", "sm_80", "sm_90a")
    new = fake(tmp_path / "new/bin", "13.0", "sm_90a")
    only.setenv("CUDA_HOME", str(tmp_path / "new"))
    only.setenv("PATH", str(old.parent))
    assert ptxas_for("sm_90a") == ptxas.Ptxas(str(new), (13, 0), frozenset({"sm_90a"}))
    assert assembler_for("sm_80").path == str(old)
    assert ptxas_for("sm_100a") is None


def test_triton_ptxas_is_the_last_choice(only, tmp_path):
    theirs = fake(tmp_path / "triton", "13.1", "sm_90a", "sm_100a")
    ours = fake(tmp_path / "bin", "12.4", "sm_90a")
    only.setattr(ptxas, "_in_package", lambda name, _: [str(theirs)] if name == "triton" else [])
    only.setenv("PATH", str(ours.parent))
    assert assembler_for("sm_90a").path == str(ours)
    assert assembler_for("sm_100a").path == str(theirs)


def test_environment_variable_overrides_the_search(only, tmp_path):
    fake(tmp_path / "new/bin", "13.0", "sm_90a", "sm_100a")
    chosen = fake(tmp_path / "asked", "12.4", "sm_90a")
    only.setenv("CUDA_PATH", str(tmp_path / "new"))
    only.setenv(VARIABLE, str(chosen))
    assert assembler_for("sm_90a").path == str(chosen)
    with pytest.raises(CodegenError, match="the ptxas of WEFT_PTXAS does not know sm_100a"):
        ptxas_for("sm_100a")


@pytest.mark.parametrize("given", ["/nowhere/ptxas", "/bin/true"])
def test_environment_variable_with_an_invalid_path(only, given):
    only.setenv(VARIABLE, given)
    with pytest.raises(CodegenError, match="WEFT_PTXAS is not the path of a ptxas"):
        ptxas_for("sm_90a")


def test_ptxas_error_is_reported(only, tmp_path):
    only.setenv(VARIABLE, str(fake(tmp_path, "12.4", "sm_90a", refusal="Unsupported .version 9.9")))
    module = LlvmModule("", "k", target("cuda:90"), Launch(4))
    with pytest.raises(CodegenError, match="ptxas refuses k for cuda:90") as caught:
        assembler_for("sm_90a").assemble(module, b".version 9.9\n")
    assert "Unsupported .version 9.9" in str(caught.value)
    assert "CUDA 12.4" in str(caught.value)


def test_missing_ptxas(only, tmp_path):
    file = fake(tmp_path, "12.4", "sm_90a")
    only.setenv(VARIABLE, str(file))
    assembler = assembler_for("sm_90a")
    file.unlink()
    with pytest.raises(CodegenError, match="ptxas does not start"):
        assembler.assemble(LlvmModule("", "k", target("cuda:90"), Launch(4)), b"")


@pytest.mark.parametrize("chip", CHIPS)
def test_a_kernel_becomes_a_cubin(chip):
    from examples.vector_add import vector_add

    actual = ptxas_for(target(chip).llvm_cpu)
    if actual is None:
        pytest.skip("no ptxas that knows the chip on this machine")
    compiled = weft.compile(
        vector_add, signature="*fp32:16, *fp32:16, *fp32:16, i32:16, 1024", target=chip
    )
    module = lower(compiled.module("ttgir"))
    machine = Machine()
    cubin = actual.assemble(module, machine.emit(module, "assembly"))
    machine.close()
    assert cubin.image.startswith(ELF)
    assert b"vector_add" in cubin.image
    assert 8 <= cubin.registers <= 64
    assert cubin.spill_stores == cubin.spill_loads == 0
    with pytest.raises(CodegenError, match=f"ptxas refuses vector_add for {chip}"):
        actual.assemble(module, b"no PTX at all")


SPILLING = """\
#!/bin/sh
case "$*" in
  --version) echo "release 13.0, V13.0.1" ;;
  --help) echo "'sm_90a'" ;;
  *level=$LEVEL*) {again} ;;
  *level=*) exit 1 ;;
  *) echo "Used 128 registers, 8 bytes spill stores, 8 bytes spill loads" >&2; printf '\\177ELFa' ;;
esac
"""


@pytest.mark.parametrize(
    ("again", "kept", "spilled"),
    [
        ("echo 'Used 140 registers' >&2; printf '\\177ELFb'", ELF + b"b", 0),
        (
            "echo '9 bytes spill stores, 9 bytes spill loads' >&2; printf '\\177ELFb'",
            ELF + b"a",
            16,
        ),
        ("echo 'unknown option' >&2; exit 1", ELF + b"a", 16),
    ],
)
@pytest.mark.parametrize("level", ["10", "0"])
def test_spilling_kernel_is_assembled_again(only, tmp_path, level, again, kept, spilled):
    file = fake(tmp_path, "13.0", "sm_90a")
    file.write_text(SPILLING.format(again=again))
    only.setenv("LEVEL", level)
    only.setenv(VARIABLE, str(file))
    cubin = assembler_for("sm_90a").assemble(LlvmModule("", "k", target("cuda:90"), Launch(4)), b"")
    assert cubin.image == kept
    assert cubin.spilled == spilled


def test_a_kernel_that_spills_much_is_assembled_once(only, tmp_path):
    file = fake(tmp_path, "13.0", "sm_90a")
    again = f"echo again >> {tmp_path}/log; printf '\\177ELFb'"
    text = SPILLING.format(again=again).replace("8 bytes", "600 bytes")
    file.write_text(text.replace("*level=*) exit 1", f"*level=*) {again}"))
    only.setenv("LEVEL", "10")
    only.setenv(VARIABLE, str(file))
    cubin = assembler_for("sm_90a").assemble(LlvmModule("", "k", target("cuda:90"), Launch(4)), b"")
    assert cubin.image == ELF + b"a"
    assert not (tmp_path / "log").exists()


def test_list_of_all_ptxas(only, tmp_path):
    theirs = fake(tmp_path / "triton", "13.1", "sm_90a")
    ours = fake(tmp_path / "bin", "12.4", "sm_90a", "sm_80")
    only.setattr(ptxas, "_in_package", lambda name, _: [str(theirs)] if name == "triton" else [])
    only.setenv("PATH", str(ours.parent))
    assert [one.path for one in every_ptxas("sm_90a")] == [str(theirs), str(ours)]
    assert [one.path for one in every_ptxas("sm_80")] == [str(ours)]
