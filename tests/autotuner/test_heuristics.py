"""`weft.heuristics`."""

from __future__ import annotations

import pytest

import weft
from tests.autotuner.recorded_kernel import blocks, kernel, x
from weft.errors import LaunchError


def test_values_are_computed_from_arguments():
    fn = kernel()
    rules = {"BLOCK": lambda args: weft.next_power_of_2(args["n"])}
    weft.heuristics(rules)(fn)[(1,)](x.copy(), 9)
    weft.heuristics(rules)(fn)[(1,)](x.copy(), n=17)
    assert blocks(fn) == [16, 32]


def test_heuristics_over_autotune():
    fn = kernel()
    tuned = weft.autotune([weft.Config({}, num_warps=2)], key=["n"])(fn)
    weft.heuristics({"BLOCK": lambda args: 2 * args["n"]})(tuned)[(1,)](x.copy(), 8)
    assert fn.calls[-1][1]["BLOCK"] == 16
    assert fn.calls[-1][1]["num_warps"] == 2


def test_a_rule_may_set_an_option():
    fn = kernel()
    rules = {"BLOCK": lambda args: 16, "num_warps": lambda args: 8 if args["BLOCK"] > 8 else 4}
    weft.heuristics(rules)(fn)[(1,)](x.copy(), 8)
    assert fn.calls[-1][1]["num_warps"] == 8


def test_unknown_parameter():
    with pytest.raises(LaunchError) as caught:
        weft.heuristics({"BLOK": lambda args: 1})(kernel())
    assert "heuristics names an unknown parameter" in str(caught.value)
    assert "did you mean BLOCK?" in str(caught.value)


def test_values_must_be_functions():
    with pytest.raises(LaunchError, match="heuristics needs a function for BLOCK"):
        weft.heuristics({"BLOCK": 16})(kernel())  # pyright: ignore
