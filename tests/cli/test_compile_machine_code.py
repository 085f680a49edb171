"""`weft compile --emit llir|ptx|cubin|amdgcn|hsaco`: machine code, with no GPU."""

from __future__ import annotations

import sys

import pytest

from weft.cli.output import write_bytes
from weft.codegen.backend.ptxas import VARIABLE, ptxas_for
from weft.codegen.lowering import registry
from weft.compiler import machine_code
from weft.errors import WeftError

KERNELS = """\
@weft.jit
def copy(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


@weft.jit
def count(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.arange(0, 16), tl.histogram(tl.load(x + i), 16))


@weft.jit
def product(x, y, z, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = i[:, None] * BLOCK + i[None, :]
    a = tl.load(x + at)
    b = tl.load(y + at)
    tl.store(z + at, tl.dot(a, b))


@weft.jit
def scaled(x, y, z, BLOCK: tl.constexpr):
    m, k, b = tl.arange(0, BLOCK), tl.arange(0, 32), tl.arange(0, 2)
    s = tl.load(y + m[:, None] * 2 + b[None, :])
    left = tl.load(x + m[:, None] * 32 + k[None, :])
    right = tl.load(x + k[:, None] + m[None, :] * 32)
    r = tl.dot_scaled(left, s, "e2m1", right, s, "e2m1")
    tl.store(z + m[:, None] * BLOCK + m[None, :], r)
"""
SIGNATURE = "*i32:16, *i32:16, 1024"


@pytest.fixture
def file(kernel_file):
    return kernel_file(KERNELS)


@pytest.mark.parametrize(
    ("target", "form", "expected"),
    [
        ("cuda:90", "ptx", [".target sm_90a", ".visible .entry copy(", "ld.global.v4.b32"]),
        ("cuda:80", "llir", ["define ptx_kernel void @copy(", "load <4 x i32>"]),
        ("hip:gfx942", "amdgcn", ["buffer_load_dwordx4", "s_endpgm"]),
        ("hip:gfx1201", "llir", ["define amdgpu_kernel void @copy("]),
    ],
)
def test_machine_code_as_text(weft_command, file, target, form, expected):
    result = weft_command(
        "compile", f"{file}::copy", "--signature", SIGNATURE, "--target", target, "--emit", form
    )
    assert result.exit_code == 0, result.output
    for text in expected:
        assert text in result.stdout


def test_a_form_of_another_vendor_is_an_error(weft_command, file):
    result = weft_command(
        "compile",
        f"{file}::copy",
        "--signature",
        SIGNATURE,
        "--target",
        "hip:gfx942",
        "--emit",
        "ptx",
    )
    assert result.exit_code == 1
    assert "hip:gfx942 has no stage ptx" in result.stderr
    assert "llir, amdgcn" in result.stderr


def test_an_operation_that_cannot_be_lowered_is_an_error_at_its_line(
    weft_command, file, monkeypatch
):
    assert "tt.dot" in registry._LOWERINGS
    monkeypatch.delitem(registry._LOWERINGS._rows, "tt.dot")
    result = weft_command(
        "compile",
        f"{file}::scaled",
        "--signature",
        "*u8:16, *u8:16, *fp32:16, 64",
        "--target",
        "hip:gfx942",
        "--emit",
        "amdgcn",
    )
    assert result.exit_code == 1
    assert "tt.dot cannot be lowered to LLVM IR" in result.stderr
    assert "tl.dot_scaled(left, s" in result.stderr


def compiled_to(weft_command, file, form, target="cuda:90", *options, signature=SIGNATURE):
    arguments = ("--signature", signature, "--target", target, "--emit", form, *options)
    return weft_command("compile", file, *arguments)


@pytest.fixture
def assembler():
    ptxas = ptxas_for("sm_90a")
    if ptxas is None:
        pytest.skip("no ptxas that knows the chip on this machine")
    return ptxas


def test_a_cubin_goes_to_a_file_or_a_pipe(weft_command, file, tmp_path, assembler):
    output = tmp_path / "copy.cubin"
    result = compiled_to(weft_command, f"{file}::copy", "cubin", "cuda:90", "-o", output)
    assert result.exit_code == 0, result.output
    assert output.read_bytes()[:4] == b"\x7fELF"
    piped = compiled_to(weft_command, f"{file}::copy", "cubin")
    assert piped.stdout_bytes == output.read_bytes()


@pytest.mark.parametrize("target", ["hip:gfx90a", "hip:gfx1250"])
def test_a_code_object_goes_to_a_file(weft_command, file, tmp_path, target):
    output = tmp_path / "copy.hsaco"
    result = compiled_to(weft_command, f"{file}::copy", "hsaco", target, "-o", output)
    assert result.exit_code == 0, result.output
    assert output.read_bytes()[:4] == b"\x7fELF"


