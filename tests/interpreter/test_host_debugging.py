"""`print` and `breakpoint` of kernels on the CPU device."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl


@weft.jit
def prints_names(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    print(i, x * 0.5, BLOCK)
    tl.store(x_ptr + i, x + n)


@weft.jit
def prints_text(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    print("n is", n, "and x", tl.load(x_ptr + i[:, None] * BLOCK + i[None, :]))


def test_print_names_values(capsys):
    prints_names[(2,)](np.arange(4, dtype=np.float32), 1, BLOCK=2)
    assert capsys.readouterr().out.splitlines() == [
        "program (0, 0, 0): i = [0 1] x * 0.5 = [0.  0.5] BLOCK = 2",
        "program (1, 0, 0): i = [2 3] x * 0.5 = [1.  1.5] BLOCK = 2",
    ]


def test_print_with_text(capsys):
    prints_text[(1,)](np.arange(4, dtype=np.float32), 7, BLOCK=2)
    assert capsys.readouterr().out == "program (0, 0, 0): n is 7 and x [[0. 1.]\n [2. 3.]]\n"


@weft.jit
def device_prints(n):
    tl.device_print("n", n)


def test_device_print_is_that_of_a_gpu(capsys):
    device_prints[(1,)](7)
    assert capsys.readouterr().out == "pid (0, 0, 0) idx () n: 7\n"


@weft.jit
def stops(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if tl.program_id(0) > 0:
        breakpoint()
    tl.store(x_ptr + i, x)


def test_breakpoint_stops_at_the_line_with_the_values(monkeypatch):
    frames: list[tuple[str, str, int, dict[str, Any]]] = []

    def hook() -> None:
        frame = sys._getframe(1)
        code = frame.f_code
        frames.append((code.co_name, code.co_filename, frame.f_lineno, dict(frame.f_globals)))
        frame.f_globals["x"][:] = -1

    monkeypatch.setattr(sys, "breakpointhook", hook)
    x = np.arange(4, dtype=np.float32)
    stops[(3,)](x, 10, BLOCK=4)
    line = stops.fn.__code__.co_firstlineno + 5
    assert [each[:3] for each in frames] == [("stops", __file__, line)] * 2
    variables = frames[1][3]
    assert variables["program"] == (2, 0, 0)
    assert (variables["n"], variables["BLOCK"]) == (10, 4)
    assert (variables["i"] == np.arange(4)).all()
    assert (x == np.arange(4)).all(), "variables are copies"


def test_python_s_variable_turns_breakpoints_off(monkeypatch):
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    stops[(2,)](np.arange(4, dtype=np.float32), 10, BLOCK=4)


def test_breakpoint_is_an_error_on_a_gpu():
    with pytest.raises(weft.errors.UnsupportedError, match="works on the CPU device only") as error:
        weft.compile(stops, signature="*fp32, i32, 16", target="cuda:90")
    assert error.value.found == "cuda:90"
    assert error.value.location is not None
