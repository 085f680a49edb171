"""An operation has one meaning; an operation without one is an error that names it."""

from __future__ import annotations

import pytest

from weft.errors import LaunchError
from weft.interpreter.registry import pure, row_for, row_of
from weft.ir import tt
from weft.ir.text import parse_module


def test_the_meaning_of_an_operation_is_found_by_its_name():
    row = row_of("tt.splat")
    assert row is not None
    assert (row.kind, row.compile.__module__) == ("pure", "weft.interpreter.ops.shape")
    assert row_of("tt.reduce.return") is None


def test_an_operation_has_one_meaning():
    assert row_of("tt.splat") is not None
    with pytest.raises(ValueError, match=r"tt\.splat is registered twice"):
        pure(tt.SplatOp)(lambda op: lambda: None)


def test_an_operation_without_a_meaning_is_an_error():
    module = parse_module('tt.func public @k(%x: i1) { cf.assert %x, "x" tt.return }')
    op = next(op for op in module.walk() if op.name == "cf.assert")
    with pytest.raises(LaunchError, match=r"the interpreter does not support cf\.assert") as caught:
        row_for(op)
    assert caught.value.hint == "did you mean tt.assert?"