def test_a_cubin_is_nothing_for_a_terminal(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with pytest.raises(WeftError, match="cannot print a binary file on a terminal") as caught:
        write_bytes(b"\x7fELF", "-")
    assert "-o FILE" in str(caught.value)


def test_without_ptxas_there_is_no_cubin(weft_command, file, monkeypatch):
    monkeypatch.setattr("weft.codegen.backend.ptxas.ptxas_for", lambda chip: None)
    result = compiled_to(weft_command, f"{file}::copy", "cubin")
    assert result.exit_code == 1
    assert "Cannot find a ptxas that supports sm_90a" in result.stderr
    assert "nvidia-cuda-nvcc" in result.stderr
    assert VARIABLE in result.stderr


def test_without_ptxas_the_driver_gets_ptx(monkeypatch, weft_command, file):
    import weft
    from examples.vector_add import vector_add

    monkeypatch.setattr("weft.codegen.backend.ptxas.ptxas_for", lambda chip: None)
    signature = "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024"
    compiled = weft.compile(vector_add, signature=signature, target="cuda:90")
    llvm = machine_code.lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    assert list(machine_code.launch_code(llvm)) == ["ptx"]


def test_with_ptxas_the_driver_gets_a_cubin(assembler):
    import weft
    from examples.vector_add import vector_add

    signature = "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024"
    compiled = weft.compile(vector_add, signature=signature, target="cuda:90")
    llvm = machine_code.lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    code = machine_code.launch_code(llvm)
    assert b".visible .entry vector_add(" in code["ptx"]
    assert code["cubin"][:4] == b"\x7fELF"


def test_a_file_of_ttgir_is_compiled_for_the_chip_it_is_made_for(
    weft_command, file, tmp_path, monkeypatch
):
    monkeypatch.setenv("WEFT_DISABLE_LINE_INFO", "1")
    saved = tmp_path / "copy.ttgir"
    compilation = compiled_to(weft_command, f"{file}::copy", "ttgir", "hip:gfx942", "-o", saved)
    assert compilation.exit_code == 0, compilation.output
    direct = compiled_to(weft_command, f"{file}::copy", "amdgcn", "hip:gfx942")
    result = weft_command("compile", saved, "--target", "hip:gfx942", "--emit", "amdgcn")
    assert result.exit_code == 0, result.output
    assert result.stdout == direct.stdout  # without the lines of the file
    other = weft_command("compile", saved, "--target", "hip:gfx950", "--emit", "amdgcn")
    assert other.exit_code == 1
    assert "is compiled for hip:gfx942" in other.stderr
    assert "accepted: target=hip:gfx942" in other.stderr


def test_a_file_of_ttir_goes_through_all_stages(weft_command, file, tmp_path):
    saved = tmp_path / "copy.ttir"
    compilation = compiled_to(weft_command, f"{file}::copy", "ttir", "cuda:90", "-o", saved)
    assert compilation.exit_code == 0, compilation.output
    result = weft_command("compile", saved, "--target", "cuda:80", "--emit", "ptx")
    assert result.exit_code == 0, result.output
    assert ".target sm_80" in result.stdout


@pytest.mark.parametrize("form", ["llir", "ptx"])
def test_an_output_that_cannot_be_written(weft_command, file, form, tmp_path):
    output = tmp_path / "nowhere" / "out"
    result = compiled_to(weft_command, f"{file}::copy", form, "cuda:90", "-o", output)
    assert result.exit_code == 1
    assert f"cannot write the output\n  found: {output}: No such file" in result.stderr


def test_a_cubin_that_cannot_be_written(weft_command, file, tmp_path, assembler):
    result = compiled_to(weft_command, f"{file}::copy", "cubin", "cuda:90", "-o", tmp_path)
    assert result.exit_code == 1
    assert f"cannot write the output\n  found: {tmp_path}: Is a directory" in result.stderr


def test_too_much_shared_memory_names_what_takes_it(weft_command, file):
    result = compiled_to(
        weft_command,
        f"{file}::product",
        "ptx",
        "cuda:120",
        "--num-warps",
        "8",
        signature="*fp16:16, *fp16:16, *fp32:16, 256",
    )
    assert result.exit_code == 1
    assert "kernels.py:" in result.stderr
    assert "product needs more shared memory than a block of cuda:120 has" in result.stderr
    assert "bytes: 131072 for 256x256xf16 of ttg.local_alloc" in result.stderr
    assert "accepted: at most 101376 bytes" in result.stderr
