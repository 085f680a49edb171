"""Pipelined loops in machine code: right results, and planted bugs are found."""

from __future__ import annotations

import json
import linecache
import re

import numpy as np
import pytest

import weft
from tests.matmul_kernels import compile_to_ttgir, descriptor_matmul, matmul, substitute
from weft.codegen import LlvmModule, lower
from weft.ir.text import parse_module
from weft.simulator import DeadlockError, RaceError, SimulatorError, run

DEPTH = 128


def ttgir(kernel: weft.JITFunction, target: str, num_stages: int) -> str:
    return compile_to_ttgir(kernel, target, num_stages, (64, 32, 32))


def simulated_error(ttgir_text: str) -> float:
    """Run the LLVM IR of a matmul and compare it with numpy."""
    llvm = lower(parse_module(ttgir_text))
    return llvm_error(llvm, llvm.text_with_locations())


def llvm_error(llvm: LlvmModule, text: str) -> float:
    random = np.random.default_rng(0)
    a = random.standard_normal((64, DEPTH)).astype(np.float16)
    b = random.standard_normal((DEPTH, 32)).astype(np.float16)
    c = np.zeros((64, 32), np.float32)
    run(
        text,
        grid=(1,),
        arguments=[a, b, c, DEPTH],
        warp_size=32,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )
    return float(np.abs(c - a.astype(np.float32) @ b.astype(np.float32)).max())


def source_lines(error: RaceError) -> list[str]:
    """Find the source lines of a race's accesses, the later access first."""
    accesses = (error.second, error.first)
    locations = [access.location for access in accesses if access is not None]
    return [linecache.getline(each.file, each.line).strip() for each in locations if each]


LOAD_A = "a_tile = tl.load(a + rows[:, None] * n + k + depth[None, :])"
LOAD_B = "b_tile = tl.load(b + (k + depth[:, None]) * BN + columns[None, :])"
DOT = "total = tl.dot(a_tile, b_tile, total)"
DOT_OF_DESCRIPTORS = "total = tl.dot(a_desc.load([0, k]), b_desc.load([k, 0]), total)"
STORE = "tl.store(c + rows[:, None] * BN + columns[None, :], total)"


@pytest.mark.parametrize("num_stages", [2, 3])
@pytest.mark.parametrize(
    ("kernel", "target"),
    [(matmul, "cuda:80"), (matmul, "cuda:90"), (descriptor_matmul, "cuda:90")],
)
def test_pipelined_matmuls(kernel, target, num_stages):
    assert simulated_error(ttgir(kernel, target, num_stages)) < 1e-3


def test_a_wait_for_too_few_groups():
    text = ttgir(matmul, "cuda:80", 3)
    wrong = substitute(r"(ttg.async_wait .*)\{num = 2 : i32\}", r"\1{num = 3 : i32}", text)
    with pytest.raises(RaceError, match="unfinished asynchronous copy") as error:
        simulated_error(wrong)
    assert source_lines(error.value) == [LOAD_B, LOAD_B]


def test_a_missing_barrier():
    llvm = lower(parse_module(ttgir(matmul, "cuda:80", 3)))
    text = llvm.text_with_locations()
    wrong = substitute(r"\n.*barrier\.cta\.sync\.aligned\.all.*", "", text)
    with pytest.raises(RaceError, match="no barrier between") as error:
        llvm_error(llvm, wrong)
    assert source_lines(error.value) == [LOAD_A, LOAD_A]


def test_a_missing_barrier_before_a_buffer_is_reused():
    """Only the barrier before the copies of the next iteration is missing."""
    llvm = lower(parse_module(ttgir(matmul, "cuda:80", 2)))
    lines = llvm.text_with_locations().split("\n")
    copies = [n for n, line in enumerate(lines) if "cp.async.cg" in line]
    before = next(n for n in range(copies[-2], 0, -1) if "barrier.cta.sync" in lines[n])
    del lines[before]
    with pytest.raises(RaceError, match=r"copies to byte .* read, with no barrier") as error:
        llvm_error(llvm, "\n".join(lines))
    assert source_lines(error.value) == [LOAD_A, LOAD_A]


def test_a_buffer_that_is_reused_too_early():
    text = ttgir(matmul, "cuda:90", 3)
    wrong = substitute(r"\{pendings = 1 : i32\}", "{pendings = 2 : i32}", text)
    with pytest.raises(RaceError, match="unfinished wgmma reads") as error:
        simulated_error(wrong)
    assert source_lines(error.value) == [LOAD_A, DOT]


def test_registers_that_are_read_too_early():
    text = ttgir(matmul, "cuda:90", 3)
    wrong = substitute(r"\{pendings = 0 : i32\}", "{pendings = 1 : i32}", text)
    with pytest.raises(RaceError, match="registers of an unfinished wgmma") as error:
        simulated_error(wrong)
    assert source_lines(error.value) == [STORE, DOT]


@pytest.mark.parametrize("byte_count", [2048, 8192])
def test_a_wrong_number_of_bytes(byte_count):
    """An mbarrier that expects too many bytes never completes; with too few it completes early."""
    text = ttgir(descriptor_matmul, "cuda:90", 3)
    wrong = substitute(r"(ttng.barrier_expect .*, )(\d+)( \{|,)", rf"\g<1>{byte_count}\3", text)
    with pytest.raises(SimulatorError) as error:
        simulated_error(wrong)
    # A deadlock names the wait, which has the location of the loop.
    assert any(text in str(error.value) for text in (DOT_OF_DESCRIPTORS, "for k in range("))


def test_a_deadlock_names_the_mbarrier():
    text = ttgir(descriptor_matmul, "cuda:90", 3)
    wrong = substitute(r"(ttng.barrier_expect .*, )(\d+)( \{|,)", r"\g<1>8192\3", text)
    with pytest.raises(DeadlockError) as error:
        simulated_error(wrong)
    assert "phase 0 of the mbarrier at byte" in str(error.value)
    assert "0 arrivals and 2048 bytes are pending" in str(error.value)
    (wait,) = error.value.waits
    assert wait.warps == (0, 1, 2, 3)
    assert wait.instruction is not None
    assert wait.instruction.location is not None
    (entry,) = json.loads(error.value.to_json())["waits"]
    assert entry["location"]["line"] == wait.instruction.location.line
    assert entry["mbarrier"]["pending_bytes"] == 2048
    assert entry["mbarrier"]["initialized"]["line"] == entry["location"]["line"]


def test_a_wait_for_the_wrong_phase():
    """The wait before a phase is complete passes, as its parity is that of the phase before."""
    llvm = lower(parse_module(ttgir(descriptor_matmul, "cuda:90", 3)))
    # Each wait is for the other phase.
    wrong = substitute(
        r"( call void asm sideeffect \"[^\"]*mbarrier\.try_wait[^\n]*i32 )(%\w+)(\)|,)",
        r"\1PHASE(\2)\3",
        llvm.text_with_locations(),
    )
    lines = []
    for line in wrong.splitlines():
        match = re.search(r"PHASE\((%(\w+))\)", line)
        if match:
            lines.append(f"  %other{len(lines)} = xor i32 {match[1]}, 1")
            line = line.replace(match[0], f"%other{len(lines) - 1}")
        lines.append(line)
    with pytest.raises(RaceError, match="unfinished asynchronous copy") as error:
        llvm_error(llvm, "\n".join(lines))
    assert source_lines(error.value) == [DOT_OF_DESCRIPTORS] * 2
