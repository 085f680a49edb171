"""The optional stage and phase of asynchronous references."""

from __future__ import annotations

from tests.ir.gpu import BUFFER, RING, module
from weft.ir.text import parse_module, print_module


def test_a_stage_without_a_phase_is_printed_as_triton_prints_it() -> None:
    ring = f"!nvws.aref<[{RING}]>"
    text = (
        '%b:2 = "nvws.aref.get.enter"(%r, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : '
        f"({ring}, i32) -> ({BUFFER}, !ttg.async.token)"
    )
    printed = print_module(parse_module(module(text, f"%r: {ring}, %i: i32")))
    assert "%buffers, %token = nvws.aref.get.enter %arg0[%arg1, ] : <[" in printed
    assert print_module(parse_module(printed)) == printed
