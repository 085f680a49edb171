"""Pipelined loops in machine code: right results, and planted bugs are found."""

from __future__ import annotations

import json
import linecache
import re

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.codegen import LlvmModule, lower
from weft.ir.text import parse_module, print_module
from weft.simulator import DeadlockError, RaceError, SimulatorError, run

DEPTH = 128


@weft.jit
def product(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Multiply BM rows of a with n rows of b."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, n, BK):
        left = tl.load(a + rows[:, None] * n + k + depth[None, :])
        right = tl.load(b + (k + depth[:, None]) * BN + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * BN + columns[None, :], total)


@weft.jit
def product_of_tiles(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Multiply BM rows of a with n rows of b, both through descriptors."""
    lefts = tl.make_tensor_descriptor(a, [BM, n], [n, 1], [BM, BK])
    rights = tl.make_tensor_descriptor(b, [n, BN], [BN, 1], [BK, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, n, BK):
        total = tl.dot(lefts.load([0, k]), rights.load([k, 0]), total)
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    tl.store(c + rows[:, None] * BN + columns[None, :], total)


def ttgir(kernel, target: str, num_stages: int) -> str:
    """Compile a kernel with tiles of 64 x 32 x 32 for four warps."""
    compiled = weft.compile(
        kernel,
        signature="*fp16:16, *fp16:16, *fp32:16, i32:16, 64, 32, 32",
        target=target,
        num_stages=num_stages,
        stop_after="ttgir",
    )
    return print_module(compiled.module("ttgir"), locations=True)


def simulated_error(ttgir_text: str) -> float:
    """Run the LLVM IR of a product and compare it with numpy."""
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


def replaced(pattern: str, by: str, text: str) -> str:
    """Replace each match, of which there is one at least."""
    result, count = re.subn(pattern, by, text)
    assert count
    return result


def source_lines(error: RaceError) -> list[str]:
    """Find the source lines of a race's accesses, the later access first."""
    accesses = (error.second, error.first)
    locations = [access.location for access in accesses if access is not None]
    return [linecache.getline(each.file, each.line).strip() for each in locations if each]


LOAD_LEFT = "left = tl.load(a + rows[:, None] * n + k + depth[None, :])"
LOAD_RIGHT = "right = tl.load(b + (k + depth[:, None]) * BN + columns[None, :])"
DOT = "total = tl.dot(left, right, total)"
DOT_OF_TILES = "total = tl.dot(lefts.load([0, k]), rights.load([k, 0]), total)"
STORE = "tl.store(c + rows[:, None] * BN + columns[None, :], total)"


@pytest.mark.parametrize("num_stages", [2, 3])
@pytest.mark.parametrize(
    ("kernel", "target"),
    [(product, "cuda:80"), (product, "cuda:90"), (product_of_tiles, "cuda:90")],
)
def test_pipelined_products(kernel, target, num_stages):
    assert simulated_error(ttgir(kernel, target, num_stages)) < 1e-3


def test_a_wait_for_too_few_groups():
    text = ttgir(product, "cuda:80", 3)
    wrong = replaced(r"(ttg.async_wait .*)\{num = 2 : i32\}", r"\1{num = 3 : i32}", text)
    with pytest.raises(RaceError, match="unfinished asynchronous copy") as error:
        simulated_error(wrong)
    assert source_lines(error.value) == [DOT, LOAD_RIGHT]


def test_a_missing_barrier():
    llvm = lower(parse_module(ttgir(product, "cuda:80", 3)))
    text = llvm.text_with_locations()
    wrong = replaced(r"\n.*barrier\.cta\.sync\.aligned\.all.*", "", text)
    with pytest.raises(RaceError, match="no barrier between") as error:
        llvm_error(llvm, wrong)
    assert source_lines(error.value) == [DOT, LOAD_LEFT]


def test_a_missing_barrier_before_a_buffer_is_reused():
    """Only the barrier before the copies of the next iteration is missing."""
    llvm = lower(parse_module(ttgir(product, "cuda:80", 2)))
    lines = llvm.text_with_locations().split("\n")
    copies = [n for n, line in enumerate(lines) if "cp.async.cg" in line]
    before = next(n for n in range(copies[-2], 0, -1) if "barrier.cta.sync" in lines[n])
    del lines[before]
    with pytest.raises(RaceError, match=r"copies to byte .* read, with no barrier") as error:
        llvm_error(llvm, "\n".join(lines))
    assert source_lines(error.value) == [LOAD_LEFT, DOT]


def test_a_buffer_that_is_reused_too_early():
    text = ttgir(product, "cuda:90", 3)
    wrong = replaced(r"\{pendings = 1 : i32\}", "{pendings = 2 : i32}", text)
    with pytest.raises(RaceError, match="unfinished wgmma reads") as error:
        simulated_error(wrong)
    assert source_lines(error.value) == [LOAD_LEFT, DOT]


def test_registers_that_are_read_too_early():
    text = ttgir(product, "cuda:90", 3)
    wrong = replaced(r"\{pendings = 0 : i32\}", "{pendings = 1 : i32}", text)
    with pytest.raises(RaceError, match="registers of an unfinished wgmma") as error:
        simulated_error(wrong)
    assert source_lines(error.value) == [STORE, DOT]


@pytest.mark.parametrize("byte_count", [2048, 8192])
def test_a_wrong_number_of_bytes(byte_count):
    """An mbarrier that expects too many bytes never completes; with too few it completes early."""
    text = ttgir(product_of_tiles, "cuda:90", 3)
    wrong = replaced(r"(ttng.barrier_expect .*, )(\d+)( \{|,)", rf"\g<1>{byte_count}\3", text)
    with pytest.raises(SimulatorError) as error:
        simulated_error(wrong)
    assert DOT_OF_TILES in str(error.value)


def test_a_deadlock_names_the_mbarrier():
    text = ttgir(product_of_tiles, "cuda:90", 3)
    wrong = replaced(r"(ttng.barrier_expect .*, )(\d+)( \{|,)", r"\g<1>8192\3", text)
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
    assert entry["mbarrier"]["initialized"]["line"] == entry["location"]["line"] - 1


def test_a_wait_for_the_wrong_phase():
    """The wait before a phase is complete passes, as its parity is that of the phase before."""
    llvm = lower(parse_module(ttgir(product_of_tiles, "cuda:90", 3)))
    # Each wait is for the other phase.
    wrong = replaced(
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
    assert source_lines(error.value) == [DOT_OF_TILES] * 2
