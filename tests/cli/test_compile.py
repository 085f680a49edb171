"""`weft compile`: what it prints, and where."""

from __future__ import annotations

import subprocess
import sys

import pytest

from weft.cli.compile import parse_assignments
from weft.errors import WeftError
from weft.ir.text import parse_module
from weft.language import float16

KERNELS = """\
@weft.jit
def copy(x, y, BLOCK: tl.constexpr, NAME: tl.constexpr = "none"):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


@weft.jit
def fill(y: "*fp32", value: tl.float32, BLOCK: tl.constexpr = 32):
    tl.store(y + tl.arange(0, BLOCK), value)


CASES = (
    (copy, "*fp32:16, *fp32, 64", {}, {"num_warps": 2}),
    (copy, "*fp16, *fp16, 128", {"NAME": "b"}, {}),
)
"""


@pytest.fixture
def file(kernel_file):
    return kernel_file(KERNELS)


def test_ttgir_by_default(weft_command, file):
    result = weft_command(
        "compile", f"{file}::copy", "-t", "hip:gfx942", "-s", "*fp32:16, *fp32:16, 256"
    )
    assert result.exit_code == 0
    assert '"ttg.threads-per-warp" = 64 : i32' in result.stdout
    assert 'ttg.target = "hip:gfx942"' in result.stdout
    assert "#blocked" in result.stdout
    assert "\x1b" not in result.stdout
    parse_module(result.stdout)


def test_ttir(weft_command, file):
    arguments = ("compile", f"{file}::copy", "-t", "cuda:90", "-s", "*fp32:16, *fp32, 64")
    result = weft_command(*arguments, "--emit", "ttir")
    assert "tensor<64x!tt.ptr<f32>>" in result.stdout
    assert "#blocked" not in result.stdout
    assert "tt.divisibility = 16" in result.stdout
    assert "loc(" not in result.stdout
    assert "kernels.py" in weft_command(*arguments, "--emit", "ttir", "--locations").stdout


def test_cases(weft_command, file):
    first = weft_command("compile", file, "-t", "cuda:90")
    assert '"ttg.num-warps" = 2' in first.stdout
    assert 'note: --signature "*fp32:16, *fp32, 64" (CASES[0] of 2' in first.stderr
    second = weft_command("compile", file, "-t", "cuda:90", "--case", "1", "--num-warps", "8")
    assert second.stderr == ""
    assert "tensor<128x!tt.ptr<f16>" in second.stdout
    assert '"ttg.num-warps" = 8' in second.stdout


def test_a_case_names_its_kernel(weft_command, kernel_file):
    both = KERNELS.replace("{}),\n)\n", '{}),\n    (fill, "*fp32, fp32, 16", {}, {}),\n)\n')
    file = kernel_file(both)
    third = weft_command("compile", file, "-t", "cuda:90", "--case", "2")
    assert "tt.func public @fill" in third.stdout
    named = weft_command("compile", f"{file}::fill", "-t", "cuda:90", "--case", "0")
    assert named.stdout == third.stdout
    neither = weft_command("compile", file, "-t", "cuda:90")
    assert "defines several kernels; name one" in neither.stderr


def test_no_such_case(weft_command, file):
    result = weft_command("compile", file, "-t", "cuda:90", "--case", "2")
    assert result.exit_code == 1
    assert "accepted: --case 0: *fp32:16, *fp32, 64, --case 1: *fp16, *fp16, 128" in result.stderr
    result = weft_command("compile", f"{file}::fill", "-t", "cuda:90", "--case", "0")
    assert "has no CASES of this kernel" in result.stderr


def test_constants_of_a_case_stay(weft_command, file):
    result = weft_command("compile", file, "-t", "cuda:90", "--constexpr", "BLOCK=8")
    assert result.exit_code == 1
    assert "without --signature can only set constants" in result.stderr


