"""`weft compile --emit llir|ptx|amdgcn`: machine code as text, with no GPU."""

from __future__ import annotations

import pytest

KERNELS = """\
@weft.jit
def copy(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


@weft.jit
def count(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.arange(0, 16), tl.histogram(tl.load(x + i), 16))
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


def test_a_form_of_another_vendor_is_an_error_that_lists_the_chips_own(weft_command, file):
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
    assert "hip:gfx942 has no ptx" in result.stderr
    assert "llir, amdgcn" in result.stderr


def test_an_operation_that_cannot_be_lowered_is_an_error_at_its_line(weft_command, file):
    result = weft_command(
        "compile",
        f"{file}::count",
        "--signature",
        SIGNATURE,
        "--target",
        "cuda:90",
        "--emit",
        "ptx",
    )
    assert result.exit_code == 1
    assert "tt.histogram cannot be lowered to LLVM IR" in result.stderr
    assert "tl.histogram(tl.load(x + i), 16)" in result.stderr
