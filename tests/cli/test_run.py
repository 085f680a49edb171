"""`weft run`: a program with its kernels on the embedded CPU device."""

from __future__ import annotations

import json
import sys

PROGRAM = """\
import sys


@weft.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


if __name__ == "__main__":
    x = np.arange(10, dtype=np.float32)
    double[(3,)](x, 10, BLOCK=4)
    print(sys.argv[1:], x.sum())
"""


def test_run_with_custom_arguments(weft_command, kernel_file):
    argv, path = sys.argv[:], sys.path[:]
    result = weft_command("run", kernel_file(PROGRAM), "--fast", "-n", "3", "file")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "['--fast', '-n', '3', 'file'] 90.0\n"
    assert (sys.argv, sys.path) == (argv, path)


def test_imports_from_its_folder(weft_command, kernel_file):
    kernel_file("VALUE = 7\n", name="beside_the_program.py")
    file = kernel_file("import beside_the_program\nprint(beside_the_program.VALUE)\n")
    assert weft_command("run", file).stdout == "7\n"


def test_its_own_exceptions_keep_their_traceback(weft_command, kernel_file):
    result = weft_command("run", kernel_file("def f():\n    return {}['key']\n\n\nf()\n"))
    assert result.exit_code == 1
    assert result.stderr.startswith("Traceback (most recent call last):\n")
    assert "kernels.py" in result.stderr.splitlines()[1]
    assert result.stderr.endswith("KeyError: 'key'\n")


def test_its_exit_code(weft_command, kernel_file):
    assert weft_command("run", kernel_file("raise SystemExit(3)\n")).exit_code == 3


def test_a_syntax_error(weft_command, kernel_file):
    result = weft_command("run", kernel_file("x = (\n"))
    assert result.exit_code == 1
    assert "kernels.py:6:" in result.stderr
    assert "Python syntax" in result.stderr


def test_no_file(weft_command, tmp_path):
    result = weft_command("run", tmp_path / "gone.py")
    assert result.exit_code == 1
    assert "No such file or directory" in result.stderr
    assert "a directory" in weft_command("run", tmp_path).stderr


def test_variables_without_effect_are_named(weft_command, kernel_file, monkeypatch):
    for name in ("TRITON_STORE_BINARY_ONLY", "TRITON_UNKNOWN", "WEFT_CACHE_DIRS"):
        monkeypatch.setenv(name, "1")
    error = weft_command("run", kernel_file("")).stderr
    assert "TRITON_STORE_BINARY_ONLY has no effect: the cache keeps all stages" in error
    assert "TRITON_UNKNOWN has no effect\n" in error
    assert "WEFT_CACHE_DIRS has no effect: did you mean WEFT_CACHE_DIR" in error
    assert "WEFT_CACHE_DIR has" not in error


_CHECKED = """
@weft.jit
def copy(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(p + i, mask=i < n))

import sys
copy[(2,)](np.zeros(16, np.float32), np.zeros(16, np.float32), int(sys.argv[1]))
print("the end")
"""


def test_check_reports_and_exits_with_1(weft_command, kernel_file):
    path = kernel_file(_CHECKED)
    result = weft_command("run", "--check", path, "10")
    assert (result.exit_code, result.stdout) == (1, "the end\n")
    assert result.stderr.startswith(f"{path}:10:")
    assert "error: undefined lanes are stored" in result.stderr
    assert "times: 2" in result.stderr
    assert result.stderr.endswith("note: checked 1 launch of 2 programs: 1 finding\n")
    result = weft_command("run", "--check", path, "16")
    assert (result.exit_code, result.stdout) == (0, "the end\n")


def test_check_of_a_program_that_exits(weft_command, kernel_file):
    path = kernel_file(f"{_CHECKED}\nsys.exit(int(sys.argv[2]))\n")
    codes = [
        weft_command("run", "--check", path, size, code).exit_code
        for size, code in (("10", "0"), ("10", "3"), ("16", "0"), ("16", "3"))
    ]
    assert codes == [1, 3, 0, 3]


def test_check_reports_json(weft_command, kernel_file, tmp_path):
    path, output = kernel_file(_CHECKED), tmp_path / "report.json"
    result = weft_command("run", "--check", "--json", "-o", output, path, "10")
    assert (result.exit_code, result.stdout) == (1, "the end\n")
    report = json.loads(output.read_text())
    (finding,) = report["findings"]
    assert (report["launches"], finding["kind"], finding["count"]) == (1, "undefined-value", 2)
    assert finding["stack"][0]["line"] == 10
    result = weft_command("run", "--json", path, "10")
    assert result.exit_code == 1
    assert "accepted: --check" in result.stderr


def test_simulate_runs_launches_on_another_chip(weft_command, kernel_file):
    path = kernel_file(PROGRAM)
    result = weft_command("run", "--simulate", "H100", path, "16")
    assert (result.exit_code, result.stdout) == (0, "['16'] 90.0\n")
    assert result.stderr == (
        "note: simulated 1 launch of 3 programs on cuda:90: no race, no deadlock\n"
    )
    result = weft_command("run", "--simulate", "cuda:90", "--check", path)
    assert result.exit_code == 1
    assert "error: a run is checked or simulated" in result.stderr
