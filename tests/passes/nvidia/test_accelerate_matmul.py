"""Dots on tensor cores: errors, clusters, and the ledger."""

from __future__ import annotations

import pytest

from weft.decisions import collecting
from weft.errors import PassError, UnknownTargetError
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

HEAD = """
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]CGA}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = CTAS : i32, "ttg.num-warps" = 4 : i32TARGET, "ttg.threads-per-warp" = 32 : i32} {
"""  # noqa: E501
DOT = """
tt.func public @f(%x: tensor<64x32xA, #a>, %y: tensor<32x64xA, #b>, %c: tensor<64x64xD, #blocked>) -> tensor<64x64xD, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xA, #a> * tensor<32x64xA, #b> -> tensor<64x64xD, #blocked> loc("k.py":7:3)
  tt.return %d : tensor<64x64xD, #blocked>
}
}
"""  # noqa: E501


def module(target="cuda:90", operand="f16", result="f32", blocks=1):
    head = HEAD.replace("TARGET", f', ttg.target = "{target}"' if target else "")
    cga = ", CGALayout = [[0, 1]]" if blocks == 2 else ""
    head = head.replace("CTAS", str(blocks)).replace("CGA", cga)
    body = DOT.replace("xA,", f"x{operand},").replace("xD,", f"x{result},")
    return parse_module(head + body)


def run(module_):
    run_pipeline(parse_pipeline("tritongpu-accelerate-matmul"), module_, verify=True)
    return module_


def test_a_module_without_target():
    with pytest.raises(PassError, match=r'missing module attribute "ttg\.target"'):
        run(module(target=""))


def test_a_chip_without_tensor_cores():
    with pytest.raises(UnknownTargetError, match="no tensor cores are listed for target cuda:61"):
        run(module(target="cuda:61"))


def test_element_types_without_instruction():
    with pytest.raises(PassError) as error:
        run(module(operand="i16", result="i32"))
    assert "no instruction multiplies i16 with a result of i32" in str(error.value)
    assert "k.py:7:4" in str(error.value)


def test_tensor_memory_is_split_over_the_ctas_of_a_cluster():
    text = print_module(run(module(target="cuda:100", blocks=2)))
    assert "blockM = 64, blockN = 32, colStride = 1, CTASplitN = 2" in text
    assert "block = [[0, 32]]" in text


SCALED = """
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @f(%x: tensor<128x64xi8, #blocked>, %s: tensor<128x4xi8, #blocked>, %y: tensor<64x128xi8, #blocked>, %t: tensor<128x4xi8, #blocked>, %c: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
  %d = tt.dot_scaled %x scale %s, %y scale %t, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x64xi8, #blocked>, tensor<128x4xi8, #blocked> * tensor<64x128xi8, #blocked>, tensor<128x4xi8, #blocked> -> tensor<128x128xf32, #blocked>
  tt.return %d : tensor<128x128xf32, #blocked>
}
}
"""  # noqa: E501


def test_scaled_dots_do_not_support_clusters():
    with pytest.raises(PassError, match="does not support clusters"):
        run(parse_module(SCALED))


def decisions_about(target, **options):
    module_ = module(target=target, **options)
    with collecting() as ledger:
        run(module_)
    return module_, ledger


def test_ledger_of_instruction_tile_and_candidates():
    _, ledger = decisions_about("cuda:90", operand="f64", result="f64")
    chosen = next(d for d in ledger if d.op == "tt.dot")
    assert chosen.choice.startswith("mma.sync 16x8, #ttg.nvidia_mma")
    scores = {candidate.choice: candidate.score for candidate in chosen.candidates}
    assert scores["mma.sync"] == "fits"
    assert "no operands of f64" in scores["wgmma.mma_async"]
    assert ("warps per dimension", "2x2") in chosen.facts
    assert ("tiles of a warp", "2x4") in chosen.facts


def test_ledger_of_fma():
    _, ledger = decisions_about("cuda:86", operand="f64", result="f64")
    (chosen,) = [d for d in ledger if d.op == "tt.dot"]
    assert chosen.choice.startswith("FMA")
    assert "no operands of f64" in chosen.candidates[0].score


def test_ledger_of_a_small_k():
    text = (HEAD + DOT).replace("x32x", "x8x").replace("<32x", "<8x").replace("CGA", "")
    text = text.replace("CTAS", "1").replace("TARGET", ', ttg.target = "cuda:90"')
    module_ = parse_module(text.replace("xA,", "xf16,").replace("xD,", "xf32,"))
    with collecting() as ledger:
        run(module_)
    chosen = next(d for d in ledger if d.op == "tt.dot")
    assert "k 8 is less than the 16 of one instruction" in chosen.candidates[0].score


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90", "cuda:100"])
def test_every_new_layout_has_a_reason(target):
    module_, ledger = decisions_about(target)
    values = {id(decision.value) for decision in ledger}
    names = ("ttg.convert_layout", "ttg.local_alloc", "tt.dot", "ttng.tmem_load")
    ops = [op for op in walk(module_) if op.name in names]
    assert ops
    for op in ops:
        assert id(op.results[0]) in values, op


@pytest.mark.parametrize("score", [None, "both operands need scales"])
def test_ledger_of_scaled_dots(score):
    text = SCALED.replace(", CGALayout = [[0, 1]]", "").replace('num-ctas" = 2', 'num-ctas" = 1')
    text = text.replace("cuda:100", "cuda:120")
    if score is not None:
        b_type = "tensor<64x128xi8, #blocked>"
        text = text.replace(" scale %t", "")
        text = text.replace(f"{b_type}, tensor<128x4xi8, #blocked> ->", f"{b_type} ->")
    with collecting() as ledger:
        run(parse_module(text))
    unsupported = [d for d in ledger if d.choice == "scales multiplied into the operands"]
    assert [d.candidates[0].score for d in unsupported] == ([] if score is None else [score])
