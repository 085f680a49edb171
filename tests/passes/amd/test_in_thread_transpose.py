"""Buffers that in-thread transposes follow through control flow, and the ledger."""

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
    module_ = module(body, arguments)
    run_pipeline(parse_pipeline(NAME), module_, verify=True)
    return print_module(module_)


LOAD = "%x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>\n"
BUFFER = f"%b = ttg.local_alloc : () -> {VIEW}\n"
STORE = f"ttg.local_store %x, %b : {TILE} -> {VIEW}\n"


def test_a_buffer_as_iter_arg_of_a_while_loop():
    text = after(
        LOAD + BUFFER + STORE
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


def test_a_buffer_as_result_of_a_conditional():
    text = after(
        LOAD + BUFFER + BUFFER.replace("%b", "%d") + STORE + STORE.replace("%b", "%d")
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
            LOAD + BUFFER + STORE
            + f"%t = ttg.memdesc_trans %b {{order = array<i32: 1, 0>}} : {VIEW} -> "
            "!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, "
            "order = [0, 1]}>, #smem, mutable>\n"
            + f"%o = ttg.local_load %b : {VIEW} -> {OPERAND}",
            "",
        ),
    ],
    ids=["an argument", "not loaded", "an unknown view"],
)  # fmt: skip
def test_buffers_with_unknown_accesses_stay(body, arguments):
    assert "amdg.in_thread_transpose" not in after(body, arguments)


def test_a_tensor_of_one_row_per_thread_stays():
    narrow = (LOAD + BUFFER + STORE + f"%o = ttg.local_load %b : {VIEW} -> {OPERAND}").replace(
        "64x64", "16x64"
    )
    text = f"{HEAD}tt.func public @k(%p: tensor<16x64x!tt.ptr<f16>, #blocked>) {{\n{narrow}\n"
    module_ = parse_module(text + "tt.return\n}\n}")
    run_pipeline(parse_pipeline(NAME), module_, verify=True)
    assert "amdg.in_thread_transpose" not in print_module(module_)


def test_definitions_and_users_of_an_iter_arg():
    module_ = module(
        LOAD + BUFFER + STORE
        + f"""%c0 = arith.constant 0 : i32
%r = scf.for %i = %c0 to %n step %n iter_args(%v = %b) -> ({VIEW})  : i32 {{
  %o = ttg.local_load %v : {VIEW} -> {OPERAND}
  scf.yield %v : {VIEW}
}}
ttg.local_dealloc %r : {VIEW}"""
    )  # fmt: skip
    (loop,) = [op for op in module_.walk() if isinstance(op, scf.ForOp)]
    buffer, iter_arg = loop.operands[3], loop.iter_args[0]
    values = definitions(loop.results[0], set())
    assert values is not None
    assert set(values) == {loop.results[0], iter_arg, buffer}
    buffer_users = users(buffer, set())
    assert buffer_users is not None
    assert {op.name for op in buffer_users.ops} == {
        "ttg.local_store",
        "ttg.local_load",
        "ttg.local_dealloc",
    }
    assert set(buffer_users.carriers) == {iter_arg, loop.results[0]}
    argument = loop.operands[1]
    assert definitions(argument, set()) is None


def test_every_new_layout_has_a_reason():
    module_ = module(LOAD + BUFFER + STORE + f"%o = ttg.local_load %b : {VIEW} -> {OPERAND}")
    with collecting() as decisions:
        run_pipeline(parse_pipeline(NAME), module_)
    values = {decision.value for decision in decisions}
    for op in module_.walk():
        if op.name in ("ttg.convert_layout", "amdg.in_thread_transpose", "tt.load"):
            assert op.results[0] in values, op.name
        if op.name == "ttg.local_alloc":
            assert op.results[0] in values
