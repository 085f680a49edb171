"""A handler receives the launches of a program, but not an autotuner's measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft
import weft.language as tl
from weft.launch.interception import intercept_launches


@weft.jit
def fill(x, value, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), value)


tuned = weft.autotune([weft.Config({"BLOCK": 8}), weft.Config({"BLOCK": 4})], key=[])(
    weft.jit(fill.fn)
)
computed = weft.heuristics({"BLOCK": lambda args: args["x"].size})(weft.jit(fill.fn))


def test_handler_takes_the_place_of_launches():
    launches: list[Any] = []
    x = np.zeros(8, np.float32)

    def handler(kernel: Any, grid: Any, args: Any, kwargs: Any) -> str:
        launches.append((kernel.name, grid, args[1:], kwargs))
        return "launched"

    with intercept_launches(handler):
        assert fill[(1,)](x, 5, BLOCK=8) == "launched"
        assert fill.run(x, 6, grid=(2,), BLOCK=8) == "launched"
        assert computed[(3,)](x, 7) == "launched"
    assert launches == [
        ("fill", (1,), (5,), {"BLOCK": 8}),
        ("fill", (2,), (6,), {"BLOCK": 8}),
        ("fill", (3,), (7,), {"BLOCK": 8}),
    ]
    assert not x.any()
    fill[(1,)](x, 5, BLOCK=8)
    assert (x == 5).all()


def test_measurements_of_an_autotuner_are_not_intercepted():
    launches: list[int] = []
    with intercept_launches(lambda kernel, grid, args, kwargs: launches.append(kwargs["BLOCK"])):  # pyright: ignore[reportArgumentType]
        tuned[(1,)](np.zeros(8, np.float32), 5)
    assert launches == [tuned.best_config.kwargs["BLOCK"]]  # pyright: ignore
