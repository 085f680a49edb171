"""Warp specialization on gfx1250: one partition loads tiles by TDM, the others sum them.

Triton 3.7.1 printed the TTGIR, from a kernel written with Gluon.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate

TEXT = (Path(__file__).parents[2] / "golden" / "gfx1250_specialised_sum.ttgir").read_text()


def run(llvm, turns: int, text: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Run a kernel on tiles of 32 x 64; return its result and their sum."""
    x = np.random.default_rng(0).standard_normal((32, 64 * turns)).astype(np.float16)
    y = np.zeros((32, 64), np.float32)
    simulate(
        text or llvm.text,
        grid=(1,),
        arguments=[x, y, 32, 64 * turns, turns],
        warp_size=32,
        shared_bytes=llvm.shared_bytes,
    )
    return y, x.reshape(32, turns, 64).astype(np.float32).sum(axis=1)


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_tiles_between_partitions(turns):
    actual, expected = run(lower(parse_module(TEXT)), turns)
    np.testing.assert_allclose(actual, expected, 1e-5, 1e-5)


def test_instructions():
    machine = Machine()
    said = machine.emit(lower(parse_module(TEXT)), "assembly").decode()
    machine.close()
    for word in ("tensor_load_to_lds", "ds_atomic_barrier_arrive_rtn_b64", "s_sleep"):
        assert word in said
    assert ".amdhsa_named_barrier_count 0" in said


def test_partition_barrier_waits_for_its_own_warps():
    """The kernel's four warps have a barrier with a name; a partition of one warp needs none."""
    source = re.sub(r"(default {|partition0\(.*)", r"\1\n ttg.barrier local", TEXT)
    llvm = lower(parse_module(source))
    named = re.findall(
        r"call .*signal\.var\(ptr addrspace\(3\) (@group\.\d+), i32 (\d+)\)", llvm.text
    )
    assert named == [("@group.0", "4")]
    actual, expected = run(llvm, 2)
    np.testing.assert_allclose(actual, expected, 1e-5, 1e-5)
    machine = Machine()
    said = machine.emit(llvm, "assembly").decode()
    machine.close()
    assert ".amdhsa_named_barrier_count 1" in said
    assert "s_barrier_join" in said


def test_missing_arrival_is_a_deadlock():
    llvm = lower(parse_module(TEXT))
    missing = re.sub(
        r"call i64 @llvm\.amdgcn\.ds\.atomic\.barrier\.arrive\.rtn\.b64\(.*\)",
        "add i64 0, 0",
        llvm.text,
    )
    with pytest.raises(CodegenError, match="deadlock"):
        run(llvm, 5, missing)


def test_chips_without_named_barriers_are_rejected():
    source = TEXT.replace("gfx1250", "gfx1201")
    with pytest.raises(CodegenError, match="warps cannot be specialised on hip:gfx1201"):
        lower(parse_module(source))
