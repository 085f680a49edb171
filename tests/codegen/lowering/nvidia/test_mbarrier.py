"""mbarriers: missing synchronization is reported; TTGIR printed by Triton 3.7.1 runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.codegen.comparing import kernel_of
from tests.codegen.descriptors import assembles, run_text, simulated
from weft.analysis.hazards import Barriers
from weft.codegen import lower
from weft.codegen.lowering.nvidia.tma_host_descriptors import HostDescriptor, host_descriptors
from weft.errors import CodegenError
from weft.ir.text import parse_module

GOLDEN = Path(__file__).parents[2] / "golden"


def copied():
    from tests.codegen.lowering.nvidia.test_tma import copied as kernel

    return weft.compile(
        kernel, signature="*fp16:16, *fp16:16, i32:16, i32:16, 32, 64", target="cuda:90"
    )


def arguments() -> list[Any]:
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float16)
    return [x, np.zeros_like(x), 64, 64]


def without(pattern: str) -> str:
    """Return a copy kernel's text without the lines that a pattern is found in."""
    lines = lower(copied().module("ttgir")).text.splitlines()
    remaining = [line for line in lines if not re.search(pattern, line) or "declare" in line]
    assert len(remaining) < len(lines), pattern
    return "\n".join(remaining)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"mbarrier\.try_wait", "a barrier is invalidated before the copies"),
        (
            r"mbarrier\.(try_wait|inval)",
            "an asynchronous copy reads shared memory that an unfinished one writes",
        ),
        (r"\"cp\.async\.bulk\.wait_group", "exits with asynchronous copies from its shared memory"),
        (
            r"fence\.proxy\.async",
            "no proxy fence between a thread's store to shared memory and the asynchronous copy",
        ),
        (r"fence\.proxy\.tensormap", "a TMA descriptor is used before fence.proxy.tensormap"),
        (r"mbarrier\.init", "no barrier was initialized at this byte of shared memory"),
        (r"mbarrier\.arrive", "deadlock"),
        (r"complete_tx", "deadlock"),
        (r"tensormap\.replace\.tile\.elemtype", None),
        (r"tensormap\.replace\.tile\.box_dim.* 0, \$2", "invalid TMA descriptor"),
    ],
)
def test_missing_synchronization_is_reported(pattern, message):
    llvm = lower(copied().module("ttgir"))
    if message is None:  # bytes where there should be halves: fewer arrive than were expected
        message = "deadlock"
    with pytest.raises(CodegenError, match=re.escape(message)):
        run_text(llvm, without(pattern), (2, 1), arguments())


def test_missing_barrier_is_reported(monkeypatch):
    monkeypatch.setattr("weft.codegen.lowering.function.barriers", lambda *_: Barriers(frozenset()))
    with pytest.raises(CodegenError, match=r"no (barrier|proxy fence) between"):
        simulated(copied(), (2, 1), arguments())


def test_reinitialized_mbarrier_and_excess_arrivals():
    llvm = lower(copied().module("ttgir"))
    init = next(line for line in llvm.text.splitlines() if "mbarrier.init" in line)
    arrival = next(line for line in llvm.text.splitlines() if "mbarrier.arrive" in line)
    with pytest.raises(CodegenError, match="a barrier is initialized while it is in use"):
        run_text(llvm, llvm.text.replace(arrival, f"{arrival}\n{init}"), (1, 1), arguments())
    expects = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 4096"
    twice = llvm.text.replace(expects, "mbarrier.arrive.shared::cta.b64 _, [$1], 2")
    with pytest.raises(CodegenError, match="more arrivals at a barrier than it expects"):
        run_text(llvm, twice, (1, 1), arguments())


def test_warp_synchronizes_before_an_elected_arrival():
    """Else racecheck warns: ptxas has another lane make the barrier than arrives on it."""
    lines = lower(copied().module("ttgir")).text.splitlines()
    inits = [n for n, line in enumerate(lines) if "mbarrier.init" in line]
    assert inits
    assert all("bar.warp.sync" in lines[n + 1] for n in inits)


def test_number_of_cta_barriers():
    """One after both descriptors and the mbarrier's initialization, one before its invalidation."""
    report = simulated(copied(), (1, 1), arguments())
    assert report.barriers == 2
    assert report.shared_memory.accesses["tma in", 4096] == 1
    assert report.shared_memory.accesses["tma out", 4096] == 1


