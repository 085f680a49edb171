"""`weft check` from the command line: record, compare, update; exit codes."""

from __future__ import annotations

import json

import pytest

KERNELS = """\
@weft.jit
def double(x, STRIDE: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(x + offsets, 2 * tl.load(x + offsets * STRIDE))


CASES = (
    (double, "*fp32:16, constexpr, 512", {"STRIDE": 1}, {}),
    (double, "*fp32:16, constexpr, 512", {"STRIDE": 1}, {"num_warps": 1}),
    (double, "*fp16:16, constexpr, 512", {"STRIDE": 1}, {}, ("hip:gfx942",)),
)

if __name__ == "__main__":
    double[(1,)](np.ones(64, np.float32), 1, 64)
"""
NAMES = [
    "kernels.py::double(*fp16:16, constexpr, 512; STRIDE=1), hip:gfx942",
    "kernels.py::double(*fp32:16, constexpr, 512; STRIDE=1), cuda:90",
    "kernels.py::double(*fp32:16, constexpr, 512; STRIDE=1), cuda:90 #2",
    "kernels.py::double(*fp32:16, constexpr, 512; STRIDE=1), hip:gfx942",
    "kernels.py::double(*fp32:16, constexpr, 512; STRIDE=1), hip:gfx942 #2",
]
BOTH = ("-t", "cuda:90", "-t", "hip:gfx942")


@pytest.fixture
def recorded(weft_command, kernel_file, tmp_path):
    """Write the kernels and their baseline; return both files."""
    file, baseline = kernel_file(KERNELS), tmp_path / "b.json"
    result = weft_command("check", file, *BOTH, "-b", baseline, "--update")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.endswith("5 new\n")
    return file, baseline


def test_all_cases_for_their_targets(weft_command, recorded):
    file, baseline = recorded
    assert list(json.loads(baseline.read_text())["kernels"]) == NAMES
    result = weft_command("check", file, *BOTH, "-b", baseline)
    assert (result.exit_code, result.stdout) == (0, "5 the same\n")


def test_lines_do_not_matter(weft_command, kernel_file, recorded):
    _, baseline = recorded
    file = kernel_file(f"# A comment.\n\n{KERNELS}")
    result = weft_command("check", file, *BOTH, "-b", baseline)
    assert (result.exit_code, result.stdout) == (0, "5 the same\n")


def test_worse(weft_command, kernel_file, recorded):
    _, baseline = recorded
    file = kernel_file(KERNELS.replace("offsets * STRIDE", "offsets * STRIDE * 2"))
    result = weft_command("check", file, "-t", "cuda:90", "-b", baseline)
    assert result.exit_code == 1
    assert f"{NAMES[1]}: worse\n" in result.stdout
    assert "  global sectors: 128 → 576, worse\n" in result.stdout
    assert "  tt.load: 128 → 32 bits, worse\n" in result.stdout
    assert "  line 9: tt.load of 512xf32 accesses 32 bits per thread" in result.stdout
    assert result.stdout.endswith("2 worse\n")


def test_better_and_updated(weft_command, kernel_file, recorded):
    file, baseline = recorded
    worse = KERNELS.replace("offsets * STRIDE", "offsets * STRIDE * 2")
    kernel_file(worse)
    assert weft_command("check", file, *BOTH, "-b", baseline, "--update").exit_code == 0
    kernel_file(KERNELS)
    result = weft_command("check", file, *BOTH, "-b", baseline)
    assert result.exit_code == 0
    assert result.stdout.endswith("5 better\n")
    assert "worse" not in result.stdout


def test_another_number_of_warps_is_a_change(weft_command, recorded):
    file, baseline = recorded
    line = ("check", file, *BOTH, "-b", baseline, "--option", "num_warps=8")
    result = weft_command(*line)
    assert result.exit_code == 1
    assert "  tt.load: 128 → 64 bits, worse\n" in result.stdout


def test_a_kernel_that_is_gone(weft_command, kernel_file, recorded):
    _, baseline = recorded
    file = kernel_file(KERNELS.replace('    (double, "*fp16:16', '    # (double, "*fp16:16'))
    assert weft_command("check", file, "-t", "cuda:90", "-b", baseline).exit_code == 0
    result = weft_command("check", file, *BOTH, "-b", baseline)
    assert result.exit_code == 1
    assert result.stdout == f"{NAMES[0]}: missing\n4 the same, 1 missing\n"
    assert weft_command("check", file, *BOTH, "-b", baseline, "--update").exit_code == 0
    assert weft_command("check", file, *BOTH, "-b", baseline).exit_code == 0


def test_other_files_are_kept(weft_command, kernel_file, recorded):
    _, baseline = recorded
    other = kernel_file(KERNELS, "other.py")
    result = weft_command("check", f"{other}::double", "-t", "cuda:80", "-b", baseline, "--update")
    assert result.exit_code == 0
    assert result.stdout.endswith("2 new\n")
    names = list(json.loads(baseline.read_text())["kernels"])
    assert names[:5] == NAMES
    assert len(names) == 7


def test_launches(weft_command, kernel_file, recorded):
    file, baseline = recorded
    result = weft_command("check", file, "-t", "cuda:80", "--launches", "-b", baseline)
    assert result.exit_code == 0
    assert result.stdout.startswith("kernels.py::double(*fp32:16, 1, 64), cuda:80: new\n")


def test_a_dump(weft_command, recorded, tmp_path):
    file, baseline = recorded
    dump = tmp_path / "k.ttgir"
    line = ("compile", file, "--case", 0, "-t", "cuda:90", "--emit", "ttgir", "-o", dump)
    assert weft_command(*line).exit_code == 0
    assert weft_command("check", dump, "-b", baseline, "--update").exit_code == 0
    result = weft_command("check", dump, "-b", baseline)
    assert (result.exit_code, result.stdout) == (0, "1 the same\n")


def test_registers(weft_command, recorded):
    file, baseline = recorded
    line = ("check", file, "-t", "hip:gfx942", "-b", baseline, "--registers")
    assert weft_command(*line, "--update").exit_code == 0
    kernels = json.loads(baseline.read_text())["kernels"]
    assert kernels[NAMES[0]]["totals"]["registers"] > 0
    kernels[NAMES[0]]["totals"]["registers"] -= 1
    baseline.write_text(json.dumps({"kernels": kernels}))
    assert weft_command(*line).exit_code == 1
    assert weft_command(*line, "--tolerance", "registers=100").exit_code == 0
    assert weft_command(*line[:-1]).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-t", "cuda:90", "-b", "none.json"), "--update writes it"),
        (("-b", "none.json", "--update"), "a target is needed"),
        (("-t", "cuda:90", "-b", "n.json", "--update", "--argument", "1"), "those of a program"),
        (("-t", "cuda:90", "-b", "n.json", "--update", "--tolerance", "x=1"), "unknown cost x"),
    ],
)
def test_errors(weft_command, kernel_file, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = weft_command("check", kernel_file(KERNELS), *arguments)
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_file_without_cases(weft_command, kernel_file, tmp_path):
    file = kernel_file("x = 1\n")
    result = weft_command("check", file, "-t", "cuda:90", "-b", tmp_path / "b.json", "--update")
    assert result.exit_code == 1
    assert "has no CASES" in result.stderr
