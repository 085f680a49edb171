"""Machine code from Triton's final TTGIR: no more shared memory, barriers or spills than Triton.

One exception is intended: a conversion whose repetitions reuse the same bytes needs less shared
memory than Triton's and more barriers. Barriers are compared only if the memory is equal.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.oracle.client import TritonError
from tests.oracle.corpus import EXAMPLES, LAYOUT_COMPILES, name
from tests.oracle.figures import figures_of
from weft.codegen import LlvmModule, Machine, lower
from weft.codegen.backend.ptxas import every_ptxas
from weft.errors import CodegenError
from weft.ir.text import parse_module

pytestmark = pytest.mark.oracle

BARRIER = re.compile(
    r"(?<!declare )void @llvm\.(?:nvvm\.barrier\S*|amdgcn\.s\.barrier|amdgcn\.s\.barrier\.signal)\("
    r"|bar\.sync|barrier\.sync"
)
FIRST = tuple((path, index) for path, index in EXAMPLES if index == 0)
CHIPS = ("cuda:80", "cuda:90", "cuda:100")
NVIDIA = tuple((path, index, chip) for path, index in FIRST for chip in CHIPS)
SAMPLE = (*NVIDIA, *LAYOUT_COMPILES[::2])


@pytest.fixture(scope="module")
def machine():
    worker = Machine()
    yield worker
    worker.close()


def both(triton, each) -> tuple[LlvmModule, dict[str, Any]]:
    """Lower Triton's final TTGIR with weft and with Triton."""
    try:
        final = triton.steps(*each)[-1].after
        theirs = triton.machine_code(final, each[2])
    except TritonError as error:
        pytest.skip(f"Triton refuses it: {str(error)[:80]}")
    try:
        return lower(parse_module(final)), theirs
    except CodegenError as error:
        pytest.skip(f"not lowered: {error.message}")


def barriers_in(text: str) -> int:
    return len(BARRIER.findall(text))


@pytest.mark.parametrize("each", SAMPLE, ids=[name(*each) for each in SAMPLE])
def test_no_more_shared_memory_and_no_more_barriers(triton, each):
    ours, theirs = both(triton, each)
    assert ours.shared_bytes <= theirs["shared"]
    if ours.shared_bytes == theirs["shared"]:
        assert barriers_in(ours.text) <= barriers_in(theirs["llir"])


@pytest.mark.parametrize("each", NVIDIA, ids=[name(*each) for each in NVIDIA])
def test_nothing_spills_that_triton_keeps_in_registers(triton, machine, each):
    ours, theirs = both(triton, each)
    known = every_ptxas(ours.target.llvm_cpu)
    if not known:
        pytest.skip("no ptxas that knows the chip on this machine")
    ptx = machine.emit(ours, "assembly").decode()
    mine = figures_of(known[0], ours, ptx, ours.shared_bytes)
    triton_s = figures_of(known[0], ours, theirs["ptx"], theirs["shared"])
    assert mine.spilled <= triton_s.spilled
    assert mine.instructions <= 1.1 * triton_s.instructions
