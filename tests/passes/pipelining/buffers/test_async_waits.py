"""Wait counts of asynchronous copies."""

from __future__ import annotations

import pytest

from weft.ir import ttg
from weft.ir.text import parse_module
from weft.passes.pipelining.buffers.async_waits import update_waits

LOOP = """
#shared = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#line = #ttg.blocked<{{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @k(%n: i32) {{
  %p = ttg.async_commit_group
  %q = ttg.async_commit_group
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %p, %y = %q) -> (!ttg.async.token, !ttg.async.token) : i32 {{
    %w = ttg.async_wait {tokens} {{num = 0 : i32}}
    {between}
    %z = ttg.async_commit_group
    scf.yield %y, %z : !ttg.async.token, !ttg.async.token
  }}
  tt.return
}}
}}
"""  # noqa: E501


def waits(tokens: str, between: str = "") -> list[int]:
    """Count the pending groups of each wait of the loop."""
    module = parse_module(LOOP.format(tokens=tokens, between=between))
    update_waits(module)
    return [op.num.value.data for op in module.walk() if isinstance(op, ttg.AsyncWaitOp)]


@pytest.mark.parametrize(
    ("tokens", "count"),
    [
        ("%x", 1),  # the group of %y is newer, before the loop and in it
        ("%y", 0),  # the newest group
        ("%x, %y", 0),  # a wait for several groups leaves none pending
        ("", 0),
    ],
)
def test_the_least_count_of_all_paths(tokens, count):
    assert waits(tokens) == [count]


def test_each_wait_has_its_count():
    between = "%c = ttg.async_commit_group\n%v = ttg.async_wait %x {num = 0 : i32}"
    assert waits("%x", between) == [1, 2]


def test_waits_without_a_commit_between_them_are_merged():
    assert waits("%x", "%v = ttg.async_wait %y {num = 0 : i32}") == [0]
