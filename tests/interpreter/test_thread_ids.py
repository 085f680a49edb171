"""Uses of warp and thread ids: those of the first thread are exact, others are refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.interpreter.ops.test_warp_specialize import BARRIER, HEAD, TAIL, result
from weft.errors import LaunchError
from weft.interpreter import run
from weft.ir.text import parse_module

LOAD = "\n  %v = tt.load %p : tensor<128x!tt.ptr<f32>, #b>\n"
WARP = "  %w = ttg.warp_id\n  %c = arith.cmpi sgt, %w, %c1 : i32\n"
THREAD = "  %w = rocdl.workitem.id.x : i32\n  %c = arith.cmpi sgt, %w, %c1 : i32\n"


@pytest.mark.parametrize("ids", [WARP, THREAD])
def test_barriers_of_some_warps_have_no_effect_on_values(ids):
    np.testing.assert_array_equal(result(ids + "  amdg.cond_barrier %c" + LOAD), np.arange(128))


@pytest.mark.parametrize("ids", [WARP, THREAD])
def test_the_first_thread_stores_scalars(ids):
    """Triton and weft let thread 0 of the first warp store a scalar."""
    body = f"{ids}{LOAD}  %f = arith.sitofp %w : i32 to f32\n  tt.store %x, %f : !tt.ptr<f32>\n"
    x, y = np.arange(1, 129, dtype=np.float32), np.zeros(128, np.float32)
    run(parse_module(HEAD + body + TAIL), "k", (1,), [x, y, 0])
    assert x[0] == 0
    np.testing.assert_array_equal(y, np.arange(1, 129))


def test_the_first_thread_arrives():
    body = f"""{WARP}
  %first = arith.cmpi eq, %w, %c0 : i32
  %bar = ttg.local_alloc : () -> {BARRIER}
  ttng.init_barrier %bar, 1 : {BARRIER}
  ttng.arrive_barrier %bar, 1, %first : {BARRIER}
  ttng.wait_barrier %bar, %c0 : {BARRIER}
"""
    np.testing.assert_array_equal(result(body + LOAD), np.arange(128))
    with pytest.raises(LaunchError, match="deadlock"):
        result(body.replace(", %first :", ", %c :") + LOAD)


@pytest.mark.parametrize(
    ("use", "name"),
    [
        ("  %s = tt.splat %w : i32 -> tensor<128xi32, #b>", "tt.splat"),
        ("  scf.if %c {\n  tt.store %x, %one : !tt.ptr<f32>\n  }", "scf.if"),
        ("  %s = arith.addi %w, %c1 : i32\n  %l = tt.addptr %x, %s : !tt.ptr<f32>, i32\n"
         "  %f = tt.load %l : !tt.ptr<f32>", "tt.load"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ids", [WARP, THREAD])
def test_values_that_differ_between_threads_are_refused(ids, use, name):
    body = f"{ids}  %one = arith.constant 1.0 : f32\n{use}{LOAD}"
    with pytest.raises(LaunchError, match=f"no value per thread for {name}") as caught:
        result(body)
    assert "depends on" in str(caught.value)


def test_the_only_warp_has_an_exact_id():
    body = (
        WARP
        + "  %f = arith.sitofp %w : i32 to f32\n  %v = tt.splat %f : f32 -> tensor<128xf32, #b>"
    )
    text = (HEAD + body + TAIL).replace('"ttg.num-warps" = 4', '"ttg.num-warps" = 1')
    text = text.replace("warpsPerCTA = [4]", "warpsPerCTA = [1]")
    y = np.ones(128, np.float32)
    run(parse_module(text), "k", (1,), [np.zeros(128, np.float32), y, 0])
    assert (y == 0).all()
