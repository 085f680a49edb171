"""Coalesced asynchronous copies: ledger, and copies that stay unchanged."""

from __future__ import annotations

from pathlib import Path

from weft.decisions import collecting
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

NAME = "tritongpu-coalesce-async-copy"
CLIPPED, SMALL = Path(__file__).with_name("coalesce_async_copy.mlir").read_text().split("// -----")


def run(text: str) -> tuple[str, set[str]]:
    module = parse_module(text)
    with collecting() as decisions:
        run_pipeline(parse_pipeline(NAME), module, verify=True)
    values = {decision.value for decision in decisions}
    conversions = [op for op in module.walk() if op.name == "ttg.convert_layout"]
    assert all(op.results[0] in values for op in conversions)
    return print_module(module), {decision.reason for decision in decisions}


def test_reasons():
    assert run(CLIPPED)[1] == {"a thread can write 8 of 16 elements contiguously"}
    assert run(SMALL)[1] == {"its former user loads from the buffer, so the copy can be coalesced"}


def test_a_copy_of_the_swizzled_vector_size_stays():
    text, reasons = run(
        CLIPPED.replace("vec = 8", "vec = 16").replace("maxPhase = 8", "maxPhase = 4")
    )
    assert not reasons
    assert "ttg.convert_layout" not in text


def test_copies_to_nvmma_shared_buffers_stay():
    shared = "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>"
    start = CLIPPED.index("#shared = ") + len("#shared = ")
    end = CLIPPED.index("\n", start)
    assert not run(CLIPPED[:start] + shared + CLIPPED[end:])[1]
