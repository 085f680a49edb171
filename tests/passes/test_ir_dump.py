"""Dumps of the IR before passes, which an environment variable requests."""

from __future__ import annotations

import pytest

from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

MODULE = """\
module {
  tt.func public @add(%x: i32) {
    tt.return
  }
}
"""


@pytest.mark.parametrize(
    ("value", "dumps"),
    [("1", 2), ("True", 2), ("add", 2), ("sub", 0), ("0", 0), ("off", 0), ("", 0)],
)
def test_dumps(value, dumps, monkeypatch, capsys):
    monkeypatch.setenv("MLIR_ENABLE_DUMP", value)
    run_pipeline(parse_pipeline("canonicalize,cse"), parse_module(MODULE))
    text = capsys.readouterr().err
    assert text.count("// -----// IR Dump Before ") == text.count("tt.func public @add") == dumps
    heading = "// -----// IR Dump Before CSE (cse) ('builtin.module' operation) //----- //"
    assert (heading in text) == bool(dumps)
