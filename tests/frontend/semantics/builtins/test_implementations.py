"""The table of implementations, and calls of builtins with invalid arguments."""

from __future__ import annotations

import importlib
from importlib.resources import files
from pathlib import Path

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench
from weft.errors import CompilationError, UnsupportedError
from weft.frontend.semantics import builtins
from weft.frontend.semantics.builtins import LIBDEVICE, MODULES, implementation_of
from weft.language.builtin import Builtin
from weft.language.extra.math_library import FUNCTIONS
from weft.language.tensor_descriptors import METHODS

LOWERED_BY_THE_TREE = {"condition", "range", "static_assert", "static_print", "static_range"}


def test_every_declaration_has_an_implementation():
    declared = {
        value.qualified_name
        for name in tl.__all__
        if isinstance(value := getattr(tl, name), Builtin)
    }
    declared |= {method.qualified_name for method in METHODS.values()}
    declared |= {f"extra.libdevice.{name}" for name in FUNCTIONS}
    assert not {name for name in declared - LOWERED_BY_THE_TREE if implementation_of(name) is None}


def test_every_module_has_the_listed_builtins():
    folder = Path(str(files(builtins)))
    assert {path.stem for path in folder.glob("*.py") if "TABLE" in path.read_text()} == {
        "__init__",
        LIBDEVICE,
        *MODULES,
    }
    for file, names in MODULES.items():
        table = importlib.import_module(f"{builtins.__name__}.{file}").TABLE
        assert sorted(names.split()) == sorted(table)
        assert not any(f".{LIBDEVICE}." in name for name in table)


def test_invalid_arguments():
    bench = Bench("*fp32")
    with pytest.raises(
        CompilationError, match=r"tl\.load\(\) got an unexpected keyword argument 'msak'"
    ):
        bench.call(tl.load, *bench.args, msak=True)
    with pytest.raises(CompilationError, match=r"missing a required argument: 'value'"):
        bench.call(tl.store, *bench.args)


def test_builtin_without_an_implementation():
    bench = Bench()
    with pytest.raises(UnsupportedError, match=r"tl\.static_range cannot be called here"):
        bench.call(tl.static_range, 4)
