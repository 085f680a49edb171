"""The garbage collector waits for the end of a compile, and is then as it was."""

from __future__ import annotations

import gc
import sys

import pytest

from weft.runtime.collection import uncollected


@pytest.fixture(autouse=True)
def enabled():
    """Let the collector run, whatever ran before."""
    gc.enable()
    yield
    gc.enable()


def test_nothing_is_collected_within_and_something_behind():
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()


def test_what_an_import_makes_is_in_the_oldest_generation(tmp_path, monkeypatch):
    (tmp_path / "made_for_this_test.py").write_text("table = [[number] for number in range(9)]\n")
    monkeypatch.syspath_prepend(tmp_path)
    with uncollected():
        import made_for_this_test  # pyright: ignore[reportMissingImports]
    try:
        assert any(one is made_for_this_test.table for one in gc.get_objects(generation=2))
        assert gc.get_freeze_count() == 0
    finally:
        del sys.modules["made_for_this_test"]


def test_what_others_have_frozen_stays_frozen(tmp_path, monkeypatch):
    (tmp_path / "made_for_this_test.py").write_text("table = []\n")
    monkeypatch.syspath_prepend(tmp_path)
    gc.freeze()
    try:
        with uncollected():
            import made_for_this_test  # noqa: F401  # pyright: ignore[reportMissingImports]
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        del sys.modules["made_for_this_test"]
