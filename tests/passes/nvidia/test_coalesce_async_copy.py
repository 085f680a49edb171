"""What NVIDIA's copies write to the ledger, and what leaves them alone."""

from __future__ import annotations

from pathlib import Path

from weft.decisions import collecting
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

NAME = "tritongpu-coalesce-async-copy"
CLIPPED, SMALL = Path(__file__).with_name("coalesce_async_copy.mlir").read_text().split("// -----")


def decided(text: str) -> tuple[str, set[str]]:
    module = parse_module(text)
    with collecting() as decisions:
        run_pipeline(parse_pipeline(NAME), module, verify=True)
    told = {one.value for one in decisions}
    made = [op for op in module.walk() if op.name == "ttg.convert_layout"]
    assert all(op.results[0] in told for op in made)
    return print_module(module), {one.reason for one in decisions}


def test_reasons():
    assert decided(CLIPPED)[1] == {"a thread can write 8 of 16 elements contiguously"}
    assert decided(SMALL)[1] == {
        "its former user loads from the buffer, so the copy can be coalesced"
    }


def test_a_copy_that_writes_as_much_as_it_reads_stays():
    text, reason = decided(
        CLIPPED.replace("vec = 8", "vec = 16").replace("maxPhase = 8", "maxPhase = 4")
    )
    assert not reason
    assert "ttg.convert_layout" not in text


def test_a_buffer_without_swizzle_by_vectors_is_not_clipped():
    shared = "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>"
    start = CLIPPED.index("#shared = ") + len("#shared = ")
    end = CLIPPED.index("\n", start)
    assert not decided(CLIPPED[:start] + shared + CLIPPED[end:])[1]