def test_annotations_are_a_signature(weft_command, file):
    result = weft_command("compile", f"{file}::fill", "-t", "cuda:90", "-c", "BLOCK=64")
    assert result.exit_code == 0
    assert "tensor<64xf32" in result.stdout


def test_named_constants(weft_command, file):
    result = weft_command(
        "compile", f"{file}::copy", "-t", "cuda:90", "-s", "*i8, *i8", "-c", "BLOCK=16"
    )
    assert result.exit_code == 0
    assert "tensor<16x!tt.ptr<i8>" in result.stdout


def test_to_a_file_and_on_from_it(weft_command, file, tmp_path):
    ttir = tmp_path / "k.ttir"
    arguments = ("compile", file, "-t", "cuda:90", "--case", "0")
    # Without locations the names of variables are lost.
    assert weft_command(*arguments, "--emit", "ttir", "--locations", "-o", ttir).stdout == ""
    direct = weft_command(*arguments)
    result = weft_command("compile", ttir, "-t", "cuda:90", "--num-warps", "2")
    assert result.stdout == direct.stdout


def test_unwritable_output(weft_command, file, tmp_path):
    result = weft_command(
        "compile", file, "-t", "cuda:90", "--case", "0", "-o", tmp_path / "no" / "k"
    )
    assert result.exit_code == 1
    assert "cannot write the output" in result.stderr


def test_layouts(weft_command, file):
    result = weft_command("compile", file, "-t", "cuda:90", "--case", "0", "--emit", "layouts")
    assert result.stdout.startswith("copy  cuda:90  2 warps × 32 lanes")
    assert "#blocked" in result.stdout
    assert "conversions" in result.stdout


def test_stop_after(weft_command, file):
    arguments = ("compile", file, "-t", "cuda:90", "--case", "0")
    source = weft_command(*arguments, "--stop-after", "ttir", "--emit", "ttgir")
    assert source.exit_code == 1
    assert "copy is not compiled to ttgir" in source.stderr
    assert "found: --stop-after ttir" in source.stderr
    assert "accepted: --emit ttir" in source.stderr
    assert "#blocked" not in weft_command(*arguments, "--stop-after", "ttir").stdout
    unknown = weft_command(*arguments, "--stop-after", "ttgi")
    assert "unknown stage ttgi" in unknown.stderr
    assert "did you mean ttgir" in unknown.stderr
    assert "did you mean ttir" in weft_command(*arguments, "--emit", "ttirr").stderr


def test_the_cpu_device_stops_at_ttir(weft_command, file):
    result = weft_command("compile", file, "-t", "cpu", "--case", "0")
    assert result.stdout.startswith("module {")
    refused = weft_command("compile", file, "-t", "cpu", "--case", "0", "--emit", "layouts")
    assert "unknown stage ttgir" in refused.stderr
    assert "accepted: source, ttir" in refused.stderr


def test_emit_source(weft_command, file):
    source = weft_command("compile", file, "-t", "cuda:90", "--case", "0", "--emit", "source")
    assert "module {" in source.stdout


def test_assignments():
    assert parse_assignments(["A=1", "B = (1, 2)", "C=relu", "D=a=b", "E=tl.float16"], "-c") == {
        "A": 1, "B": (1, 2), "C": "relu", "D": "a=b", "E": float16,
    }  # fmt: skip
    with pytest.raises(WeftError, match="takes NAME=VALUE"):
        parse_assignments(["A"], "--constexpr")


def test_another_process(file):
    """The command in a subprocess: exit codes, and no colour in a pipe."""

    def run(*args):
        return subprocess.run(
            [sys.executable, "-m", "weft", *map(str, args)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    good = run("compile", file, "-t", "cuda:90", "--case", "0")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("#blocked = ")
    bad = run("compile", file, "-t", "cuda:91", "--case", "0")
    assert (bad.returncode, bad.stdout) == (1, "")
    assert "error: unknown target" in bad.stderr
    assert run("compile", file).returncode == 2
    assert run("--version").stdout == "weft 0.1.0\n"
