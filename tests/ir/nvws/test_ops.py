"""Groups of warps."""

from __future__ import annotations

from tests.ir.gpu import module
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify

GROUP = (
    '%r = "nvws.warp_group"() <{numWarps = array<i32: 4, 2>}> '
    '({ "nvws.warp_group.yield"(%i) : (i32) -> () }, { nvws.warp_group.return }) : () -> i32'
)


def test_the_yield_defines_the_result_types() -> None:
    parsed = parse_module(module(GROUP, "%i: i32"))
    verify(parsed)
    printed = print_module(parsed)
    assert "%0 = nvws.warp_group\n    partition0 num_warps(4) {\n" in printed
    assert print_module(parse_module(printed)) == printed
