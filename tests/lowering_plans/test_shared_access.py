"""Accesses to padded buffers: gaps move elements to other banks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import split_over
from tests.lowering_plans.modules import BLOCKED, instructions
from weft.compiler.machine_code import lower_ttgir
from weft.compiler.options import options_for
from weft.ir.text import parse_module
from weft.layouts import BlockedEncoding, PaddedSharedEncoding
from weft.layouts.bank_conflicts import bank_report
from weft.layouts.plans.local_access import local_access
from weft.lowering_plans.conversion import access_instruction
from weft.simulator import run_module
from weft.targets import target

CHIP = target("hip:gfx950")
COLUMNS = BLOCKED % ("1, 1", "64, 1", "1, 4", "0, 1")
PADDED = "#ttg.padded_shared<[64:+1] {order = [1, 0], shape = [64, 64]}>"
BUFFER = f"!ttg.memdesc<64x64xf32, {PADDED}, #ttg.shared_memory, mutable>"
BODY = f"""
tt.func public @k(%p: !tt.ptr<f32>) {{
  %c = arith.constant dense<1.0> : tensor<64x64xf32, {COLUMNS}>
  %b = ttg.local_alloc : () -> {BUFFER}
  ttg.local_store %c, %b : tensor<64x64xf32, {COLUMNS}> -> {BUFFER}
  %r = ttg.local_load %b : {BUFFER} -> tensor<64x64xf32, {COLUMNS}>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, {COLUMNS}>
  tt.store %s, %r : tensor<64x64x!tt.ptr<f32>, {COLUMNS}>
  tt.return
}}
"""


def test_a_padded_column_has_no_conflicts():
    (load,) = instructions(BODY, "ttg.local_load", chip=str(CHIP))
    assert (load.requests, load.wavefronts, load.conflicts) == (64, 64, 0)
    plain = PADDED.replace("64:+1", "64:+64")
    (load,) = instructions(BODY.replace(PADDED, plain), "ttg.local_load", chip=str(CHIP))
    assert (load.requests, load.wavefronts) == (64, 4096)


@pytest.mark.parametrize("padding", ["64:+1", "64:+2", "128:+4", "64:+64"])
def test_the_simulator_counts_the_same(padding):
    body = BODY.replace("64:+1", padding)
    module = parse_module(
        'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, '
        f'ttg.target = "{CHIP}", "ttg.threads-per-warp" = 64 : i32}} {{ {body} }}'
    )
    lowered = lower_ttgir(module, options_for(CHIP, {}))
    report = run_module(
        lowered, grid=(1, 1, 1), arguments=[np.zeros(1, np.float32)], counted_for=CHIP
    )
    assert report.counters is not None
    for op, kind in (("ttg.local_load", "shared load"), ("ttg.local_store", "shared store")):
        (planned,) = instructions(body, op, chip=str(CHIP))
        counted = report.counters.total(kind, planned.bits)
        assert (counted.requests, counted.wavefronts, counted.conflicts) == (
            planned.requests,
            planned.wavefronts,
            planned.conflicts,
        )


@given(
    split_over(2, 2),
    split_over(6, 2),
    split_over(2, 2),
    st.permutations((0, 1)),
    st.sampled_from([16, 64, 128]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from(["read", "write"]),
)
def test_as_many_passes_as_the_report_of_banks(
    per_thread, lanes, warps, order, interval, gap, kind
):
    shape = (32, 64)
    registers = BlockedEncoding(per_thread, lanes, warps, tuple(order)).linear(shape)
    padded = PaddedSharedEncoding.with_identity((interval,), (gap,), shape, (1, 0))
    memory = CHIP.shared_memory
    linear = padded.linear(shape)
    access = local_access(registers, linear, 32, memory, kind, padded.longest_run)
    planned = access_instruction(access, 32, memory, CHIP, padded)
    report = bank_report(registers, padded, shape, 32, memory, kind)
    if planned.bits == report.bits:
        assert (planned.requests, planned.wavefronts) == (report.accesses, report.wavefronts)
