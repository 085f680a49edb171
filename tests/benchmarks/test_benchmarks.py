"""The benchmarks run, and print a row for what they were asked to time."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.oracle


def run(module: str, *arguments: str) -> str:
    process = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_compile_benchmark():
    shown = run("benchmarks.compile", "--only", "vector_add", "--runs", "1")
    assert shown.count("│ vector_add") == 1 + 3
    assert shown.count("geometric mean") == 2
    assert "import weft" in shown


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="needs the extra bench (torch)")
def test_interpreter_benchmark():
    assert run("benchmarks.interpreter", "--only", "vector_add").count("│ vector_add") == 2


def test_layouts_benchmark():
    shown = run("benchmarks.layouts")
    rows = [line for line in shown.splitlines() if line.count("x │") == 2]
    assert len(rows) == 6


def test_passes_benchmark():
    shown = run("benchmarks.passes", "--only", "vector_add-0", "--runs", "1", "--table", "kernels")
    assert shown.count("│ vector_add-0") == 2, shown
    assert "median ratio" in shown
