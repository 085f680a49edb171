"""Registries import the modules of their package at the first look-up, and refuse duplicates."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from weft.registry import Registry

ROWS = """
from registry_under_test import ROWS

@ROWS.register("{name}", "{name}_again")
def row(): return "{name}"
"""


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[object]:
    """Create a registry over a package with a module and a nested module."""
    package = tmp_path / "registered_rows"
    (package / "nested").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "nested" / "__init__.py").write_text("")
    (package / "outer.py").write_text(ROWS.format(name="outer"))
    (package / "nested" / "inner.py").write_text(ROWS.format(name="inner"))
    (tmp_path / "registry_under_test.py").write_text(
        "from weft.registry import Registry\nROWS = Registry('registered_rows')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith("registered_rows")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "registry_under_test", raising=False)
    from importlib import import_module

    return import_module("registry_under_test").ROWS


def test_modules_are_imported_at_the_first_look_up(rows: Registry[object]):
    assert "registered_rows.outer" not in sys.modules
    row = rows.get("inner")
    assert callable(row)
    assert row() == "inner"
    assert "registered_rows.outer" in sys.modules


def test_every_name_of_a_row_is_listed(rows: Registry[object]):
    assert sorted(rows) == ["inner", "inner_again", "outer", "outer_again"]
    assert len(set(rows.values())) == 2
    assert rows.get("absent") is None


def test_a_name_has_one_row(rows: Registry[object]):
    assert rows.get("outer") is not None
    with pytest.raises(ValueError, match="outer is registered twice in registered_rows"):
        rows.add("outer", object())
