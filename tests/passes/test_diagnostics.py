"""Diagnostics of passes: collected, or on standard error."""

from __future__ import annotations

import re

import pytest

from weft.errors import WeftError
from weft.ir import locations
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.passes.diagnostics import (
    Severity,
    collect_diagnostics,
    emit_performance_remark,
    emit_remark,
    emit_warning,
)

HERE = locations.file("kernel.mlir", 4, 3)


@pytest.mark.parametrize(
    ("variable", "value", "printed"),
    [
        ("MLIR_ENABLE_DIAGNOSTICS", "remarks", "remark: size = 4, warning: slow, note: here"),
        ("MLIR_ENABLE_DIAGNOSTICS", "warnings,stacktraces", "warning: slow, note: here"),
        ("MLIR_ENABLE_DIAGNOSTICS", "", ""),
        ("WEFT_ENABLE_DIAGNOSTICS", "warnings", "warning: slow, note: here"),
        ("PATH", "", ""),
    ],
)
def test_a_variable_enables_diagnostics(variable, value, printed, monkeypatch, capsys):
    monkeypatch.setenv(variable, value)
    emit_remark(HERE, "size = 4")
    warning = WeftError("slow")
    warning.notes.append(WeftError("here"))
    emit_warning(warning)
    lines = capsys.readouterr().err.splitlines()
    assert ", ".join(line.removeprefix("kernel.mlir:4:3: ") for line in lines) == printed


MODULE = """
module {
  tt.func public @add(%x: i32) {
    %y = arith.addi %x, %x : i32 loc("kernel.mlir":4:3)
    tt.return
  }
}
"""


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("remarks", "remark: slow, note: because"),
        ("remarks,operations", "remark: slow, note: because, note: see current operation: %0 = …"),
        ("operations", ""),
        ("warnings,operations", ""),
    ],
)
def test_a_remark_about_performance(value, printed, monkeypatch, capsys):
    monkeypatch.setenv("MLIR_ENABLE_DIAGNOSTICS", value)
    op = next(each for each in walk(parse_module(MODULE)) if each.name == "arith.addi")
    emit_performance_remark(op, "slow", ["because"])
    lines = capsys.readouterr().err.splitlines()
    text = ", ".join(line.removeprefix("kernel.mlir:4:3: ") for line in lines)
    assert re.sub("arith.addi %\\w+, %\\w+ : i32", "…", text) == printed
    with collect_diagnostics() as diagnostics:
        emit_performance_remark(op, "slow", ["because"])
    assert [str(one.severity.value) for one in diagnostics] == ["remark", "note"]


def test_a_context_collects_diagnostics(capsys):
    with collect_diagnostics() as diagnostics:
        emit_remark(HERE, "size = 4")
        emit_warning(WeftError("slow"))
    assert [(one.severity, one.error.message) for one in diagnostics] == [
        (Severity.REMARK, "size = 4"),
        (Severity.WARNING, "slow"),
    ]
    assert not capsys.readouterr().err
