"""triton-opt's way to write passes, and ours."""

from __future__ import annotations

import pytest

from weft.cli.spelling import as_options


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("f.mlir -canonicalize --cse", "f.mlir -p canonicalize -p cse"),
        ("- -triton-combine -o out", "- -p triton-combine -o out"),
        ("f -split-input-file -cse", "f --split-input-file -p cse"),
        ("--split-input-file=true f", "--split-input-file f"),
        ("-p cse,inline f", "-p cse,inline f"),
        ("-optimize-something f", "-p optimize-something f"),
        ("--passes=cse f", "--passes=cse f"),
        ("--list-passes", "--list-passes"),
        ("--pass-pipeline=builtin.module(cse,inline)", "-p cse,inline"),
        ("-pass-pipeline cse", "-p cse"),
        ("-o", "-o"),
    ],
)
def test_spelling(given, read):
    assert as_options(given.split()) == read.split()


def test_options_of_a_pass():
    assert as_options(["--convert-triton-to-tritongpu=target=hip:gfx942 num-warps=4"]) == [
        "-p",
        "convert-triton-to-tritongpu{target=hip:gfx942 num-warps=4}",
    ]
