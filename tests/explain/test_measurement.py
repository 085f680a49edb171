"""The costs of a kernel as numbers: loops count, and lines are no part of names."""

from __future__ import annotations

from dataclasses import replace

import pytest

import weft
from tests.explain.reports import ACCESS, line, transpose
from weft.explain.counted_cost import counted_cost
from weft.explain.measurement import TOTALS, access_names, find_about, measure


@pytest.fixture(scope="module")
def module():
    kernel = weft.compile(transpose, signature="*fp16:16, *fp16:16, i32:16, 64", target="cuda:90")
    return kernel.module("ttgir")


def test_totals_are_those_of_the_counted_cost(module):
    cost = counted_cost(module)
    totals = measure(module).totals
    for name, number in cost.quantities.items():
        assert totals.get(name, number) == number
    assert totals["counted cost"] == round(cost.total) > 0
    assert totals["bytes of shared memory"] == cost.shared_bytes
    with_registers = measure(module, (96, 8)).totals
    assert with_registers == {**totals, "registers": 96, "bytes spilled": 8}
    assert tuple(with_registers) == TOTALS


def test_accesses_have_names_without_lines(module):
    accesses = (ACCESS, replace(ACCESS, location=line(9)), replace(ACCESS, value="%4"))
    assert access_names(accesses) == ["tt.load tile", "tt.load tile #2", "tt.load"]
    widths = measure(module).accesses
    assert len(widths) == 2
    assert all(bits in (16, 32, 64, 128) for bits in widths.values())


def test_what_totals_are_about():
    assert find_about("bytes converted") == "conversion"
    assert find_about("global sectors") == "memory"
    assert find_about("registers") == ""
