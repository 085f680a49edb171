"""What the plans predict is what the simulator executes: for every example, on every chip.

Equal are, by kind and width, the instructions in the text, their executions, wavefronts, bank
conflicts and sectors, but for what RULES says. tests/explain/test_machine_code.py holds the same
predictions against the machine code.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.explain.chip_cases import chip_cases
from tests.explain.simulated_counts import FIELDS, Key, SimulatedCounts, simulate_counts
from weft.kernel.files import load_cases, load_file
from weft.simulator import Count

_MOST_STAGES = 5
_NO_TENSOR_MAP = {
    ("matmul_descriptor", 3, "hip:gfx1250"): "descriptors of the host have no encoding there",
    ("matmul_descriptor", 4, "hip:gfx1250"): "descriptors of the host have no encoding there",
}


def _differing(planned: Count, simulated: Count) -> set[str]:
    return {field for field in FIELDS if getattr(planned, field) != getattr(simulated, field)}


def _is_pipelined(counts: SimulatedCounts, key: Key, planned: Count, simulated: Count) -> bool:
    """Check whether the counts are those without the last iterations, or without the prologues.

    Where all copies are pipelined, both are the tiles that the loops need.
    """
    differing = _differing(planned, simulated)
    tables = [counts.before_last(n) for n in range(1, _MOST_STAGES)]
    tables.append(counts.planned(prologues=False))
    if differing == {"sectors"} and simulated.sectors % counts.tile_sectors(key) == 0:
        return simulated.sectors < planned.sectors  # whole tiles are masked off
    return any(
        all(getattr(table.get(key), field, 0) == getattr(simulated, field) for field in differing)
        for table in tables
    )


def _is_conditional(counts: SimulatedCounts, key: Key, planned: Count, simulated: Count) -> bool:
    """Check whether the counts are between those with and without what is under a condition."""
    least = counts.planned(conditionals=False).get(key, Count())
    return all(
        getattr(least, field) <= getattr(simulated, field) <= getattr(planned, field)
        for field in FIELDS
    )


def _shares_sectors(counts: SimulatedCounts, key: Key, planned: Count, simulated: Count) -> bool:
    return (
        _differing(planned, simulated) == {"sectors"}
        and not counts.knows_addresses(key)
        and simulated.sectors <= planned.sectors
    )


def _depends_on_data(counts: SimulatedCounts, key: Key, planned: Count, simulated: Count) -> bool:
    return (
        _differing(planned, simulated) <= {"wavefronts", "conflicts"}
        and not counts.knows_addresses(key)
        and simulated.wavefronts >= planned.wavefronts
    )


Rule = Callable[[SimulatedCounts, Key, Count, Count], bool]
RULES: dict[str, tuple[tuple[str, ...], Rule]] = {
    "the last iterations of a software pipeline copy nothing": (
        ("async copy", "tile copy"),
        _is_pipelined,
    ),
    "a pipeline that was cut into branches skips loads and dots": (
        ("global load", "mma", "barrier", "shared load", "shared store", "shuffle"),
        _is_conditional,
    ),
    "rows at unknown distances are near enough to share sectors": (
        ("global load", "global store"),
        _shares_sectors,
    ),
    "addresses are data": (("shared atomic",), _depends_on_data),
}


@pytest.mark.parametrize(("path", "index", "chip"), chip_cases(without=_NO_TENSOR_MAP))
def test_the_simulator_executes_what_the_plans_count(path, index, chip):
    counts = simulate_counts(load_cases(load_file(str(path)))[index], chip)
    unexplained = {
        key: (planned, simulated)
        for key, (planned, simulated) in counts.differences().items()
        if not any(
            key[0] in kinds and accounts(counts, key, planned, simulated)
            for kinds, accounts in RULES.values()
        )
    }
    assert unexplained == {}
    assert counts.simulated
