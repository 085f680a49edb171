"""Run the RUN line of every .mlir file in the folders of passes: FileCheck, or diagnostics."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

from weft.cli.opt.arguments import read_arguments
from weft.cli.opt.session import Session
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

FOLDER = Path(__file__).parent
DIAGNOSTICS = sorted(FOLDER.glob("*/*_diagnostics.mlir"))
FILES = sorted(set(FOLDER.glob("*/*.mlir")) - set(DIAGNOSTICS))
RUN = re.compile(
    r"^// RUN: weft opt %s -p '?(?P<pipeline>[^\s'|]+|(?<=')[^']+)'?(?P<split> --split-input-file)?"
    r"(?P<unregistered> --allow-unregistered-dialect)? \| filecheck %s$"
)


def output(text: str, pipeline: str, split: bool, allow_unregistered: bool) -> str:
    """Print the modules of a text after a pipeline."""
    parts = re.split(r"^// -----$", text, flags=re.MULTILINE) if split else [text]
    printed = []
    for part in parts:
        module = parse_module(part, allow_unregistered=allow_unregistered)
        run_pipeline(parse_pipeline(pipeline), module, verify=True)
        printed.append(print_module(module))
    return "\n// -----\n".join(printed)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_file(file, capsys):
    text = file.read_text()
    run = RUN.match(text.splitlines()[0])
    assert run, "the first line has no RUN command of the expected form"
    options = Options(match_filename=str(file))
    patterns = Parser(options, io.StringIO(text), *pattern_for_opts(options))
    printed = output(text, run["pipeline"], bool(run["split"]), bool(run["unregistered"]))
    exit_code = Matcher(options, FInput("printed", printed), patterns).run()
    assert not exit_code, capsys.readouterr().err + printed


@pytest.mark.parametrize("file", DIAGNOSTICS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_diagnostics(file, capsys):
    arguments = file.read_text().splitlines()[0].removeprefix("// RUN: weft opt %s ").split()
    assert "-verify-diagnostics" in arguments
    exit_code = Session(read_arguments([str(file), *arguments, "-o", "/dev/null"])).run()
    assert not exit_code, capsys.readouterr().err
