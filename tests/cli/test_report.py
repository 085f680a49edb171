"""`weft report` from the command line: files, targets, dumps, launches, errors."""

from __future__ import annotations

import json
import re

import pytest

KERNELS = """\
@weft.jit
def double(x, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(x + offsets, 2 * tl.load(x + offsets))


CASES = ((double, "*fp32:16, 256", {}, {}),)

if __name__ == "__main__":
    import sys

    double[(1,)](np.ones(int(sys.argv[1]), np.float32), int(sys.argv[1]))
    double[(1,)](np.ones(64, np.float16), 64)
"""


@pytest.fixture
def file(kernel_file):
    return kernel_file(KERNELS)


def views_of(text: str) -> list[dict]:
    (content,) = re.findall(r'id="page">(.*?)</script>', text, re.DOTALL)
    return json.loads(content)["views"]


def test_two_targets(weft_command, file, tmp_path):
    path = tmp_path / "r.html"
    result = weft_command("report", file, "-t", "cuda:90", "-t", "hip:gfx942", "-o", path)
    assert result.exit_code == 0, result.stderr
    assert f"open {path.as_uri()}" in result.stderr
    views = views_of(path.read_text())
    assert [view["label"] for view in views] == ["cuda:90", "hip:gfx942"]


def test_options_are_those_of_the_compile(weft_command, file):
    result = weft_command("report", file, "-t", "cuda:90", "-w", "8", "-o", "-")
    (view,) = views_of(result.stdout)
    assert view["report"]["num_warps"] == 8
    assert view["options"] == {"num_warps": "8"}


def test_the_optimum(weft_command, file):
    pytest.importorskip("highspy")
    result = weft_command("report", file, "-t", "cuda:90", "--optimum", "-o", "-")
    assert result.exit_code == 0, result.stderr
    (view,) = views_of(result.stdout)
    assert view["report"]["optimum"]["is_proved"]
    assert view["report"]["optimum"]["kept"]["choice"] in ("heuristic", "refined", "optimal")


def test_a_kernel_beside_a_dump(weft_command, file, tmp_path):
    dump = tmp_path / "double.ttgir"
    arguments = "-t", "cuda:90", "--emit", "ttgir", "--locations", "-o", dump
    assert weft_command("compile", file, *arguments).exit_code == 0
    result = weft_command("report", f"{file}::double", dump, "-t", "cuda:90", "-o", "-")
    assert result.exit_code == 0, result.stderr
    first, second = views_of(result.stdout)
    assert (first["label"], second["label"]) == (f"{file}::double", str(dump))
    assert second["steps"] == []
    assert first["report"]["memory"] == second["report"]["memory"]


def test_launches_of_a_program(weft_command, file):
    arguments = "--launches", "--argument", "128", "-t", "cuda:90", "-o", "-"
    result = weft_command("report", file, *arguments)
    assert result.exit_code == 0, result.stderr
    labels = [view["label"] for view in views_of(result.stdout)]
    assert labels == ["double(*fp32:16, 128)", "double(*fp16:16, 64)"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "a target is needed to compile for"),
        (("-t", "cuda:91"), "unknown target"),
        (("-t", "cuda:90", "--argument", "1"), "arguments are those of a program"),
        (("-t", "cuda:90", "--launches", "-s", "*fp32, 64"), "--launches takes one program"),
        (("-t", "cuda:90", "-o", "/no/such/folder/r.html"), "cannot write the output"),
    ],
)
def test_errors(weft_command, file, arguments, message):
    result = weft_command("report", file, *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
