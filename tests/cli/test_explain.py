"""`weft explain` from the command line: forms of the report, parts of it, comparisons."""

from __future__ import annotations

import json

import pytest

KERNELS = """\
@weft.jit
def turn(x, y, rows, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tile = tl.load(x + i * rows + j)
    tl.store(y + i + j * rows, tile)


CASES = ((turn, "*fp16:16, *fp16:16, i32:16, 64", {}, {}),)
"""


@pytest.fixture
def file(kernel_file):
    return kernel_file(KERNELS)


def test_text(weft_command, file):
    result = weft_command("explain", f"{file}::turn", "-t", "cuda:90")
    assert result.exit_code == 0, result.stderr
    for line in (
        "turn  cuda:90  4 warps × 32 lanes",
        "ledger: recorded",
        "Remaining conversions: 1, 8 KiB, 0 in loops",
        "tt.load at line 9 has #blocked, tt.store at line 10 needs #blocked1",
    ):
        assert line in result.stdout
    assert "Values" not in result.stdout


def test_values(weft_command, file):
    output = weft_command("explain", f"{file}::turn", "-t", "cuda:90", "--values").stdout
    assert "kernels.py:9  tile = tl.load(x + i * rows + j)" in output
    assert "tritongpu-coalesce: " in output


def test_difference_of_a_pass(weft_command, file):
    result = weft_command("explain", file, "-t", "cuda:90", "--diff", "tritongpu-coalesce")
    assert result.stdout.startswith("--- before tritongpu-coalesce\n+++ after tritongpu-coalesce")
    for arguments in ((file, "--diff", "cse"), ("x.ttgir", "-t", "cuda:90", "--diff", "cse")):
        result = weft_command("explain", *arguments)
        assert result.exit_code == 1
        assert "--diff needs a kernel whose passes run, and a target" in result.stderr


PROGRAM = """\
@weft.jit
def double(x, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(x + offsets, 2 * tl.load(x + offsets))


if __name__ == "__main__":
    import sys

    double[(1,)](np.ones(int(sys.argv[1]), np.float32), int(sys.argv[1]))
    double[(2,)](np.ones(int(sys.argv[1]), np.float32), int(sys.argv[1]))
    double[(1,)](np.ones(64, np.float16), 64)
"""


def test_launches_of_a_program(weft_command, kernel_file):
    arguments = kernel_file(PROGRAM), "-t", "cuda:90", "--launches", "--argument", "128"
    result = weft_command("explain", *arguments)
    assert result.exit_code == 0, result.stderr
    names = [line for line in result.stdout.splitlines() if line.startswith("double(")]
    assert names == ["double(*fp32:16, 128)", "double(*fp16:16, 64)"]
    reports = json.loads(weft_command("explain", *arguments, "--json").stdout)
    assert [each["memory"][0]["type"] for each in reports] == ["128xf32", "64xf16"]


def test_launches_have_their_own_signatures(weft_command, kernel_file):
    file = kernel_file(PROGRAM)
    result = weft_command("explain", file, "-t", "cuda:90", "--launches", "-s", "*fp32, 64")
    assert result.exit_code == 1
    assert "--launches takes a program, whose launches have the signatures" in result.stderr
    result = weft_command("explain", file, "-t", "cuda:90", "--argument", "3")
    assert result.exit_code == 1
    assert "arguments are those of a program" in result.stderr


def test_json(weft_command, file):
    result = weft_command("explain", file, "-t", "hip:gfx942", "--json", "-w", "8")
    actual = json.loads(result.stdout)
    assert (actual["format"], actual["num_warps"], actual["lanes"]) == (1, 8, 64)
    assert [each["line"] for each in actual["memory"]] == [9, 10]


def test_parts(weft_command, file):
    line = weft_command("explain", file, "-t", "cuda:90", "--line", "9").stdout
    assert "kernels.py:9" in line
    assert "kernels.py:10" not in line
    assert "contiguity: " in line  # the facts of the decision, too
    value = weft_command("explain", file, "-t", "cuda:90", "--value", "%tile").stdout
    assert "%tile" in value
    wrong = weft_command("explain", file, "-t", "cuda:90", "--value", "%tule")
    assert wrong.exit_code == 1
    assert "did you mean %tile" in wrong.stderr


def test_against_target_options_and_file(weft_command, file, tmp_path):
    target = weft_command("explain", file, "-t", "cuda:90", "--against", "hip:gfx942").stdout
    assert "+++ hip:gfx942: turn hip:gfx942, 4 warps" in target
    options = weft_command("explain", file, "-t", "cuda:90", "--against", "num_warps=8").stdout
    assert "+++ num_warps=8: turn cuda:90, 8 warps" in options
    assert "warpsPerCTA = [8, 1]" in options
    dump = tmp_path / "turn.ttgir"
    weft_command("compile", file, "-t", "cuda:90", "--locations", "-o", dump)
    same = weft_command("explain", file, "-t", "cuda:90", "--against", dump).stdout
    assert "  no differences" in same
    changed = weft_command("explain", dump, "--against", "hip:gfx942")
    assert changed.exit_code == 1
    assert "TTGIR is compiled for one target" in changed.stderr
    as_json = weft_command("explain", dump, "--against", dump, "--json").stdout
    assert json.loads(as_json)["only_first"] == []


def test_a_target_is_needed(weft_command, file):
    result = weft_command("explain", file)
    assert result.exit_code == 1
    assert "a target is needed" in result.stderr
