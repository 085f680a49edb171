"""The rules of nvws's operations, each broken once."""

from __future__ import annotations

from tests.ir.gpu import BUFFER, RING, message, module
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify

GROUP = (
    '%r = "nvws.warp_group"() <{{numWarps = array<i32: {warps}>}}> '
    '({{ "nvws.warp_group.yield"(%i) : (i32) -> () }}, {{ nvws.warp_group.return }}) : () -> {type}'
)


def test_rings_of_different_lengths() -> None:
    other = RING.replace("<3x", "<2x")
    text = f"%r = nvws.aref.create %ring, %two : <[{RING}, {other}]>"
    assert "rings of lengths [2, 3]" in message(text, f"%ring: {RING}, %two: {other}")


def test_groups_and_their_warps() -> None:
    text = GROUP.format(warps="4", type="i32")
    assert "numWarps has 1 entries for 2 regions" in message(text)


def test_results_of_groups() -> None:
    text = GROUP.format(warps="4, 2", type="i64")
    assert "the first region does not yield the results" in message(text)


def test_results_follow_from_the_yield() -> None:
    parsed = parse_module(module(GROUP.format(warps="4, 2", type="i32")))
    verify(parsed)
    printed = print_module(parsed)
    assert "%0 = nvws.warp_group\n    partition0 num_warps(4) {\n" in printed
    assert print_module(parse_module(printed)) == printed


def test_a_stage_without_a_phase_is_spelled_as_triton_spells_it() -> None:
    ring = f"!nvws.aref<[{RING}]>"
    text = (
        '%b:2 = "nvws.aref.get.enter"(%r, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : '
        f"({ring}, i32) -> ({BUFFER}, !ttg.async.token)"
    )
    printed = print_module(parse_module(module(text, f"%r: {ring}, %i: i32")))
    assert "%buffers, %token = nvws.aref.get.enter %arg0[%arg1, ] : <[" in printed
    assert print_module(parse_module(printed)) == printed
