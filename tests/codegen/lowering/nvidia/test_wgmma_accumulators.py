"""Initial wgmma accumulators get distinct registers, so that ptxas keeps wgmma asynchronous."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.codegen.comparing import require_text
from tests.codegen.wgmma_sums import sums
from weft.codegen import lower
from weft.codegen.backend.ptxas import ptxas_for
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.nvidia.wgmma_accumulators import copy_to_registers
from weft.ir.text import parse_module

EXPERTS = Path(__file__).parents[2] / "golden" / "rows_of_experts.ttgir"


def test_initial_accumulators_have_distinct_registers():
    text = lower(parse_module(sums())).text
    first = re.findall(r"= phi float \[ ([^,]+), %", text)
    assert len(first) == 2 * 64 * 64 // 128
    assert len(set(first)) == len(first)
    assert all(value.startswith("%") for value in first)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_loops_of_zero_or_many_iterations(seed):
    require_text(sums(), tolerance=1e-2, seed=seed)


def test_ptxas_keeps_wgmma_asynchronous(machine):
    """Of Triton's TTGIR for rows that are gathered ptxas warns, where zeros are copied."""
    actual = ptxas_for("sm_90a")
    if actual is None:
        pytest.skip("no ptxas that knows sm_90a on this machine")
    ptx = machine.emit(lower(parse_module(EXPERTS.read_text())), "assembly")
    command = [actual.path, "-v", "-arch=sm_90a", "-o", "/dev/null", "/dev/stdin"]
    process = subprocess.run(command, input=ptx, capture_output=True, check=True)
    assert b"Used" in process.stderr
    assert b"C75" not in process.stderr


def test_distinct_registers_are_unchanged():
    w = Writer()
    assert copy_to_registers(w, "float", ["%a", "%b"]) == ["%a", "%b"]
    assert not w.lines
    assert len(set(copy_to_registers(w, "float", ["%a", "%a"]))) == 2
    (one,) = copy_to_registers(w, "i32", ["0"])
    assert one.startswith("%")
    assert "call i32 asm" in w.body()
