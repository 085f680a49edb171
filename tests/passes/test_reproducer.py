"""Reproducers: what is written is read again."""

from __future__ import annotations

import pytest

from weft.errors import WeftError
from weft.passes import parse_pipeline
from weft.passes.pipeline_text import format_pipeline
from weft.passes.reproducer import read_reproducer, write_reproducer


@pytest.mark.parametrize("verify_each", [True, False])
def test_round_trip(verify_each, tmp_path):
    file = tmp_path / "a.mlir"
    passes = parse_pipeline("cse,convert-triton-to-tritongpu{target=cuda:90 num-warps=8}")
    write_reproducer(str(file), "module {\n}\n", format_pipeline(passes), verify_each=verify_each)
    reproducer = read_reproducer(file.read_text())
    assert (reproducer.passes, reproducer.verify_each) == (passes, verify_each)


def test_standard_error(capsys):
    write_reproducer("-", "module {\n}\n", "builtin.module(cse)", verify_each=True)
    assert 'pipeline: "builtin.module(cse)"' in capsys.readouterr().err


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(WeftError, match="cannot write the reproducer"):
        write_reproducer(str(tmp_path), "", "", verify_each=True)
