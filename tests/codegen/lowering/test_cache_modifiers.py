"""Cache modifiers and eviction policies: the assembly, and the same results."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module


@weft.jit
def copy(
    x_ptr, out_ptr, n, LOAD: tl.constexpr, STORE: tl.constexpr, EVICT: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Copy BLOCK numbers, with cache modifiers."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    x = tl.load(x_ptr + index, mask=inside, cache_modifier=LOAD, eviction_policy=EVICT)
    tl.store(out_ptr + index, x, mask=inside, cache_modifier=STORE, eviction_policy=EVICT)


def compiled(target: str, load: str, store: str, evict: str):
    return weft.compile(
        copy,
        signature="*fp16:16, *fp16:16, i32:16, constexpr, constexpr, constexpr, 1024",
        constexprs={"LOAD": load, "STORE": store, "EVICT": evict},
        target=target,
    )


CASES = [
    ("cuda:90", ".ca", ".wb", "", ["ld.global.ca.v4.b32", "st.global.wb.v4.b32"]),
    ("cuda:90", ".cg", ".cs", "", ["ld.global.cg.v4.b32", "st.global.cs.v4.b32"]),
    ("cuda:90", ".cv", ".wt", "", ["ld.global.cv.v4.b32", "st.global.wt.v4.b32"]),
    (
        "cuda:80",
        "",
        "",
        "evict_first",
        ["createpolicy.fractional.L2::evict_first", "ld.global.L1::evict_first.L2::cache_hint.v4"],
    ),
    ("cuda:90", "", "", "evict_last", ["st.global.L1::evict_last.L2::cache_hint.v4.b32"]),
    ("hip:gfx942", ".cg", ".cs", "", [" nt"]),
    ("hip:gfx942", ".cv", ".wt", "", [" sc0 sc1"]),
    ("hip:gfx90a", ".cv", "", "evict_first", [" glc"]),
    ("hip:gfx1201", ".cv", ".wt", "", ["scope:SCOPE_SYS"]),
]


@pytest.mark.parametrize(("target", "load", "store", "evict", "expected"), CASES)
def test_cache_modifiers_in_assembly(target, load, store, evict, expected, machine):
    artifact = compiled(target, load, store, evict)
    text = machine.emit(lower(artifact.module("ttgir")), "assembly").decode()
    for piece in expected:
        assert piece in text
    require_same(artifact)


def test_modifier_with_eviction_policy_is_rejected():
    artifact = compiled("cuda:90", ".cg", "", "evict_first")
    with pytest.raises(CodegenError, match="a cache modifier or an eviction policy") as caught:
        lower(artifact.module("ttgir"))
    assert "tl.load(x_ptr + index" in str(caught.value)


@pytest.mark.parametrize(("load", "wrong"), [(".cg", "cs"), (".cg", "wt")])
def test_store_modifier_on_a_load_is_rejected(load, wrong):
    text = compiled("cuda:90", load, "", "").asm["ttgir"]
    module = parse_module(text.replace("cacheModifier = cg", f"cacheModifier = {wrong}"))
    with pytest.raises(CodegenError, match=f"a load has no cache modifier {wrong}"):
        lower(module)
