"""Round trips through shared memory: the instructions chosen, repetitions, who writes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.layouts.plans.pairs import CHIPS, element_numbers
from weft.layouts import (
    AmdMfmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearLayout,
    NvidiaMmaEncoding,
    SliceEncoding,
)
from weft.layouts.plans import SharedPlan, conversion
from weft.targets import target


def planned(chip: str, source: Encoding, expected: Encoding, shape: tuple[int, ...], bits: int):
    """Plan, execute and return the plan."""
    one, two = source.linear(shape), expected.linear(shape)
    plan = conversion(one, two, bits, target(chip).shared_memory)
    order = list(one.out_shifts)
    assert (plan.execute(element_numbers(one, order)) == element_numbers(two, order)).all()
    return plan


ROWS = BlockedEncoding((1, 8), (2, 16), (4, 1), (1, 0))
COLUMNS = BlockedEncoding((8, 1), (16, 2), (1, 4), (0, 1))
SQUARE = (128, 128)
MMA = NvidiaMmaEncoding(2, 0, (4, 1), (16, 8))
WAVE_ROWS = BlockedEncoding((1, 8), (4, 16), (4, 1), (1, 0))
MFMA = AmdMfmaEncoding(4, (2, 2), (16, 16, 32), True)


@pytest.mark.parametrize(
    ("chip", "source", "expected", "bits", "instructions"),
    [
        ("sm_80", ROWS, COLUMNS, 16, {"store b128": 16, "barrier": 1, "ldmatrix.trans x4": 16}),
        ("sm_80", ROWS, COLUMNS, 32, {"store b128": 32, "barrier": 1, "ldmatrix x4": 32}),
        ("sm_90", COLUMNS, ROWS, 16, {"store b128": 16, "barrier": 1, "ldmatrix.trans x4": 16}),
        ("sm_80", COLUMNS, MMA, 16, {"store b128": 16, "barrier": 31, "ldmatrix.trans x4": 16}),
        ("sm_90", MMA, COLUMNS, 16, {"stmatrix.trans x4": 16, "barrier": 31, "load b128": 16}),
        ("sm_80", MMA, COLUMNS, 16, {"store b128": 16, "barrier": 3, "load b128": 16}),
    ],
)
def test_matrices_where_they_save_instructions(chip, source, expected, bits, instructions) -> None:
    plan = planned(chip, source, expected, SQUARE, bits)
    assert plan.instructions == instructions
    assert (plan.cost.write_conflicts, plan.cost.read_conflicts) == (0, 0)


@pytest.mark.parametrize(
    ("bits", "load"), [(16, "ds_read_b64_tr_b16"), (8, "ds_read_b64_tr_b8"), (32, "load b64")]
)
def test_transposing_loads_of_cdna_4(bits: int, load: str) -> None:
    """Rows to the right operand, whose lanes run along rows and registers along columns."""
    operand = DotOperandEncoding(1, MFMA, 8)
    plan = planned("gfx950", WAVE_ROWS, operand, (64, 128), bits)
    assert [*plan.instructions][2] == load
    assert (plan.cost.write_conflicts, plan.cost.read_conflicts) == (0, 0)
    assert "ds_" not in [*planned("gfx942", WAVE_ROWS, operand, (64, 128), bits).instructions][2]


def test_registers_of_both_sides_go_one_after_another() -> None:
    """Rows 16, 32 and 64 stay in registers: eight repetitions with an eighth of the memory."""
    one = BlockedEncoding((1, 4), (8, 4), (2, 2), (1, 0))
    two = BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))
    plan = planned("sm_80", one, two, (128, 32), 32)
    assert plan.repetitions == 8
    assert plan.cost.shared_bytes == 128 * 32 * 4 // 8
    assert plan.instructions == {"store b128": 8, "barrier": 15, "load b128": 8}


def test_replicated_elements_are_written_once() -> None:
    """A reduced row: lanes and warps of the parent's columns all hold it."""
    parent = BlockedEncoding((1, 4), (4, 8), (2, 2), (1, 0))
    row = SliceEncoding(1, parent)
    other = BlockedEncoding((1,), (32,), (4,), (0,))
    plan = planned("sm_90", row, other, (128,), 32)
    assert isinstance(plan.plan, SharedPlan)
    assert (plan.plan.write.idle_lanes, plan.plan.write.idle_warps) == (0b111, 0b01)
    assert plan.plan.write.warps == 2
    assert plan.cost.write_passes == 2 * plan.cost.stores * 4  # warps, and phases of each


def test_replicated_lanes_and_warps_do_not_write() -> None:
    """Half of the lanes and of the warps repeat others: what they hold is never looked at."""
    ins = (
        ("register", (1, 2, 4, 8)),
        ("lane", (16, 32, 64, 128, 0)),
        ("warp", (256, 0)),
        ("block", ()),
    )
    source = LinearLayout(ins, (("dim0", 512),))
    expected = BlockedEncoding((1,), (32,), (4,), (0,)).linear((512,))
    plan = conversion(source, expected, 32, target("sm_80").shared_memory)
    assert isinstance(plan.plan, SharedPlan)
    assert (plan.plan.write.idle_lanes, plan.plan.write.idle_warps) == (16, 2)
    values = element_numbers(source, ["dim0"]).copy()
    values[:, 16:] = values[:, :, 2:] = -1
    assert (plan.execute(values) == element_numbers(expected, ["dim0"])).all()
    # Four stores of two warps; two of the four phases have no lane.
    assert (plan.cost.stores, plan.cost.write_passes) == (4, 4 * 2 * 2)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_transposes_never_conflict(chip: str, bits: int) -> None:
    wave = target(chip).threads_per_warp == 64
    one, two = (
        (WAVE_ROWS, BlockedEncoding((8, 1), (16, 4), (1, 4), (0, 1))) if wave else (ROWS, COLUMNS)
    )
    plan = planned(chip, one, two, SQUARE, bits)
    assert (plan.cost.write_conflicts, plan.cost.read_conflicts) == (0, 0)


def test_a_plan_moves_values_of_any_kind() -> None:
    one, two = ROWS.linear(SQUARE), COLUMNS.linear(SQUARE)
    plan = conversion(one, two, 16, target("sm_90").shared_memory)
    numbers = element_numbers(one, ["dim0", "dim1"])
    values = (numbers % 7).astype(np.float16)
    assert plan.execute(values).dtype == np.float16
    assert (plan.execute(values) == element_numbers(two, ["dim0", "dim1"]) % 7).all()
