"""Dots: the instruction of each layout, the count per warp, and decisions."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from tests.explain.modules import module_of, named
from tests.explain.reports import matmul
from weft.decisions import Candidate, Decision
from weft.explain import explain
from weft.explain.dots import find_dots
from weft.explain.labels import Labels
from weft.explain.model import Change

BLOCKED = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>"  # noqa: E501


def dot_of(layout: str, *, element: str = "f16", m=64, n=64, k=64, batch=()):
    """Find the dot of a module with zeros as operands, whose result has a layout."""

    def tensor(*sizes: int) -> str:
        return "x".join(map(str, (*batch, *sizes)))

    def operand(index: int, shape: str) -> str:
        # Only the left operand of wgmma may be in registers; the layout of b does not matter here.
        parent = BLOCKED if index and "versionMajor = 3" in layout else layout
        k_width = 0 if parent == BLOCKED else 4 if "wmma" in layout else 2
        field = f", kWidth = {k_width}" if k_width else ""
        encoding = f"#ttg.dot_op<{{opIdx = {index}, parent = {parent}{field}}}>"
        return f"tensor<{shape}x{element}, {encoding}>"

    a, b = operand(0, tensor(m, k)), operand(1, tensor(k, n))
    c = f"tensor<{tensor(m, n)}xf32, {layout}>"
    body = f"""
    %a = arith.constant dense<0.0> : {a}
    %b = arith.constant dense<0.0> : {b}
    %c = arith.constant dense<0.0> : {c}
    %d = tt.dot %a, %b, %c : {a} * {b} -> {c}"""
    module = module_of(body)
    (dot,) = find_dots(module, Labels(module), 4, {}, ())
    return dot


def mma(warps: str, shape: str = "[16, 8]", version: int = 2) -> str:
    return (
        f"#ttg.nvidia_mma<{{versionMajor = {version}, versionMinor = 0, warpsPerCTA = {warps}, "
        f"instrShape = {shape}}}>"
    )


def mfma(shape: str) -> str:
    return (
        f"#ttg.amd_mfma<{{version = 3, warpsPerCTA = [2, 2], instrShape = {shape}, "
        "isTransposed = true}>"
    )


def wmma(warps: str) -> str:
    return "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = " + warps + "}}>"


@pytest.mark.parametrize(
    ("layout", "instruction", "tile", "warps", "per_warp"),
    [
        (BLOCKED, "fma", (1, 1, 1), (4, 1), 64**3 // 4),
        (mma("[2, 2]"), "mma m16n8k16", (16, 8, 16), (2, 2), 2 * 4 * 4),
        (mma("[4, 1]", "[16, 32, 16]", 3), "wgmma m64n32k16", (16, 32, 16), (4, 1), 1 * 2 * 4),
        (mma("[4, 1]", "[16, 32]", 3), "wgmma m64n32k16", (16, 32, 16), (4, 1), 1 * 2 * 4),
        (mfma("[32, 32, 8]"), "mfma 32x32x8", (32, 32, 8), (2, 2), 8),
        (mfma("[16, 16, 16]"), "mfma 16x16x16", (16, 16, 16), (2, 2), 2 * 2 * 4),
        (wmma("[[0, 1], [1, 0]]"), "wmma 16x16x16", (16, 16, 16), (2, 2), 2 * 2 * 4),
        (wmma("[[1, 0], [2, 0]]"), "wmma 16x16x16", (16, 16, 16), (4, 1), 1 * 4 * 4),
    ],
)
def test_instruction_of_the_layout(layout, instruction, tile, warps, per_warp):
    dot = dot_of(layout)
    assert (dot.op, dot.value, dot.type) == ("tt.dot", "%0", "64x64x64xf16")
    assert (dot.instruction, dot.tile, dot.warps) == (instruction, tile, warps)
    assert dot.per_warp == per_warp
    assert dot.why == "not recorded; read off the layout of the result"
    assert dot.rejected == dot.facts == ()


def test_small_elements_have_a_deeper_tile():
    assert dot_of(mma("[2, 2]"), element="f8E5M2").tile == (16, 8, 32)
    assert dot_of(mma("[2, 2]"), element="f32").tile == (16, 8, 8)


def test_a_tile_that_is_larger_than_the_dot_counts_once():
    assert dot_of(mma("[2, 2]"), m=16, n=8, k=16).per_warp == 1
    assert dot_of(BLOCKED, m=1, n=1, k=2).per_warp == 1


def test_a_batch():
    batched = mma("[2, 2, 1]", "[1, 16, 8]")
    dot = dot_of(batched, batch=(4,))
    assert (dot.type, dot.warps) == ("4x64x64x64xf16", (2, 2, 1))
    assert dot.per_warp == 2 * (64 // 32) * (64 // 8) * (64 // 16)


ACCELERATE = "tritongpu-accelerate-matmul"
TARGETS = [
    ("cuda:80", "tt.dot", "mma m16n8k16", (16, 8, 16), ()),
    ("cuda:90", "ttng.warp_group_dot", "wgmma m64n64k16", (16, 64, 16), (("mma.sync", "fits"),)),
    ("cuda:100", "ttng.tc_gen5_mma", "tcgen05.mma", (128, 128, 16), (("mma.sync", "fits"),)),
]


@pytest.mark.parametrize(("target", "op", "instruction", "tile", "rejected"), TARGETS)
def test_nvidia_compiles(target, op, instruction, tile, rejected):
    size = 128 if target == "cuda:100" else 64
    signature = f"*fp16:16, *fp16:16, *fp32:16, {size}"
    (dot,) = explain(matmul, signature=signature, target=target).dots
    assert (dot.op, dot.instruction, dot.tile, dot.rejected) == (op, instruction, tile, rejected)
    assert dot.type == f"{size}x{size}x{size}xf16"
    assert dot.why.startswith("the first instruction of the target that supports the dot")
    assert (dot.value == "") == (target == "cuda:100")
    if target == "cuda:100":
        assert (dot.warps, dot.per_warp) == ((1, 1), 8)


def test_an_amd_compile():
    signature = "*fp16:16, *fp16:16, *fp32:16, 64"
    (dot,) = explain(matmul, signature=signature, target="hip:gfx942").dots
    assert dot.instruction == "mfma.f32.32x32x8f16"
    assert (dot.tile, dot.per_warp, dot.warps) == ((32, 32, 8), 8, (2, 2))
    assert [choice for choice, _ in dot.rejected] == [
        "mfma.f32.16x16x16f16",
        "mfma.f32.4x4x4f16 as 64x4",
        "mfma.f32.4x4x4f16 as 4x64",
    ]
    facts = dict(dot.facts)
    assert facts["kWidth"].startswith("4: ")
    assert facts["isTransposed"].startswith("true: ")
    assert facts["warps per block"].startswith("[2, 2]: ")
    assert not facts.keys() & {"instruction", "tile", "shape", "instructions per warp"}


def decision(reason: str, **fields) -> Decision:
    defaults = {"stage": ACCELERATE, "op": "tt.dot", "choice": "mma", "reason": reason}
    return Decision(**{**defaults, **fields})


def test_the_last_decision_about_the_result_with_candidates_counts():
    body = f"""
    %a = arith.constant dense<0.0> : tensor<64x64xf16, #ttg.dot_op<{{opIdx = 0, parent = {BLOCKED}}}>>
    %b = arith.constant dense<0.0> : tensor<64x64xf16, #ttg.dot_op<{{opIdx = 1, parent = {BLOCKED}}}>>
    %c = arith.constant dense<0.0> : tensor<64x64xf32, {BLOCKED}>
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{{opIdx = 0, parent = {BLOCKED}}}>> * tensor<64x64xf16, #ttg.dot_op<{{opIdx = 1, parent = {BLOCKED}}}>> -> tensor<64x64xf32, {BLOCKED}> loc("k.py":3:4)"""  # noqa: E501
    module = module_of(body)
    result = named(module, "tt.dot").results[0]
    candidates = (Candidate("mma", "fits"), Candidate("wgmma"), Candidate("wgmma"))
    here = "k.py:3:5"

    def why(changes=(), decisions=()):
        history: dict[SSAValue, tuple[Change, ...]] = {
            result: tuple(Change(ACCELERATE, "", "", each) for each in changes)
        }
        (dot,) = find_dots(module, Labels(module), 4, history, decisions)
        return dot.why, dot.rejected

    first, last = (decision(reason, candidates=candidates) for reason in ("first", "last"))
    assert why([first, last, decision("without candidates"), None]) == ("last", (("wgmma", ""),))
    other_pass = decision("of another pass", stage="cse", candidates=candidates)
    assert why([first, other_pass])[0] == "first"
    # Without a decision about the value, one about its source position counts.
    at_line = decision("here", location=here, candidates=candidates)
    with_facts = decision("facts", location=here, facts=(("kWidth", "2"),))
    unrecorded = "not recorded; read off the layout of the result"
    assert why([], [at_line])[0] == "here"
    assert why([], [with_facts])[0] == "facts"
    assert why([first], [at_line])[0] == "first"
    assert why([], [decision("bare", location=here)])[0] == unrecorded
    assert why([], [decision("elsewhere", location="k.py:4:0", facts=(("a", "b"),))])[0] == (
        unrecorded
    )
    assert why([], [decision("other", location=here, stage="cse", candidates=candidates)])[0] == (
        unrecorded
    )
