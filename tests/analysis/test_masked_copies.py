"""Pipelined loads whose masked elements have a value other than zero."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same, require_text
from weft.errors import CodegenError


@weft.jit
def add_one(x, y, rows, n, OTHER: tl.constexpr, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for row in tl.range(0, rows, 1, num_stages=STAGES):
        value = tl.load(x + row * BLOCK + i, mask=i < n, other=OTHER)
        tl.store(y + row * BLOCK + i, value + 1)


def compiled(element: str, other: object, stages: int, chip: str):
    return weft.compile(
        add_one,
        signature=f"*{element}:16, *{element}:16, i32, i32, {other}, 128, {stages}",
        target=chip,
    )


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:90", "hip:gfx950"])
@pytest.mark.parametrize(("element", "other"), [("fp32", -1.5), ("i32", 7), ("fp32", 0.0)])
@pytest.mark.parametrize("stages", [1, 2, 4])
def test_masked_elements_have_the_value_of_other(element, other, stages, chip):
    kernel = compiled(element, other, stages, chip)
    pipelines = stages > 1 and chip.startswith("cuda")
    assert ("async_copy_global_to_local" in kernel.asm["ttgir"]) == pipelines
    require_same(kernel)


def test_a_copy_that_no_select_completes_is_refused():
    text = compiled("fp32", -1.5, 2, "cuda:80").asm["ttgir"]
    (line,) = (each for each in text.splitlines() if "arith.select" in each and "f32" in each)
    select, _, false = line.partition(": ")[0].rpartition(", ")
    value = select.rpartition(", ")[2]
    without = text.replace(line, f"{select}, {value} :{line.partition(' :')[2]}")
    assert without != text
    assert false
    with pytest.raises(CodegenError, match="only with zeros"):
        require_text(without)
