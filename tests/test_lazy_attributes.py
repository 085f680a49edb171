"""Package attributes that are imported on first access."""

from __future__ import annotations

import sys

import pytest

import weft
import weft.language as tl
from weft.compat import runtime
from weft.lazy_attributes import lazy_getattr, object_references


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with lazy attributes of two modules; `warp.warp` has its module's name."""
    folder = tmp_path / "mill"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from weft.lazy_attributes import lazy_getattr, object_references\n"
        "references = object_references({'mill.loom': 'shed reed', 'mill.warp': 'warp'})\n"
        "__getattr__ = lazy_getattr(__name__, references | {'threads': 'mill.loom'})\n"
    )
    (folder / "loom.py").write_text("shed, reed = 1, 2\n")
    (folder / "warp.py").write_text("warp = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    import mill  # pyright: ignore

    yield mill
    for name in [name for name in sys.modules if name.partition(".")[0] == "mill"]:
        del sys.modules[name]


def test_object_references_of_modules():
    references = object_references({"a.b": "x y", "c": "z"})
    assert references == {"x": "a.b:x", "y": "a.b:y", "z": "c:z"}


def test_attribute_is_imported_on_first_access_and_stored(package):
    assert "mill.loom" not in sys.modules
    assert package.reed == 2
    assert vars(package)["reed"] == 2
    assert package.threads is sys.modules["mill.loom"]


def test_submodule_stays_the_attribute_of_its_name(package):
    import mill.warp as module  # pyright: ignore

    assert package.warp is module
    assert lazy_getattr("mill", {"warp": "mill.warp:warp"})("warp") == 3
    assert package.warp is module


def test_unknown_attribute_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match="module 'mill' has no attribute 'heddle'"):
        _ = package.heddle


def test_triton_runtime_functions_are_not_shadowed_by_modules():
    """No module of weft.compat.runtime has the name of a function of triton.runtime."""
    assert weft.autotune is runtime.autotune
    assert weft.heuristics is runtime.heuristics
    assert callable(runtime.autotune)
    assert callable(runtime.heuristics)


def test_language_attributes_are_lazy():
    assert tl.core is sys.modules["weft.language.core"]
    assert tl.rand is tl.random.rand
    assert "topk" in dir(tl)
