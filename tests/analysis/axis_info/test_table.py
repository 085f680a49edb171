"""Axis info as a table."""

from __future__ import annotations

from tests.analysis.axis_info.infos import (
    RANGE,
    analyse,
)
from weft.analysis.axis_info.table import table


def test_the_table_names_values_as_the_printer_does():
    module, info, _ = analyse(
        RANGE + 'tt.print "" {hex = false, isSigned = array<i32: 1>} : %r : tensor<64xi32>'
    )
    lines = table(module, info).splitlines()
    assert lines[0] == "@k"
    assert lines[1].split() == [
        "value",
        "operation",
        "line",
        "type",
        "contiguity",
        "divisibility",
        "constancy",
        "constant",
    ]
    assert lines[2].split() == ["%arg0", "argument", "i32", "1", "16", "1"]
    assert lines[-1].split()[:2] == ["%0", "tt.make_range"]
    assert lines[-1].split()[-4:] == ["64xi32", "64", "any", "1"]
