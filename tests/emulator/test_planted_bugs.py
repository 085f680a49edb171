"""Bugs that are planted in code generation: the emulator's results are wrong with each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.code_object import VARIABLE
from tests.emulator.run_example import run_case
from weft.codegen.hardware.amd import async_copy, synchronization
from weft.codegen.lowering.amd import direct_to_lds, dot
from weft.codegen.lowering.common.shared_memory_access import SharedMemoryAccess

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} names no emulator"),
]

WMMA = "matmul float16 64 64 160 none num_stages=3"
MFMA = f"{WMMA} matrix_instr_nonkdim=16"
DIRECT = f"{MFMA} use_async_copy=True"
Plant = Callable[[pytest.MonkeyPatch], None]


def wait_for_one_copy_less(patch: pytest.MonkeyPatch) -> None:
    """Leave one more copy to LDS in flight than the loop's waits say."""
    original = async_copy.wait_for

    def wait(writer: Any, target: Any, kind: str, pending: int) -> None:
        original(writer, target, kind, pending + 1)

    patch.setattr(async_copy, "wait_for", wait)


def pass_a_barrier_with_a_store_in_flight(patch: pytest.MonkeyPatch) -> None:
    """Leave one LDS operation in flight at each barrier."""
    original = synchronization.wait_for

    def wait(writer: Any, target: Any, kind: str, pending: int, attributes: str = "") -> None:
        original(writer, target, kind, pending + (kind == "shared"), attributes)

    patch.setattr(synchronization, "wait_for", wait)


def load_without_the_swizzle(patch: pytest.MonkeyPatch) -> None:
    """Load from another instruction's address of the swizzled buffer."""
    original = SharedMemoryAccess.load

    def load(self: SharedMemoryAccess, repetition: int, out: list[str]) -> None:
        constants, self.constants = self.constants, self.constants[::-1]
        original(self, repetition, out)
        self.constants = constants

    patch.setattr(SharedMemoryAccess, "load", load)


def copy_without_the_swizzle(patch: pytest.MonkeyPatch) -> None:
    """Copy each lane's own vector, where another lane's belongs to its position in LDS."""

    def source(_ctx: Any, _place: Any, _type: str, value: str) -> str:
        return value

    patch.setattr(direct_to_lds, "_from_source_lane", source)


def reverse_a_fragment(patch: pytest.MonkeyPatch) -> None:
    """Reverse the elements of k that a lane passes to a matrix instruction for one operand."""
    original = dot._steps

    def steps(*arguments: Any) -> Iterator[Any]:
        for first, second, filled in original(*arguments):
            yield first, second[::-1], filled

    patch.setattr(dot, "_steps", steps)


@pytest.mark.parametrize(
    ("chip", "case", "plant"),
    [
        ("gfx942", DIRECT, wait_for_one_copy_less),
        ("gfx950", DIRECT, wait_for_one_copy_less),
        ("gfx942", MFMA, pass_a_barrier_with_a_store_in_flight),
        ("gfx1201", WMMA, pass_a_barrier_with_a_store_in_flight),
        ("gfx942", DIRECT, copy_without_the_swizzle),
        ("gfx1100", "transpose float32 70 33", load_without_the_swizzle),
        ("gfx1201", WMMA, load_without_the_swizzle),
        ("gfx942", MFMA, reverse_a_fragment),
        ("gfx1100", WMMA, reverse_a_fragment),
        ("gfx1201", WMMA, reverse_a_fragment),
    ],
)
def test_a_planted_bug_is_found(
    chip: str, case: str, plant: Plant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    plant(monkeypatch)
    assert run_case(chip, case.split()).startswith("wrong: ")


@pytest.mark.parametrize(
    ("chip", "case"),
    [
        ("gfx942", DIRECT),
        ("gfx942", MFMA),
        ("gfx950", DIRECT),
        ("gfx1100", WMMA),
        ("gfx1201", WMMA),
    ],
)
def test_without_a_planted_bug_the_result_is_right(chip: str, case: str):
    assert run_case(chip, case.split()).startswith("ok")
