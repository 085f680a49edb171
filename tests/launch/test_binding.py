"""Arguments of a launch: what goes where, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import LaunchError, SignatureError, UnsupportedError, WeftError
from weft.kernel.jit import JITFunction, kernel_of
from weft.launch.binding import bind
from weft.launch.drivers.cpu import grid_sizes


@weft.jit
def scale(x, n, factor, BLOCK: tl.constexpr, kpack=3):
    pass


def refused(*args, **kwargs) -> str:
    with pytest.raises(LaunchError) as caught:
        bind(scale, args, kwargs)
    return str(caught.value)


def test_values_defaults_and_options():
    values, options = bind(scale, (1, 2), {"BLOCK": 64, "factor": 0.5, "num_warps": 8})
    assert list(values.items()) == [
        ("x", 1), ("n", 2), ("factor", 0.5), ("BLOCK", 64), ("kpack", 3),
    ]  # fmt: skip
    assert options == {"num_warps": 8}


def test_a_parameter_goes_before_an_option_of_its_name():
    values, options = bind(scale, (1, 2, 3, 4), {"kpack": 9})
    assert values["kpack"] == 9
    assert not options


def test_missing():
    text = refused(1, factor=2)
    assert "scale: no value for n, BLOCK" in text
    assert "found: x, factor" in text
    assert "accepted: x, n, factor, BLOCK, kpack" in text
    assert "constants are usually given by name: BLOCK=…" in text


def test_too_many():
    assert "scale takes 5 arguments and got 6" in refused(1, 2, 3, 4, 5, 6)


def test_twice():
    text = refused(1, 2, n=3)
    assert "parameter n is given twice" in text
    assert "found: argument 1 and n=…" in text


def test_unknown_keyword():
    text = refused(1, 2, 3, BLOK=4)
    assert "scale has no parameter BLOK, and it is no compile option" in text
    assert "did you mean BLOCK?" in text
    assert "did you mean num_stages" in refused(1, 2, 3, 4, num_stage=4)


@pytest.mark.parametrize(
    ("grid", "sizes"),
    [
        (7, (7, 1, 1)),
        ((7,), (7, 1, 1)),
        ([2, np.int32(3)], (2, 3, 1)),
        (lambda meta: (meta["n"] // meta["BLOCK"], 2, 3), (4, 2, 3)),
        (lambda meta: meta["n"], (256, 1, 1)),
        (np.array([3, 2]), (3, 2, 1)),
    ],
)
def test_grids(grid, sizes):
    assert grid_sizes(scale, grid, {"n": 256, "BLOCK": 64}) == sizes


@pytest.mark.parametrize("grid", [(), (1, 2, 3, 4), (-1,), (1.5,), "x", (True,), None])
def test_no_grids(grid):
    with pytest.raises(LaunchError, match="the grid is one to three counts") as caught:
        grid_sizes(scale, grid, {})
    assert caught.value.accepted


def test_a_grid_that_asks_for_what_there_is_not():
    with pytest.raises(LaunchError) as caught:
        grid_sizes(scale, lambda meta: (meta["BLOK"],), {"n": 256, "BLOCK": 64})
    assert "found: BLOK" in str(caught.value)
    assert "did you mean BLOCK?" in str(caught.value)


def test_jit_takes_arguments():
    @weft.jit(do_not_specialize=["n"], debug=True, noinline=True)
    def kernel(x, n):
        pass

    assert kernel.parameters[1].do_not_specialize
    assert kernel.debug
    assert kernel.noinline
    assert kernel.arg_names == ["x", "n"]
    assert weft.jit(kernel) is kernel


def test_jit_refuses_unknown_parameters():
    with pytest.raises(SignatureError, match="names no parameter"):

        @weft.jit(do_not_specialize=["m"])
        def kernel(x, n):
            pass


def test_jit_refuses_what_is_no_function():
    with pytest.raises(UnsupportedError):
        weft.jit(3)


def test_a_kernel_is_not_called():
    with pytest.raises(WeftError, match=r"kernel\[grid\]"):
        scale(1, 2, 3, 4)


def test_a_plain_function_is_no_kernel():
    def plain(x):
        pass

    with pytest.raises(UnsupportedError, match="plain is a plain Python function") as caught:
        kernel_of(plain)
    assert "@weft.jit" in str(caught.value)


class _Foreign:
    """As Triton's JITFunction looks: the module of its class, and .fn."""

    def __init__(self, fn, **settings):
        self.fn = fn
        vars(self).update(settings)


_Foreign.__module__ = "triton.runtime.jit"


def test_a_kernel_of_triton():
    foreign = _Foreign(scale.fn, noinline=True, do_not_specialize=[1])
    kernel = weft.jit(foreign)
    assert isinstance(kernel, JITFunction)
    assert kernel.noinline
    assert kernel.parameters[1].do_not_specialize
    assert kernel_of(_Foreign(foreign)).fn is scale.fn
