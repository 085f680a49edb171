"""Diagnostics of passes: collected, or on standard error."""

from __future__ import annotations

from weft.ir import locations
from weft.passes.diagnostics import Severity, collect_diagnostics, emit_remark

HERE = locations.file("kernel.mlir", 4, 3)


def test_a_remark_goes_to_standard_error(capsys):
    emit_remark(HERE, "size = 4")
    assert capsys.readouterr().err == "kernel.mlir:4:3: remark: size = 4\n"


def test_a_context_collects_remarks(capsys):
    with collect_diagnostics() as diagnostics:
        emit_remark(HERE, "size = 4")
    emit_remark(locations.unknown, "after")
    assert [(one.severity, one.error.message) for one in diagnostics] == [
        (Severity.REMARK, "size = 4")
    ]
    assert capsys.readouterr().err == "remark: after\n"