# --------------------------------------------------------- TTGIR that Triton 3.7.1 printed
@pytest.mark.parametrize("chip", ["cuda:90", "cuda:100"])
def test_triton_copy(chip):
    text = (GOLDEN / "copy_descriptor.ttgir").read_text().replace("cuda:90", chip)
    module = parse_module(text)
    x, y, rows, columns = arguments()
    simulated(module, (1, 1), [x, y, rows, columns])
    np.testing.assert_array_equal(y, x * 2)
    assembles(module)


@pytest.mark.parametrize("depth", [0, 32, 64, 200, 512])
def test_triton_pipelined_matmul(depth):
    """Three stages of tiles are under way at once, and the last ones are not asked for."""
    module = parse_module((GOLDEN / "matmul_host_descriptor.ttgir").read_text())
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((160, max(depth, 8))).astype(np.float16) for _ in range(2))
    c = np.zeros((160, 168), np.float16)
    report = simulated(module, (2, 2), [a, b, c, depth])
    expected = a[:, :depth].astype(np.float32) @ b[:, :depth].astype(np.float32).T
    np.testing.assert_allclose(c[:, :160].astype(np.float32), expected, 1e-2, 5e-2)
    assert lower(module).shared_bytes == 98328  # as Triton has it: the result's tile lies over them
    assert report.barriers == 4 * (3 + -(-depth // 64))


def test_triton_stores_overlap_the_next_load():
    """A loop whose store is waited for in the next turn, and at the end."""
    module = parse_module((GOLDEN / "shifted_rows.ttgir").read_text())
    x = np.random.default_rng(0).integers(0, 100, (80, 16)).astype(np.int8)
    y = np.zeros_like(x)
    simulated(module, (1, 1), [x, y, 80, 16])
    np.testing.assert_array_equal(y, x + 1)
    assembles(module)


def test_triton_persistent_matmul():
    """Two programs take six tiles between them; a tile's store overlaps the next one's loads."""
    module = parse_module((GOLDEN / "persistent_matmul.ttgir").read_text())
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((n, 80)).astype(np.float16) for n in (160, 128))
    c = np.zeros((160, 128), np.float16)
    simulated(module, (2,), [a, b, c, 160, 128, 80])
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 5e-2)
    assert assembles(module).spill_stores == 0


def test_wgmma_accumulators_are_not_selected():
    """Ptxas would wait for each product if an instruction read its sum before the wait."""
    text = lower(parse_module((GOLDEN / "persistent_matmul.ttgir").read_text())).text
    assert not re.search(r"select i1 \S+, float", text)


def test_write_to_a_buffer_under_read_is_reported():
    module = parse_module((GOLDEN / "shifted_rows.ttgir").read_text())
    llvm = lower(module)
    lines = llvm.text.splitlines()
    first = next(n for n, line in enumerate(lines) if '"cp.async.bulk.wait_group.read 0' in line)
    text = "\n".join(line for n, line in enumerate(lines) if n != first)
    x = np.zeros((80, 16), np.int8)
    with pytest.raises(
        CodegenError,
        match="a thread writes shared memory that an unfinished asynchronous copy reads",
    ):
        run_text(llvm, text, (1, 1), [x, x.copy(), 80, 16])


def test_box_larger_than_its_swizzle():
    llvm = lower(copied().module("ttgir"))
    text = re.sub(r"(swizzle_mode\S+ \[\$0\]), 3", r"\1, 1", llvm.text)
    with pytest.raises(CodegenError, match="a row of a TMA box is wider than its swizzle"):
        run_text(llvm, text, (1, 1), arguments())


def test_host_descriptors_record_the_swizzle():
    text = (GOLDEN / "matmul_host_descriptor.ttgir").read_text()
    plain = "module { tt.func public @k(%d: !tt.tensordesc<tensor<8x8xf16>>) { tt.return } }"
    kernel = kernel_of(parse_module(text))
    assert host_descriptors(kernel)[0] == HostDescriptor((128, 64), 128, "f16")
    with pytest.raises(CodegenError, match="tensor descriptor has no shared-memory encoding"):
        host_descriptors(kernel_of(parse_module(plain)))
