"""The remarks of the passes that print analyses are those that their test files expect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from weft.cli.opt.diagnostics import check
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline
from weft.passes.diagnostics import collect_diagnostics

FILES = [
    file
    for file in sorted(Path(__file__).parent.glob("*.mlir"))
    if "expected-remark" in file.read_text()
]
RUN = re.compile(
    r"^// RUN: weft opt %s -p '?([^\s']+)'?( --split-input-file)? --verify-diagnostics "
    r"-o /dev/null$"
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_remarks(file):
    text = file.read_text()
    run = RUN.match(text.splitlines()[1])
    assert run, "the second line has no RUN command of the expected form"
    parts = re.split(r"^// -----$", text, flags=re.MULTILINE) if run[2] else [text]
    for part in parts:
        module = parse_module(part, file.name)
        with collect_diagnostics() as diagnostics:
            run_pipeline(parse_pipeline(run[1]), module, verify=True)
        errors = check(part, file.name, diagnostics, "all")
        assert not errors, "\n".join(map(str, errors))
