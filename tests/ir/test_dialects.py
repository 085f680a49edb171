"""The `.mlir` files of each dialect: round trips, and the error of each invalid module."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.ir.dialect_files import INVALID, MODULES, ROUND_TRIP
from weft.cli.opt.flags import Options
from weft.cli.opt.session import Session
from weft.ir.builtin import ModuleOp
from weft.ir.context import operations
from weft.ir.rewriting import clone, walk
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify

RUN = {
    ROUND_TRIP: "// RUN: weft opt %s --split-input-file --verify-roundtrip",
    INVALID: "// RUN: weft opt %s --split-input-file --verify-diagnostics",
}
DIALECTS = sorted({name.split(".")[0] for name in operations()})


@pytest.mark.parametrize("name", MODULES)
def test_printing_gives_the_bytes_that_were_parsed(name: str) -> None:
    module = parse_module(MODULES[name], name)
    verify(module)
    assert print_module(module, locations=name == "locations") == MODULES[name]


@pytest.mark.parametrize("name", MODULES)
def test_the_generic_form_parses_to_the_same_module(name: str) -> None:
    module = parse_module(MODULES[name])
    generic = print_module(module, generic=True)
    assert '"tt.func"' in generic
    assert print_module(parse_module(generic)) == print_module(module)


@pytest.mark.parametrize("name", MODULES)
def test_a_clone_prints_the_same(name: str) -> None:
    module = parse_module(MODULES[name])
    copy = clone(module, {})
    assert isinstance(copy, ModuleOp)
    assert print_module(copy) == print_module(module)


@pytest.mark.parametrize("name", MODULES)
def test_local_scope_has_no_aliases_and_parses_to_the_same_module(name: str) -> None:
    module = parse_module(MODULES[name])
    for locations in (False, True):
        local = print_module(module, locations, local_scope=True)
        assert not [line for line in local.splitlines() if line.startswith("#")]
        again = print_module(parse_module(local), locations)
        assert again == print_module(module, locations)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_file_has_every_operation_of_its_dialect(dialect: str) -> None:
    texts = (text for name, text in MODULES.items() if name.startswith(f"{dialect}-"))
    present = {op.name for text in texts for op in walk(parse_module(text))}
    assert {name for name in operations() if name.startswith(f"{dialect}.")} <= present


@pytest.mark.parametrize("path", [*ROUND_TRIP, *INVALID], ids=lambda path: path.stem)
def test_the_first_line_is_a_run_command(path: Path) -> None:
    (expected,) = {line for paths, line in RUN.items() if path in paths}
    assert path.read_text().startswith(f"{expected}\n")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_both_files(dialect: str) -> None:
    for paths, suffix in ((ROUND_TRIP, ""), (INVALID, "_invalid")):
        assert f"{dialect}{suffix}" in {path.stem for path in paths}


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_every_module_has_the_expected_error(path: Path, capsys: pytest.CaptureFixture) -> None:
    parts = re.split(r"^// -----$", path.read_text(), flags=re.M)
    assert all(part.count("expected-error") == 1 for part in parts)
    options = Options(file=str(path), split_input_file="// -----", verify_diagnostics="all")
    exit_code = Session(options).run()
    assert exit_code == 0, capsys.readouterr().err
