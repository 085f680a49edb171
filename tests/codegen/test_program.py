"""Numbers of programs along the axes of a grid, on both makers' chips."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.codegen import lower
from weft.simulator import run


@weft.jit
def places(out, n: tl.constexpr):
    place = tl.program_id(0) + tl.num_programs(0) * (
        tl.program_id(1) + tl.num_programs(1) * tl.program_id(2)
    )
    sizes = tl.num_programs(0) * 100 + tl.num_programs(1) * 10 + tl.num_programs(2)
    tl.store(out + place * n + tl.arange(0, n), sizes + place)


@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx942", "hip:gfx1201"])
def test_programs_know_their_place_and_the_grid(chip):
    compiled = weft.compile(places, signature={"out": "*i32"}, constexprs={"n": 8}, target=chip)
    llvm = lower(compiled.module("ttgir"))
    out = np.zeros((24, 8), np.int32)
    run(
        llvm.text,
        grid=(4, 3, 2),
        arguments=[out],
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
    )
    assert (out == 432 + np.arange(24)[:, None]).all()
