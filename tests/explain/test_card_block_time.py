"""The predicted time of a block: what is predicted, by hand, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.explain.test_card import EXAMPLES
from weft.codegen.backend import nvdisasm
from weft.compiler.machine_code import emit_code
from weft.errors import UnknownTargetError, WeftError
from weft.explain.assembled_card import assemble_card
from weft.explain.block_time import Loop, read_sass, time_block
from weft.explain.card_block_time import predict_block_time
from weft.explain.card_text import card_lines
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module
from weft.kernel.compile import compile
from weft.kernel.files import load_cases, load_file
from weft.targets.instruction_timing import instruction_timing

LOAD = "LDG.E R4, desc[UR4][R2.64]"
BODY = (LOAD, "FADD R5, R5, R4", "ISETP.NE.AND P0, PT, R6, RZ, PT")
PTX_LOAD = "ld.global.b32 %r1, [%rd1];"


def module_of(*body: str, chip: str = "cuda:90", ctas: int = 1) -> ModuleOp:
    lines = "\n".join(body)
    return parse_module(
        f'module attributes {{"ttg.num-ctas" = {ctas} : i32, "ttg.num-warps" = 4 : i32, '
        f'ttg.target = "{chip}", "ttg.threads-per-warp" = 32 : i32}} {{\n'
        f"tt.func public @k(%n: i32, %c: i1) {{\n{lines}\ntt.return\n}}\n}}"
    )


def for_loop(bound: str = "%b") -> tuple[str, ...]:
    return (
        "%a = arith.constant 0 : i32",
        "%s = arith.constant 1 : i32",
        "%b = arith.constant 64 : i32",
        f"scf.for %i = %a to {bound} step %s : i32 {{ }}",
    )


def sass_of(*bodies: tuple[str, ...]) -> str:
    """Write loops one after the other."""
    lines: list[str] = []
    for number, body in enumerate(bodies):
        lines += [f".L_x_{number}:", *body, f"@P0 BRA `(.L_x_{number})"]
    lines += ["EXIT"]
    return "\n".join(
        line if line.endswith(":") else f"        /*{16 * n:04x}*/  {line} ;"
        for n, line in enumerate(lines)
    )


def ptx_of(*lines: str) -> str:
    return "\n".join((".version 8.0", ".visible .entry k()", *lines))


@pytest.mark.parametrize(("bound", "trips"), [("%b", 64), ("%n", 16)])
def test_iterations_are_those_of_the_ttgir(bound, trips):
    """Those of a loop without constant bounds count as everywhere on the card."""
    sass = sass_of(BODY)
    time = predict_block_time(module_of(*for_loop(bound)), ptx_of(PTX_LOAD), sass)
    loop, last = (block for block in read_sass(sass).blocks if block)
    timing = instruction_timing("cuda:90")
    assert time == time_block((Loop(trips, loop), *last), 4, timing, 4)
    assert time.from_l2 > trips * timing.l2_latency
    assert time.from_memory > trips * timing.memory_latency


@pytest.mark.parametrize(
    ("body", "sass", "ptx", "reason"),
    [
        (for_loop(), sass_of((LOAD, *BODY)), ptx_of(PTX_LOAD), "2 of global load for 1 of PTX"),
        (for_loop(), sass_of(BODY), ptx_of(PTX_LOAD, "bar.sync 0;"), "0 of barrier for 1 of PTX"),
        (for_loop(), sass_of(BODY, BODY), ptx_of(PTX_LOAD, PTX_LOAD), "are not those of its TTGIR"),
        ((), sass_of(BODY), ptx_of(PTX_LOAD), "are not those of its TTGIR"),
        (for_loop(), sass_of(BODY[1:] * 2), ptx_of(), "that distinguishes the copies of its body"),
        (
            ("scf.while : () -> () { scf.condition(%c) } do { scf.yield }",),
            *(sass_of(BODY), ptx_of(PTX_LOAD), "may wait for other programs"),
        ),
    ],
)
def test_loops_that_the_machine_code_has_otherwise(body, sass, ptx, reason):
    with pytest.raises(WeftError, match=reason):
        predict_block_time(module_of(*body), ptx, sass)


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("UTMALDG.2D [UR8], [UR4]", "it has copies of tiles"),
        ("SYNCS.ARRIVE.TRANS64 R2, [R4], R6", "it has mbarriers"),
        ("UCGABAR_ARV", "it has barriers of a cluster"),
        ("CALL.REL.NOINC `(f)", "it has calls of functions"),
        ("QGMMA.64x128x32.F32.E5M2.E5M2 R24, gdesc[UR4], R24", "no timing of QGMMA"),
        ("IMMA.16832.S8.S8 R4, R4.ROW, R8.COL, R4", "no timing of IMMA"),
    ],
)
def test_what_the_model_leaves_out(instruction, reason):
    with pytest.raises(WeftError, match=reason):
        predict_block_time(module_of(*for_loop()), ptx_of(PTX_LOAD), sass_of((*BODY, instruction)))


def test_clusters_and_other_chips():
    with pytest.raises(WeftError, match="its blocks are in clusters"):
        predict_block_time(module_of(*for_loop(), ctas=2), ptx_of(PTX_LOAD), sass_of(BODY))
    module = module_of(*for_loop(), chip="cuda:80")
    with pytest.raises(UnknownTargetError):
        predict_block_time(module, ptx_of(PTX_LOAD), sass_of(BODY))


def assembled(example: str, case: int, chip: str):
    one = load_cases(load_file(str(EXAMPLES / f"{example}.py")))[case]
    compiled = compile(
        one.kernel,
        signature=one.signature,
        constexprs=one.constexprs,
        target=chip,
        options=one.options,
    )
    return compiled.module("ttgir"), compiled.metadata.options


@pytest.fixture
def with_nvdisasm():
    if nvdisasm.disassemble(emit_code(*_cubin_arguments())) is None:
        pytest.skip("no nvdisasm")


def _cubin_arguments():
    module, options = assembled("vector_add", 0, "cuda:90")
    return module, "cubin", options


@pytest.mark.usefixtures("with_nvdisasm")
def test_the_cards_of_kernels():
    softmax = assemble_card(*assembled("softmax", 0, "cuda:90"))
    assert softmax.block_time is not None
    # Rows go to registers once: every load waits for memory at the same time, then reductions.
    assert 1400 < softmax.block_time.from_memory < 2 * 1400
    assert softmax.registers is not None
    unrolled = assemble_card(*assembled("layer_norm", 0, "cuda:90"))
    assert unrolled.block_time is None
    assert "ptxas unrolled a loop" in unrolled.block_time_unknown
    descriptors = assemble_card(*assembled("matmul_descriptor", 0, "cuda:90"))
    assert descriptors.block_time_unknown == "it has copies of tiles"
    assert "time of a block: not predicted: it has copies of tiles" in list(card_lines(descriptors))


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:100", "hip:gfx942"])
def test_chips_without_timings_say_nothing(chip):
    card = assemble_card(*assembled("softmax", 0, chip))
    assert card.block_time is None
    assert card.block_time_unknown == ""
    assert not any("time of a block" in line for line in card_lines(card))


def test_without_nvdisasm(monkeypatch):
    monkeypatch.setattr(nvdisasm, "disassemble", lambda _: None)
    card = assemble_card(*assembled("softmax", 0, "cuda:90"))
    assert card.registers is not None
    assert card.block_time is None
    assert card.block_time_unknown == "Cannot find nvdisasm"


def test_the_line_of_the_card():
    card = assemble_card(*assembled("vector_add", 0, "cuda:80"))
    time = predict_block_time(module_of(*for_loop()), ptx_of(PTX_LOAD), sass_of(BODY))
    (line,) = [each for each in card_lines(replace(card, block_time=time)) if "alone" in each]
    # A partition issues one instruction of its warp per cycle: 4 in an iteration, and the last.
    assert line == (
        f"time of a block alone: {round(time.from_l2)} cycles if its loads hit in L2, "
        f"{round(time.from_memory)} if none does; the busiest unit, the issue of instructions, "
        f"needs {64 * 4 + 1} (predicted from SASS)"
    )
    conflicting = replace(card, block_time=time, conflicts=8)
    assert any("without bank conflicts" in each for each in card_lines(conflicting))
