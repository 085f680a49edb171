"""tcgen05.ld, alloc and dealloc: errors."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

ALLOC = "@$0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$1], {columns};"
DEALLOC = "@$0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 $1, {columns};"
LOAD = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];"


def call(text: str, arguments: str, constraints: str, result: str = "void") -> str:
    name = "" if result == "void" else "%x = "
    return f'  {name}call {result} asm sideeffect "{text}", "{constraints}"({arguments})\n'


def alloc(columns: int) -> str:
    text = ALLOC.format(columns=columns)
    return call(text, "i1 true, ptr addrspace(3) @shared", "b,r")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (alloc(48), "powers of two of at least 32 columns"),
        (alloc(64) + alloc(64), "must be allocated by one warp, once"),
        (call(DEALLOC.format(columns=64), "i1 true, i32 0", "b,r"), "that the block did not alloc"),
        (alloc(64) + call(LOAD, "i32 2097152", "=r,r", "i32"), "rows of tensor memory outside"),
    ],
)
def test_errors(body, message):
    with pytest.raises(CodegenError, match=message):
        run_text(body + "  ret void", [], shared_bytes=16)


def test_a_diverged_warp():
    body = f"""
  %low = icmp ult i32 %i, 16
  br i1 %low, label %then, label %done
then:
{call(LOAD, "i32 0", "=r,r", "i32")}  br label %done
done:
  ret void"""
    with pytest.raises(CodegenError, match="tcgen05 in a warp that has diverged"):
        run_text(body, [])
