"""Every .mlir file of this folder: lower its modules to LLVM IR, and check the text with FileCheck.

A file tests the module of the same name in `src/weft/codegen/lowering`. `// -----` separates the
modules of a file, and `ttg.target` names the chip of each.
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

from weft.codegen import lower
from weft.ir.text import parse_module

FOLDER = Path(__file__).parent
SOURCE = Path(__file__).parents[3] / "src/weft/codegen/lowering"
FILES = sorted(FOLDER.rglob("*.mlir"))
RUN = "// RUN: %lower %s | filecheck %s"
# The registry of the lowerings writes no LLVM IR.
WITHOUT_LOWERING = {"registry", "__init__"}


def lowered_text(text: str) -> str:
    """Lower each module of a file to LLVM IR."""
    parts = re.split(r"^// -----$", text, flags=re.MULTILINE)
    return "\n// -----\n".join(lower(parse_module(part)).text for part in parts)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER))[:-5])
def test_file(file: Path, capsys: pytest.CaptureFixture[str]):
    text = file.read_text()
    assert text.startswith(RUN), f'the first line must be "{RUN}"'
    options = Options(match_filename=str(file))
    patterns = Parser(options, io.StringIO(text), *pattern_for_opts(options))
    llvm = lowered_text(text)
    error = Matcher(options, FInput("LLVM IR", llvm), patterns).run()
    assert not error, capsys.readouterr().err + llvm


def test_each_lowering_has_a_file():
    modules = {
        path.relative_to(SOURCE).with_suffix(".mlir")
        for path in SOURCE.rglob("*.py")
        if path.stem not in WITHOUT_LOWERING
    }
    assert modules == {path.relative_to(FOLDER) for path in FILES}
