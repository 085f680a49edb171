"""Packages whose names load when they are asked for."""

from __future__ import annotations

import sys

import pytest

import weft
import weft.language as tl
from weft import runtime
from weft.doors import door, names_of


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a door onto two modules, one of which has the name of what it holds."""
    folder = tmp_path / "mill"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from weft.doors import door, names_of\n"
        "__getattr__ = door(__name__, names_of({'mill.loom': 'shed reed', 'mill.warp': 'warp'})\n"
        "    | {'threads': 'mill.loom'})\n"
    )
    (folder / "loom.py").write_text("shed, reed = 1, 2\n")
    (folder / "warp.py").write_text("warp = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    import mill  # pyright: ignore

    yield mill
    for name in [name for name in sys.modules if name.partition(".")[0] == "mill"]:
        del sys.modules[name]


def test_a_table_by_module():
    assert names_of({"a.b": "x y", "c": "z"}) == {"x": "a.b:x", "y": "a.b:y", "z": "c:z"}


def test_names_load_when_asked_for_and_stay(package):
    assert "mill.loom" not in sys.modules
    assert package.reed == 2
    assert vars(package)["reed"] == 2
    assert package.threads is sys.modules["mill.loom"]


def test_a_module_keeps_its_name(package):
    import mill.warp as module  # pyright: ignore

    assert package.warp is module
    assert door("mill", {"warp": "mill.warp:warp"})("warp") == 3
    assert package.warp is module


def test_what_is_not_listed_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match="module 'mill' has no attribute 'heddle'"):
        _ = package.heddle


def test_triton_s_names_stay_functions_whatever_has_been_loaded():
    """No module of weft.runtime is called as a function that is to be found there."""
    assert weft.autotune is runtime.autotune
    assert weft.heuristics is runtime.heuristics
    assert callable(runtime.autotune)
    assert callable(runtime.heuristics)


def test_the_language_loads_what_most_kernels_do_without():
    assert tl.core is tl
    assert tl.rand is tl.random.rand
    assert "topk" in dir(tl)
