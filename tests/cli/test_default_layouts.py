"""`--layouts` of `weft run` is the default of every launch of the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import weft
import weft.gluon as gl
from weft import knobs
from weft.errors import OptionError, WeftError
from weft.experimental import gluon
from weft.kernel.files import load_cases, load_file

PROGRAM = """\
import numpy as np
import {package} as triton
import {package}.language as tl


@triton.jit
def increment(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)


x = np.zeros(1024, np.float32)
increment[(1,)](x, 1000, BLOCK=1024{option})
assert x[:1000].all() and not x[1000:].any()
"""
EXAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.py"
LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def store_line(x):
    i = gl.arange(0, 128, layout=LINE)
    gl.store(x + i, 1.0)


@pytest.fixture
def sectors(weft_command, tmp_path, monkeypatch):
    """Run the program in the simulator, and count the sectors that its stores touch."""
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    file, report = tmp_path / "program.py", tmp_path / "report.json"

    def run(*arguments: str, option: str = "", package: str = "weft") -> int:
        file.write_text(PROGRAM.format(package=package, option=option))
        result = weft_command(
            *("run", *arguments, "--simulate", "cuda:90", "--counters", "--json"),
            *("-o", str(report), str(file)),
        )
        assert result.exit_code == 0, result.stderr
        return sum(_numbers(json.loads(report.read_text()), "sectors"))

    return run


def _numbers(value: object, name: str) -> list[int]:
    """List the numbers of a name in a JSON value."""
    if isinstance(value, list):
        return [number for each in value for number in _numbers(each, name)]
    if not isinstance(value, dict):
        return []
    own = [value[name]] if isinstance(value.get(name), int) else []
    return own + [number for each in value.values() for number in _numbers(each, name)]


def test_launches_of_a_program_are_refined(sectors):
    assert sectors("--layouts", "refined") < sectors()


def test_a_launch_keeps_its_option(sectors):
    option = ', layouts="heuristic"'
    assert sectors("--layouts", "refined", option=option) == sectors()


def test_a_launch_of_a_kernel_of_triton_takes_the_option(sectors):
    refined = sectors("--as-triton", option=', layouts="refined"', package="triton")
    assert refined == sectors("--as-triton", "--layouts", "refined", package="triton")
    assert refined < sectors("--as-triton", package="triton")


def test_a_gluon_kernel_keeps_its_layouts_under_a_default():
    def compiled(**options: object) -> str:
        return str(
            weft.compile(
                store_line, signature="*fp32", target="cuda:90", stop_after="ttgir", options=options
            ).asm["ttgir"]
        )

    text = compiled()
    with knobs.compilation.scope():
        knobs.compilation.layouts = "refined"
        assert compiled() == text
        with pytest.raises(WeftError, match="are its author's"):
            compiled(layouts="optimal")


def test_an_unknown_default_is_an_error(monkeypatch):
    monkeypatch.setenv("WEFT_LAYOUTS", "narrow")
    case = load_cases(load_file(str(EXAMPLE)))[0]
    with pytest.raises(OptionError, match="layouts is out of range"):
        weft.compile(case.kernel, signature=case.signature, target="cuda:90")
