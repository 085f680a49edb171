"""One rule, four names: pass file ⇔ class ⇔ registered name ⇔ test file."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from msgspec import Struct

from weft.passes import REGISTRY

ROOT = Path(__file__).parents[1]
PASSES = ROOT / "src" / "weft" / "passes"
KINDS = ("common", "ttir", "ttgir", "loops", "nvws", "amd", "nvidia", "gluon", "printers")


def pass_files() -> dict[str, str]:
    """Map "folder.stem" to the dotted module of every file or package of a pass."""
    modules = {}
    for kind in KINDS:
        for path in sorted((PASSES / kind).glob("*")):
            stem = path.stem
            if stem.startswith("_") or not (
                path.suffix == ".py" or (path / "__init__.py").exists()
            ):
                continue
            modules[f"{kind}.{stem}"] = f"weft.passes.{kind}.{stem}"
    return modules


def test_registry_lists_each_pass_file_once():
    registered = [entry.partition(":")[0] for entry in REGISTRY.values()]
    assert sorted(set(registered)) == sorted(pass_files().values())
    assert len(registered) == len(set(registered)), "one file, one pass"


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_four_names_agree(name):
    module_name, _, class_name = REGISTRY[name].partition(":")
    kind, stem = module_name.removeprefix("weft.passes.").split(".")
    cls = getattr(importlib.import_module(module_name), class_name)
    assert cls.name == name
    assert class_name.lower() == stem.replace("_", ""), "class and file"
    assert name.replace("-", "").lower().endswith(stem.replace("_", "")), "name and file"
    assert (ROOT / "tests" / "passes" / kind / f"{stem}.mlir").exists(), "no test file"
    assert issubclass(cls, Struct), "options are fields"
    assert cls.__struct_config__.frozen


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_docstring_shows_ir_before_and_after(name):
    module_name, _, class_name = REGISTRY[name].partition(":")
    module = importlib.import_module(module_name)
    assert getattr(module, class_name).__doc__
    text = module.__doc__ or ""
    shows = ("Before" in text and "After" in text) or "→" in text or "becomes" in text
    assert shows, "the docstring shows IR before and after"
