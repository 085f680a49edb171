"""Exchanges within a warp: what they take, and that the data arrives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.plans.pairs import element_numbers
from weft.layouts import LinearLayout
from weft.layouts.plans import TranspositionPlan, conversion
from weft.targets import target


def layout(registers: list[int], lanes: list[int], bits: int) -> LinearLayout:
    ins = (("register", tuple(registers)), ("lane", tuple(lanes)), ("warp", ()), ("block", ()))
    return LinearLayout(ins, (("dim0", 1 << bits),))


def exchanged(chip: str, order: list[int], bits: int = 32):
    """Plan from the elements 0, 1, 2 … to those whose bits are in another order, and execute it."""
    memory = target(chip).shared_memory
    lanes = memory.lanes.bit_length() - 1
    units = [1 << bit for bit in range(len(order))]
    moved = [1 << bit for bit in order]
    cut = len(order) - lanes
    source = layout(units[:cut], units[cut:], len(order))
    expected = layout(moved[:cut], moved[cut:], len(order))
    plan = conversion(source, expected, bits, memory)
    assert (
        plan.execute(element_numbers(source, ["dim0"])) == element_numbers(expected, ["dim0"])
    ).all()
    return plan


def test_one_exchange_sends_half() -> None:
    """Bits 0 to 2 are registers, 3 to 7 lanes; registers 1 and lanes 1 change places."""
    plan = exchanged("sm_90", [0, 4, 2, 3, 1, 5, 6, 7])
    assert plan.instructions == {"select": 12, "shuffle": 4}
    assert exchanged("sm_90", [0, 4, 2, 3, 1, 5, 6, 7], 16).instructions == {
        "select": 6,
        "shuffle": 2,
    }
    assert exchanged("sm_90", [0, 4, 2, 3, 1, 5, 6, 7], 64).instructions == {
        "select": 24,
        "shuffle": 8,
    }


def test_two_exchanges() -> None:
    plan = exchanged("sm_80", [3, 4, 2, 0, 1, 5, 6, 7])
    assert plan.instructions == {"select": 24, "shuffle": 8}


@pytest.mark.parametrize(
    ("chip", "order", "swaps"),
    [
        ("gfx950", [0, 7, 2, 3, 4, 5, 6, 1], 4),  # register 1 and lane 4
        ("gfx950", [0, 8, 2, 3, 4, 5, 6, 7, 1], 4),  # register 1 and lane 5
        ("gfx950", [0, 8, 2, 3, 4, 5, 6, 1, 7], 8),  # a cycle of three
        ("gfx950", [0, 1, 2, 3, 4, 5, 6, 8, 7], 12),  # lanes 4 and 5 by way of a register
        ("gfx1250", [0, 7, 2, 3, 4, 5, 6, 1], 4),
    ],
)
def test_halves_are_swapped_in_one_instruction(chip: str, order: list[int], swaps: int) -> None:
    if chip == "gfx950" and len(order) == 8:
        order = [*order, 8]
    assert exchanged(chip, order).instructions == {"lane swap": swaps}


def test_permutations_beyond_swaps_are_shuffled() -> None:
    assert exchanged("gfx950", [0, 3, 2, 1, 4, 5, 6, 7, 8]).instructions == {
        "select": 12,
        "shuffle": 4,
    }
    assert exchanged("gfx942", [0, 7, 2, 3, 4, 5, 6, 1, 8]).instructions == {
        "select": 12,
        "shuffle": 4,
    }


def test_lanes_among_themselves_are_one_shuffle_each() -> None:
    plan = exchanged("sm_90", [0, 1, 2, 4, 3, 5, 6, 7])
    assert plan.instructions == {"shuffle": 8}
    assert isinstance(plan.plan, TranspositionPlan)


def test_registers_among_themselves_are_names() -> None:
    plan = exchanged("sm_90", [1, 2, 0, 3, 4, 5, 6, 7])
    assert (plan.kind, plan.instructions) == ("registers", {})


def test_elements_replicated_in_lanes_are_exchanged() -> None:
    """Register 2 comes from lane 5, which has the same element as lane 4."""
    memory = target("gfx950").shared_memory
    lanes = [4, 8, 16, 32]
    source = layout([1, 2], [*lanes, 64, 128], 8)
    expected = layout([1, 2, 128], [*lanes, 0, 64], 8)
    for one, other in ((source, expected), (expected, source)):
        plan = conversion(one, other, 16, memory)
        assert isinstance(plan.plan, TranspositionPlan)
        assert plan.instructions == {"lane swap": 4}
        assert (
            plan.execute(element_numbers(one, ["dim0"])) == element_numbers(other, ["dim0"])
        ).all()


def test_many_exchanges_are_rounds() -> None:
    plan = exchanged("sm_90", [4, 5, 6, 7, 0, 1, 2, 3, 8])
    assert plan.instructions == {"select": 128, "shuffle": 15}


def test_lanes_that_change_places_besides_are_cheapest_in_rounds() -> None:
    """Three exchanges by selects and three swaps for lane bits 4 and 5 would be 72."""
    plan = exchanged("gfx950", [3, 4, 5, 0, 1, 2, 6, 8, 7])
    assert plan.instructions == {"select": 48, "shuffle": 8}


@given(
    st.sampled_from(["sm_90", "gfx942", "gfx950", "gfx1250"]),
    st.integers(0, 4),
    st.sampled_from([8, 16, 32, 64]),
    st.data(),
)
def test_any_order_of_bits(chip: str, registers: int, bits: int, data: st.DataObject) -> None:
    lanes = target(chip).shared_memory.lanes.bit_length() - 1
    plan = exchanged(chip, data.draw(st.permutations(range(registers + lanes))), bits)
    assert plan.kind in ("nothing", "registers", "shuffle")
    words = (1 << registers) * max(1, bits // 32)
    cost = plan.cost
    assert 2 * cost.shuffles + cost.swaps + cost.selects <= 2 * words * (1 + registers)
