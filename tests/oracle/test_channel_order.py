"""The order of signals: two orders of one program are the same IR, two programs are not."""

from __future__ import annotations

import pytest

from tests.oracle.channel_order import in_channel_order

FIRST = """\
          %4 = ttg.memdesc_index %a[%c0] : BARRIERS -> BARRIER
          ttng.arrive_barrier %4, 1 : BARRIER
"""
SECOND = """\
          %5 = ttg.memdesc_index %b[%ONE] : BARRIERS -> BARRIER
          ttng.arrive_barrier %5, 1 : BARRIER
"""
TEXT = """\
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @f() {
    %0 = ttg.local_alloc : () -> BARRIERS
    %1 = ttg.local_alloc : () -> BARRIERS
    ttg.warp_specialize(%0, %1)
    default {
      ttg.warp_yield
    }
    partition0(%a: BARRIERS, %b: BARRIERS) num_warps(4) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c1_again = arith.constant 1 : i32
SIGNALS
      ttg.warp_return
    } : (BARRIERS, BARRIERS) -> ()
    tt.return
  }
}
"""


def module(signals: str, one: str = "c1") -> str:
    text = TEXT.replace("SIGNALS", signals).replace("ONE", one)
    text = text.replace("BARRIERS", "!ttg.memdesc<3x1xi64, #shared, #smem, mutable>")
    return text.replace("BARRIER", "!ttg.memdesc<1xi64, #shared, #smem, mutable>")


def test_adjacent_arrivals_have_one_order():
    assert in_channel_order(module(FIRST + SECOND)) == in_channel_order(module(SECOND + FIRST))


def test_equal_constants_are_one():
    text = in_channel_order(module(FIRST + SECOND, one="c1_again"))
    assert text == in_channel_order(module(FIRST + SECOND))
    assert text.count("arith.constant 1") == 2


@pytest.mark.parametrize(
    "signals",
    [
        FIRST + SECOND.replace("ONE", "c0"),
        FIRST + SECOND.replace("%b", "%a"),
        FIRST + SECOND.replace(", 1 :", ", 2 :"),
        FIRST + "      %6 = arith.addi %c0, %c1 : i32\n" + SECOND,
        FIRST,
    ],
)
def test_other_signals_are_other_ir(signals):
    assert in_channel_order(module(signals)) != in_channel_order(module(FIRST + SECOND))


def test_an_operation_between_arrivals_keeps_their_order():
    between = "      ttg.barrier local\n"
    forward, backward = FIRST + between + SECOND, SECOND + between + FIRST
    assert in_channel_order(module(forward)) != in_channel_order(module(backward))


def test_other_chips_keep_their_order():
    text = module(SECOND + FIRST).replace("cuda:90", "cuda:100")
    assert in_channel_order(text) == text
