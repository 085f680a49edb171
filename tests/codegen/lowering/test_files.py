"""Every .mlir file of this folder: lower its modules to LLVM IR, and check the text with FileCheck.

A file tests the module of the same name in `src/weft/codegen/lowering`. `// -----` separates the
modules of a file, and `ttg.target` names the chip of each. The modules of `<name>_invalid.mlir`
cannot be lowered: each names its error in a comment, `// expected-error@unknown {{message}}`.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

from tests.codegen.lowering.test_printing import need_library
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

FOLDER = Path(__file__).parent
SOURCE = Path(__file__).parents[3] / "src/weft/codegen/lowering"
INVALID_FILES = sorted(FOLDER.rglob("*_invalid.mlir"))
FILES = sorted(set(FOLDER.rglob("*.mlir")) - set(INVALID_FILES))
# Some plans are tested by the LLVM IR that they lead to.
PLANS, PLAN_SOURCE = FOLDER / "plans", FOLDER.parents[2] / "src/weft/lowering_plans"
RUN = "// RUN: %lower %s | filecheck %s"
RUN_INVALID = "// RUN: %lower %s -split-input-file -verify-diagnostics"
EXPECTED_ERROR = re.compile(r"^// expected-error@unknown \{\{(.*)\}\}$", re.MULTILINE)
# The registry of the lowerings, the size of shared memory and errors write no LLVM IR.
WITHOUT_LOWERING = {"registry", "kernel_shared_memory", "located_errors", "__init__"}


def split_modules(text: str) -> list[str]:
    """Split a file at its lines `// -----`."""
    return re.split(r"^// -----$", text, flags=re.MULTILINE)


def lowered_text(text: str) -> str:
    """Lower each module of a file to LLVM IR."""
    return "\n// -----\n".join(lower(parse_module(part)).text for part in split_modules(text))


def file_id(file: Path) -> str:
    """Return a file's path in this folder, without its suffix."""
    return str(file.relative_to(FOLDER).with_suffix(""))


@pytest.mark.parametrize("file", FILES, ids=file_id)
def test_file(file: Path, capsys: pytest.CaptureFixture[str]):
    text = file.read_text()
    assert text.startswith(RUN), f'the first line must be "{RUN}"'
    if "__ockl_" in text:
        need_library("hip:gfx942")
    options = Options(match_filename=str(file))
    patterns = Parser(options, io.StringIO(text), *pattern_for_opts(options))
    llvm = lowered_text(text)
    error = Matcher(options, FInput("LLVM IR", llvm), patterns).run()
    assert not error, capsys.readouterr().err + llvm


@pytest.mark.parametrize("file", INVALID_FILES, ids=file_id)
def test_invalid_file(file: Path):
    text = file.read_text()
    assert text.startswith(RUN_INVALID), f'the first line must be "{RUN_INVALID}"'
    for part in split_modules(text):
        (message,) = EXPECTED_ERROR.findall(part)
        with pytest.raises(CodegenError, match=re.escape(message)):
            lower(parse_module(part))


def test_each_lowering_has_a_file():
    modules = {
        path.relative_to(SOURCE).with_suffix(".mlir")
        for path in SOURCE.rglob("*.py")
        if path.stem not in WITHOUT_LOWERING
    }
    plans = {path.relative_to(FOLDER) for path in PLANS.rglob("*.mlir")} & {
        path.relative_to(FOLDER) for path in FILES
    }
    assert modules == {path.relative_to(FOLDER) for path in FILES} - plans
    planned = {path.stem for path in PLAN_SOURCE.glob("*.py")}
    assert {path.stem for path in plans} <= planned
    tested = {file_id(path).removesuffix("_invalid") for path in INVALID_FILES}
    assert tested <= {file_id(path) for path in FILES}
