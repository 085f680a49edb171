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
        "kernels.py:9  tile = tl.load(x + i * rows + j)",
        "tritongpu-coalesce: ",
    ):
        assert line in result.stdout


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
