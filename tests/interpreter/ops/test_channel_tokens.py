"""Tokens of channels between partitions: an exchange of values, and missing or wrong signals."""

from __future__ import annotations

import numpy as np
import pytest

from tests.interpreter.test_partitions import SQUARES, squares
from tests.matmul_kernels import substitute
from weft.errors import LaunchError

TOKENS = "tensor<1x!nvws.token>"


def with_tokens(load_type: int = 3) -> str:
    """Replace the two mbarriers of the kernel by a token."""
    text = substitute(
        r"  %full = .*\n  %empty = .*\n",
        f"  %t = nvws.create_token {{loadType = {load_type} : i32, numBuffers = 1 : i32}}"
        f" : {TOKENS}\n",
        SQUARES,
    )
    text = substitute(r"  ttng.init_barrier .*\n", "", text)
    text = substitute(r"\(%full, %empty, ", "(%t, ", text)
    text = substitute(
        r"\(%f: \S+, #s, #smem, mutable>, %e: \S+, #s, #smem, mutable>, ", f"(%u: {TOKENS}, ", text
    )
    text = substitute(
        r": \(\S+ #s, #smem, mutable>, \S+ #s, #smem, mutable>, ", f": ({TOKENS}, ", text
    )
    # Producers and consumers count the same phases, from 0.
    text = substitute(r"iter_args\(%free = %c1\)", "iter_args(%free = %c0)", text)
    first = "%p1 = arith.trunci {0} : i32 to i1\n      "
    text = substitute(
        r"ttng.wait_barrier %empty, %free : .*",
        first.format("%free") + f"nvws.producer_acquire %t, %c0, %p1 : {TOKENS}, i32, i1",
        text,
    )
    text = substitute(
        r"ttng.arrive_barrier %full, 1 : .*", f"nvws.producer_commit %t, %c0 : {TOKENS}, i32", text
    )
    text = substitute(
        r"ttng.wait_barrier %f, %phase : .*",
        first.format("%phase") + f"nvws.consumer_wait %u, %c0, %p1 : {TOKENS}, i32, i1",
        text,
    )
    return substitute(
        r"ttng.arrive_barrier %e, 1 : .*", f"nvws.consumer_release %u, %c0 : {TOKENS}, i32", text
    )


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("load_type", range(5))
def test_partitions_exchange_values(count, load_type):
    y, expected = squares(with_tokens(load_type), count)
    np.testing.assert_array_equal(y, expected)


def test_a_buffer_that_is_released_too_early_is_overwritten():
    release = f"      nvws.consumer_release %u, %c0 : {TOKENS}, i32\n"
    read = "      %v = ttg.local_load %b"
    text = with_tokens().replace(release, "").replace(read, release + read)
    y, expected = squares(text)
    assert (y != expected).any()


@pytest.mark.parametrize("signal", ["producer_commit %t, %c0", "consumer_release %u, %c0"])
def test_a_missing_signal_is_a_deadlock(signal):
    with pytest.raises(LaunchError, match="deadlock"):
        squares(with_tokens().replace(f"nvws.{signal} : {TOKENS}, i32", ""))


def test_a_second_release_skips_a_phase():
    release = f"nvws.consumer_release %u, %c0 : {TOKENS}, i32\n"
    text = with_tokens().replace(release, release + release)
    with pytest.raises(LaunchError, match="deadlock"):
        squares(text)


def copied(load_type: int) -> str:
    """Copy global memory into the buffer by cp.async instead of a store."""
    text = with_tokens(load_type)
    text = substitute(r"      %v = tt.load %q .*\n", "", text)
    return substitute(
        r"ttg.local_store %v, %m : .*",
        "%k = ttg.async_copy_global_to_local %q, %m : tensor<128x!tt.ptr<f32>, #b> "
        "-> <128xf32, #s, #smem, mutable>",
        text,
    )


def test_a_commit_follows_the_copies_before_it():
    y, expected = squares(copied(1))
    np.testing.assert_array_equal(y, expected)


def test_a_commit_of_stores_does_not_wait_for_copies():
    y, _ = squares(copied(3))
    assert np.isnan(y).any()
