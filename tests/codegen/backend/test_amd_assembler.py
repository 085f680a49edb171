"""Objects of kernels with inline assembly, by an LLVM that parses AMDGCN."""

from __future__ import annotations

import stat

import pytest

import weft
import weft.language as tl
from tests.codegen.backend.amd_assemblers import has_assembler
from weft.codegen import Machine, lower
from weft.codegen.backend import amd_assembler
from weft.codegen.backend.hsaco.objects import read_object
from weft.errors import CodegenError

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
needs_assembler = pytest.mark.skipif(
    not all(map(has_assembler, CHIPS)), reason="needs an assembler of AMDGCN"
)


@weft.jit
def double(x_ptr, INLINE: tl.constexpr, TEXT: tl.constexpr, BLOCK: tl.constexpr):
    """Double numbers, by an instruction that the kernel writes or that LLVM selects."""
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    if INLINE:
        y = tl.inline_asm_elementwise(TEXT, "=v,v", [x], dtype=tl.float32, is_pure=True, pack=1)
    else:
        y = x + x
    tl.store(x_ptr + offsets, y)


def compiled(chip: str, *, inline: bool, text: str = "v_add_f32 $0, $1, $1") -> weft.CompiledKernel:
    constants = {"INLINE": inline, "TEXT": text}
    return weft.compile(
        double,
        signature="*fp32:16, constexpr, constexpr, 256",
        constexprs=constants,
        target=f"hip:{chip}",
    )


def section(code: bytes, name: str) -> bytes:
    """Return the contents of a section of an object."""
    (data,) = (each.data for each in read_object(code).sections if each.name == name)
    return data


@needs_assembler
@pytest.mark.parametrize("chip", CHIPS)
def test_inline_assembly_becomes_a_code_object(chip):
    kernel = compiled(chip, inline=True)
    assert "v_add_f32" in kernel.asm["amdgcn"]
    assert kernel.asm["hsaco"].startswith(b"\x7fELF")


@needs_assembler
@pytest.mark.parametrize("chip", CHIPS)
def test_the_assembler_writes_the_object_that_llvm_writes(chip, machine: Machine):
    module = lower(compiled(chip, inline=False).module("ttgir"))
    assert not amd_assembler.is_needed(module)
    direct = machine.emit(module, "object")
    assembled = amd_assembler.assemble(module, machine.emit(module, "assembly"))
    for name in (".text", ".rodata"):
        assert section(assembled, name) == section(direct, name)


@needs_assembler
def test_an_unknown_instruction_is_an_error():
    kernel = compiled("gfx942", inline=True, text="v_no_such $0, $1")
    with pytest.raises(CodegenError, match="the assembler refuses double for hip:gfx942") as error:
        kernel.asm["hsaco"]
    assert "v_no_such" in str(error.value)


def test_without_an_assembler_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setattr(amd_assembler, "_commands", lambda chip: iter(()))
    kernel = compiled("gfx942", inline=True, text="v_mul_f32 $0, 2.0, $1")
    with pytest.raises(
        CodegenError, match="Cannot find an assembler that supports gfx942"
    ) as error:
        kernel.asm["hsaco"]
    assert "rocm-sdk-core" in str(error.value)


def test_a_program_that_does_not_start_is_skipped(tmp_path, monkeypatch):
    program = tmp_path / "llvm/bin/clang"
    program.parent.mkdir(parents=True)
    program.write_bytes(b"not a program")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    first = next(amd_assembler._commands("gfx942"))
    monkeypatch.setattr(amd_assembler, "_commands", lambda chip: iter([first]))
    module = lower(compiled("gfx942", inline=True).module("ttgir"))
    with pytest.raises(CodegenError, match="the assembler refuses double") as error:
        amd_assembler.assemble(module, b"")
    assert f"{program}: Exec format error" in str(error.value)


def test_the_assembler_of_rocm_comes_first(tmp_path, monkeypatch):
    for variable in ("ROCM_PATH", "HIP_PATH"):
        folder = tmp_path / variable / "llvm/bin"
        folder.mkdir(parents=True)
        program = folder / "clang"
        program.write_text("#!/bin/sh\ncat > /dev/null\nprintf '\\177ELF %s' \"$*\"\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        with monkeypatch.context() as environment:
            environment.setenv(variable, str(tmp_path / variable))
            module = lower(compiled("gfx942", inline=True).module("ttgir"))
            assert amd_assembler.is_needed(module)
            code = amd_assembler.assemble(module, b"")
        assert code.startswith(b"\x7fELF -x assembler")
        assert b"-mcpu=gfx942" in code


@pytest.mark.parametrize(
    "answer",
    [
        "echo \"'gfx942' is not a recognized processor for this target\" >&2; printf '\\177ELF'",
        "echo \"error: unknown target CPU 'gfx942'\" >&2; exit 1",
    ],
)
def test_a_program_that_does_not_know_the_chip_is_not_asked_for_a_reason(
    tmp_path, monkeypatch, answer
):
    program = tmp_path / "llvm/bin/clang"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ncat > /dev/null\n{answer}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    first = next(amd_assembler._commands("gfx942"))
    monkeypatch.setattr(amd_assembler, "_commands", lambda chip: iter([first]))
    module = lower(compiled("gfx942", inline=True).module("ttgir"))
    with pytest.raises(CodegenError, match="Cannot find an assembler that supports gfx942"):
        amd_assembler.assemble(module, b"")
