"""Facts are true of the values that random programs compute."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.analysis.axis_info.programs import Program, claims_and_values, programs
from weft.analysis.axis_info import AxisInfo


def false_facts_of(info: AxisInfo, values: np.ndarray) -> list[str]:
    """List the facts that are false of an array."""
    false_facts = []
    for dim in range(values.ndim):
        lines = np.moveaxis(values, dim, -1).reshape(-1, values.shape[dim])
        size = lines.shape[1]
        run, group = info.contiguity[dim], info.constancy[dim]
        if size % run or size % group:
            false_facts.append(f"groups of {run}, {group} along dimension {dim} of {size}")
            continue
        runs, groups = lines.reshape(-1, run), lines.reshape(-1, group)
        if (runs != runs[:, :1] + np.arange(run)).any():
            false_facts.append(f"contiguity {run} along {dim}")
        if (runs[:, 0] % info.divisibility[dim]).any():
            false_facts.append(f"divisibility {info.divisibility[dim]} along {dim}")
        if (groups != groups[:, :1]).any():
            false_facts.append(f"constancy {group} along {dim}")
    if info.constant is not None and (values != info.constant).any():
        false_facts.append(f"constant {info.constant}")
    return false_facts


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs(), st.tuples(*[st.integers(0, 40)] * 3), st.booleans())
def test_facts_are_true(program: Program, numbers: tuple[int, int, int], condition: bool):
    arguments = (numbers[0] * 16, numbers[1] * 8, numbers[2])
    for name, info, values in claims_and_values(program, arguments, condition):
        assert not false_facts_of(info, values), f"{name}: {info}\n{values}\n{program.text()}"


def test_false_facts_are_detected():
    values = np.array([[4, 5, 6, 7], [8, 9, 10, 11]])
    assert not false_facts_of(AxisInfo((1, 4), (1, 4), (1, 1)), values)
    assert false_facts_of(AxisInfo((1, 4), (1, 8), (1, 1)), values) == ["divisibility 8 along 1"]
    assert false_facts_of(AxisInfo((2, 1), (1, 1), (1, 1)), values) == ["contiguity 2 along 0"]
    assert false_facts_of(AxisInfo((1, 1), (1, 1), (1, 2)), values) == ["constancy 2 along 1"]
    assert false_facts_of(AxisInfo((1, 1), (1, 1), (1, 1), 4), values) == ["constant 4"]
