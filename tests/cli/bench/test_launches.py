"""`weft bench` of a program: what it launches is found, counted and timed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft.cli.app import app

FILE = """
import sys
import numpy as np
import weft
import weft.language as tl

@weft.jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

@weft.jit
def square(a, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = tl.program_id(0) * N * N + i[:, None] * N + i[None, :]
    x = tl.load(a + at)
    tl.store(c + at, tl.dot(x, x))

def check(n):
    x, y = np.ones(n, np.float32), np.ones(n, np.float32)
    for _ in range(3):
        add[(weft.cdiv(n, 64),)](x, y, n, BLOCK=64, num_warps=2)
    assert (y == 4).all(), "its own arrays are written, once for each launch"

def check_square(count):
    a = np.ones((count, 16, 16), np.float16)
    c = np.empty((count, 16, 16), np.float32)
    square[(count,)](a, c, N=16)
    assert (c == 16).all()

if __name__ == "__main__":
    print("said by the program")
    check(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
    check_square(3)
"""


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(FILE)
    return path


def bench(*arguments: object):
    command_line = ["bench", "--device", "cpu", "--ms", "1", *map(str, arguments)]
    return CliRunner().invoke(app, command_line)


def launches(*arguments: object) -> list[dict[str, object]]:
    result = bench(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["launches"]


def test_every_form_of_launch_is_counted_once(file):
    first, second = launches(file)
    assert (first["kernel"], first["grid"], first["options"]) == (
        "add",
        [2, 1, 1],
        {"num_warps": 2},
    )
    assert (first["bytes_read"], first["bytes_written"]) == (800, 400)
    assert first["operations"] == {}
    assert (second["kernel"], second["signature"]) == ("square", "*fp16:16, *fp32:16, 16")
    assert second["operations"] == {"f16": 2 * 3 * 16**3}
    assert (second["bytes_read"], second["bytes_written"]) == (1536, 3072)
    assert all(each["milliseconds"] > 0 for each in (first, second))  # pyright: ignore


def test_a_program_has_arguments_and_a_kernel_may_be_chosen(file):
    (only,) = launches(f"{file}::add", 200)
    assert only["programs"] == 4


def test_call_replaces_the_program(file):
    result = bench(file, "--call", "check(40)")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("this CPU")
    assert "add(64, num_warps=2)  x y: 40 float32" in result.stdout
    assert "said by the program" not in result.output


def test_large_launches_are_sampled(file):
    (only,) = launches(file, "--call", "check_square(5000)")
    assert (only["programs_counted"], only["programs"]) == (64, 5000)
    assert only["operations"] == {"f16": 2 * 5000 * 16**3}
    assert only["bytes_read"] == 5000 * 512
    assert "a sample of the programs" in bench(file, "--call", "check_square(5000)").stderr


def test_times_are_compared_with_the_limits_of_a_board(file):
    (only,) = launches(file, "--call", "check(1000)", "--target", "MI300X")
    assert only["least_milliseconds"] == pytest.approx(12000 / 5.3e12 * 1e3)
    assert (only["limited_by"], only["fraction"]) == ("memory", None)
    (only,) = launches(file, "--call", "check_square(64)", "-t", "cuda:80")
    assert only["limited_by"] == "memory"
    table = bench(file, "--call", "check(1000)", "-t", "cuda:90").stdout
    assert "limits of H100 SXM" in table
    assert "least ms, H100 SXM" in table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--target", "MI300Z"), "unknown board MI300Z"),
        (("--target", "hip:gfx1250"), "no board with hip:gfx1250 is known"),
        (("--call", "check("), "--call is not a Python expression"),
        (("--call", "len('')"), "launches no kernel"),
        (("--plot", "a.svg"), "--plot needs a file with BENCHES"),
        (("--device", "tpu"), "unknown device"),
    ],
)
def test_mistakes_are_named(file, arguments, message):
    result = bench(file, *arguments)
    assert result.exit_code == 1
    assert message in result.output


def test_a_kernel_that_is_not_launched(file):
    result = bench(f"{file}::ad")
    assert result.exit_code == 1
    assert "did you mean add" in result.output


def test_a_program_that_fails_is_measured_as_far_as_it_came(file):
    result = bench(file, "--call", "[check(40), 1 // 0]")
    assert result.exit_code == 0, result.output
    assert "add(64, num_warps=2)  x y: 40 float32" in result.stdout
    assert "the program failed, later launches are missing: integer div" in result.stderr
    failure = bench(file, "--call", "1 // 0")
    assert failure.exit_code == 1
    assert "--call raised an exception: integer div" in failure.stderr
    file.write_text(FILE.replace("    check_square(3)\n", "    sys.exit(3)\n"))
    assert [each["kernel"] for each in launches(file)] == ["add"]
    assert "the program exited with 3" in bench(file).stderr
    file.write_text(FILE.replace("    check_square(3)\n", "    sys.exit(0)\n"))
    assert "exited" not in bench(file).stderr
