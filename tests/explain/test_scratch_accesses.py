"""What reductions, scans, conversions and atomics move through shared memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft
from weft.explain.labels import Labels
from weft.explain.model import SharedAccess
from weft.explain.scratch_accesses import SCRATCH, find_scratch_accesses
from weft.kernel.files import load_cases, load_file

EXAMPLES = Path(__file__).parents[2] / "examples"


def accesses_of(example: str, case: int, chip: str) -> list[SharedAccess]:
    kernel = load_cases(load_file(str(EXAMPLES / f"{example}.py")))[case]
    module = weft.compile(
        kernel.kernel,
        signature=kernel.signature,
        constexprs=kernel.constexprs,
        target=chip,
        **kernel.options,
    ).module("ttgir")
    return list(find_scratch_accesses(module, Labels(module)))


def test_each_reduction_stores_and_loads_partials():
    accesses = accesses_of("softmax", 0, "cuda:90")
    assert [
        (each.op, each.kind, each.bits, each.accesses, each.wavefronts) for each in accesses
    ] == [
        ("tt.reduce", "write", 32, 4, 4),
        ("tt.reduce", "read", 128, 4, 8),
    ] * 2
    assert {each.memory for each in accesses} == {SCRATCH}
    assert [each.location.line for each in accesses if each.location] == [34, 34, 35, 35]


@pytest.mark.parametrize(
    ("example", "case", "op", "kinds"),
    [
        ("transpose", 0, "ttg.convert_layout", {"write", "read"}),
        ("histogram", 0, "tt.histogram", {"write", "read", "update"}),
        ("prefix_scan", 0, "tt.atomic_rmw", {"write", "read"}),
        ("prefix_scan", 0, "tt.scan", {"write", "read"}),
    ],
)
@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx942"])
def test_operations_with_scratch_memory(example, case, op, kinds, chip):
    accesses = [each for each in accesses_of(example, case, chip) if each.op == op]
    assert {each.kind for each in accesses} == kinds


def test_a_kernel_without_exchanges_has_none():
    assert accesses_of("vector_add", 0, "cuda:90") == []
