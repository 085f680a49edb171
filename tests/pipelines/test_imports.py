"""A process imports the passes of the pipeline that it runs, and no others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

_COMPILE = """
import weft
from tests.examples.loading import load

kernel, signature, constexprs, options, *_ = load("vector_add").CASES[0]
weft.compile(kernel, signature=signature, constexprs=constexprs, target={target!r})
"""

# Packages that compiling a kernel without random numbers or sorting does not need.
UNUSED = (
    "weft.interpreter",
    "weft.language.random",
    "weft.language.sorting",
    "weft.language.standard",
    "weft.simulator",
)


def imported_modules(program: str) -> list[str]:
    """List the modules that a fresh process has imported after a program."""
    process = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))},
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.split()


@pytest.mark.parametrize("program", ["import weft", "import weft.passes"])
def test_importing_a_package_imports_no_pass(program):
    folders = tuple(f"weft.passes.{name}" for name in ("common", "ttir", "ttgir", "amd", "nvidia"))
    assert not [name for name in imported_modules(program) if name.startswith(folders)]


@pytest.mark.parametrize(
    ("target", "other"), [("cuda:90", "weft.passes.amd"), ("hip:gfx942", "weft.passes.nvidia")]
)
def test_a_compilation_imports_the_passes_of_its_back_end(target, other):
    modules = imported_modules(_COMPILE.format(target=target))
    assert "weft.passes.ttgir.coalesce" in modules
    assert not [name for name in modules if name.startswith((*UNUSED, other))]
