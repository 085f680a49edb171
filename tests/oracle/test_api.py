"""The public surface of Triton under weft: how much of it is there, and why the rest is not."""

from __future__ import annotations

import pytest

from tests.oracle.api import comparison

pytestmark = pytest.mark.oracle

DIFFERENT = 2138
"""Names and parameters that differ; lower it with each one that is added.

The names that are the same are no measure: Triton has 28 more of them where torch is installed.
"""


def test_no_more_differences_than_before():
    same, total, reasons = comparison.tables(comparison.items())
    assert total.total() > 7000
    assert total.total() - same.total() == reasons.total() <= DIFFERENT


def test_every_difference_has_a_reason():
    unexplained = [
        f"{item.path}: {item.difference}"
        for item in comparison.items()
        if item.difference and not item.reason
    ]
    assert unexplained == []


def test_a_missing_name_is_counted():
    items = comparison._compare(
        {"triton.f": {"kind": "function", "parameters": [("x", "POSITIONAL_OR_KEYWORD", "1")]}},
        {"triton.f": {"kind": "function", "parameters": [("x", "POSITIONAL_OR_KEYWORD", "2")]}},
    )
    assert [item.difference for item in items] == ["", "default 2, not 1"]
    assert [item.difference for item in comparison._compare({"triton.g": {}}, {"triton.g": None})]
