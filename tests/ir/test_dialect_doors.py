"""Dialects whose files are loaded when one of their names is asked for."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from weft.ir import amdg, ttng

DIALECTS = {"amdg": amdg, "ttng": ttng}
NOT_LISTED = {"amdg": {"dialect"}, "ttng": {"dialect", "token"}}  # for what reads and prints text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_table_has_every_name_of_every_file(dialect):
    package = DIALECTS[dialect]
    files = {one.name for one in pkgutil.iter_modules(package.__path__)} - NOT_LISTED[dialect]
    found = {
        name: f"weft.ir.{dialect}.{file}:{name}"
        for file in files
        for name in importlib.import_module(f"weft.ir.{dialect}.{file}").__all__
        if name != "OPERATIONS"
    }
    assert found == package.HOMES


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_name_is_found(dialect):
    for name in DIALECTS[dialect].HOMES:
        assert getattr(DIALECTS[dialect], name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'NoSuchOp'"):
        _ = DIALECTS[dialect].NoSuchOp
