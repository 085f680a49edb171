"""Which buffers a transpose in threads follows, and what it writes to the ledger."""

from __future__ import annotations

import pytest

from weft.decisions import collecting
from weft.ir import scf
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline
from weft.passes.amd.in_thread_transpose.use_def import definitions, users

NAME = "tritonamdgpu-in-thread-transpose"
OPERAND = "tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>"
VIEW = "!ttg.memdesc<64x64xf16, #shared, #smem, mutable>"
TILE = "tensor<64x64xf16, #blocked>"
HEAD = """
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1],
  order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8],
  isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 64 : i32} {
"""


def module(body: str, arguments: str = "") -> ModuleOp:
    signature = "%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32, %c: i1" + arguments
    return parse_module(f"{HEAD}tt.func public @k({signature}) {{\n{body}\ntt.return\n}}\n}}")


def after(body: str, arguments: str = "") -> str:
    made = module(body, arguments)
    run_pipeline(parse_pipeline(NAME), made, verify=True)
    return print_module(made)


LOADED = "%x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>\n"
BUFFER = f"%b = ttg.local_alloc : () -> {VIEW}\n"
STORE = f"ttg.local_store %x, %b : {TILE} -> {VIEW}\n"


def test_a_buffer_that_a_while_carries():
    text = after(
        LOADED + BUFFER + STORE
        + f"""%w = scf.while (%v = %b) : ({VIEW}) -> {VIEW} {{
  scf.condition(%c) %v : {VIEW}
}} do {{
^bb0(%u: {VIEW}):
  %o = ttg.local_load %u : {VIEW} -> {OPERAND}
  scf.yield %u : {VIEW}
}}"""
    )  # fmt: skip
    assert "amdg.in_thread_transpose" in text
    assert "#ttg.swizzled_shared" not in text


def test_a_buffer_that_a_conditional_chooses():
    text = after(
        LOADED + BUFFER + BUFFER.replace("%b", "%d") + STORE + STORE.replace("%b", "%d")
        + f"""%v = scf.if %c -> ({VIEW}) {{
  scf.yield %b : {VIEW}
}} else {{
  scf.yield %d : {VIEW}
}}
%o = ttg.local_load %v : {VIEW} -> {OPERAND}"""
    )  # fmt: skip
    assert text.count("amdg.in_thread_transpose") == 2
    assert "#ttg.swizzled_shared" not in text


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        (f"%o = ttg.local_load %g : {VIEW} -> {OPERAND}", f", %g: {VIEW}"),
        (
            BUFFER + f"ttg.local_store %y, %b : {TILE} -> {VIEW}\n"
            f"%o = ttg.local_load %b : {VIEW} -> {OPERAND}",
            f", %y: {TILE}",
        ),
        (
            LOADED + BUFFER + STORE
            + f"%t = ttg.memdesc_trans %b {{order = array<i32: 1, 0>}} : {VIEW} -> "
            "!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, "
            "order = [0, 1]}>, #smem, mutable>\n"
            + f"%o = ttg.local_load %b : {VIEW} -> {OPERAND}",
            "",
        ),
    ],
    ids=["an argument", "not loaded", "an unknown view"],
)  # fmt: skip
def test_what_is_out_of_sight_stays(body, arguments):
    assert "amdg.in_thread_transpose" not in after(body, arguments)


def test_one_row_per_thread_is_all_there_is():
    narrow = (LOADED + BUFFER + STORE + f"%o = ttg.local_load %b : {VIEW} -> {OPERAND}").replace(
        "64x64", "16x64"
    )
    text = f"{HEAD}tt.func public @k(%p: tensor<16x64x!tt.ptr<f16>, #blocked>) {{\n{narrow}\n"
    made = parse_module(text + "tt.return\n}\n}")
    run_pipeline(parse_pipeline(NAME), made, verify=True)
    assert "amdg.in_thread_transpose" not in print_module(made)


def test_definitions_and_readers_meet_in_the_middle():
    made = module(
        LOADED + BUFFER + STORE
        + f"""%c0 = arith.constant 0 : i32
%r = scf.for %i = %c0 to %n step %n iter_args(%v = %b) -> ({VIEW})  : i32 {{
  %o = ttg.local_load %v : {VIEW} -> {OPERAND}
  scf.yield %v : {VIEW}
}}
ttg.local_dealloc %r : {VIEW}"""
    )  # fmt: skip
    (loop,) = [op for op in made.walk() if isinstance(op, scf.ForOp)]
    buffer, carried = loop.operands[3], loop.iter_args[0]
    found = definitions(loop.results[0], set())
    assert found is not None
    assert set(found) == {loop.results[0], carried, buffer}
    read = users(buffer, set())
    assert read is not None
    assert {op.name for op in read.ops} == {
        "ttg.local_store",
        "ttg.local_load",
        "ttg.local_dealloc",
    }
    assert set(read.carriers) == {carried, loop.results[0]}
    argument = loop.operands[1]
    assert definitions(argument, set()) is None


def test_every_new_layout_has_a_reason():
    made = module(LOADED + BUFFER + STORE + f"%o = ttg.local_load %b : {VIEW} -> {OPERAND}")
    with collecting() as decisions:
        run_pipeline(parse_pipeline(NAME), made)
    told = {one.value for one in decisions}
    for op in made.walk():
        if op.name in ("ttg.convert_layout", "amdg.in_thread_transpose", "tt.load"):
            assert op.results[0] in told, op.name
        if op.name == "ttg.local_alloc":
            assert op.results[0] in told
