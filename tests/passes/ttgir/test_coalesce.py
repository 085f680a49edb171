"""The ledger and the errors of coalesce."""

from __future__ import annotations

import pytest

from weft.decisions import Decision, collecting
from weft.errors import PassError
from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

BLOCKED = (
    "#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], "
    "order = [0]}>"
)
MODULE = 'module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {'
KERNEL = """
tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %pa = tt.addptr %ps, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %x = tt.load %pa : tensor<1024x!tt.ptr<f32>, #blocked>
  %y = arith.truncf %x : tensor<1024xf32, #blocked> to tensor<1024xf16, #blocked>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
  %qa = tt.addptr %qs, %r : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
  tt.store %qa, %y : tensor<1024x!tt.ptr<f16>, #blocked>
  tt.return
}
"""


def coalesced(text: str) -> tuple[ModuleOp, list[Decision]]:
    module = parse_module(text)
    with collecting() as decisions:
        run_pipeline(parse_pipeline("tritongpu-coalesce"), module)
    return module, decisions


def test_ledger_of_an_access():
    module, decisions = coalesced(f"{BLOCKED}\n{MODULE}{KERNEL}}}")
    (load,) = [d for d in decisions if d.op == "tt.load"]
    assert "sizePerThread = [4]" in load.choice
    assert load.reason == "4 elements of 32 bits are the widest access"
    assert dict(load.facts) == {
        "contiguity": "1024",
        "divisibility": "16 bytes",
        "order": "0",
        "element": "32 bits",
        "share of a thread": "8 elements",
    }
    assert [candidate.choice for candidate in load.candidates] == [
        "4 elements per thread",
        "1 elements per thread",
    ]
    assert "tt.store: runs of 1024, aligned to 1 byte" in load.candidates[1].score
    values = {op.results[0] for op in module.walk() if isinstance(op, tt.LoadOp)}
    assert load.value in values


def test_every_conversion_has_a_reason():
    module, decisions = coalesced(f"{BLOCKED}\n{MODULE}{KERNEL}}}")
    values = {decision.value for decision in decisions}
    conversions = [op for op in module.walk() if op.name == "ttg.convert_layout"]
    assert conversions
    assert all(op.results[0] in values for op in conversions)
    assert {d.anchor for d in decisions if d.reason.startswith("an operand of tt.")} == {
        "tt.load",
        "tt.store",
    }


def test_no_decisions_outside_of_collecting():
    module = parse_module(f"{BLOCKED}\n{MODULE}{KERNEL}}}")
    run_pipeline(parse_pipeline("tritongpu-coalesce"), module)
    with collecting() as decisions:
        pass
    assert decisions == []


def test_a_module_without_layouts_is_an_error():
    with pytest.raises(PassError, match="missing layout of a memory access") as error:
        coalesced(KERNEL.replace(", #blocked", ""))
    assert "run convert-triton-to-tritongpu first" in str(error.value)


def test_a_module_without_accesses_needs_no_layouts():
    module, decisions = coalesced("tt.func public @k() {\ntt.return\n}")
    assert decisions == []
    assert module.body.block.first_op is not None


def test_fewer_elements_than_threads():
    text = f"{BLOCKED}\n{MODULE}{KERNEL}}}".replace("1024", "64")
    _, decisions = coalesced(text)
    (load,) = [d for d in decisions if d.op == "tt.load"]
    assert load.reason == "the tensor has 1 element per thread"
