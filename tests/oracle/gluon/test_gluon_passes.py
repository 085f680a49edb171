"""Gluon's clean-up passes against Triton's, on modules with one pattern of a canonicalizer each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.compare import compare
from tests.oracle.weft_side import run_passes

pytestmark = pytest.mark.oracle

FOLDER = Path(__file__).parents[2] / "passes"
ADDERS = {"gluon-canonicalize": "add_canonicalizer", "gluon-inline": "add_inliner"}
CASES = [
    pytest.param(text, name, id=f"{name}-{file.stem}-{index}")
    for name in ADDERS
    for file in (
        *sorted((FOLDER / "gluon").glob("*.mlir")),
        *sorted((FOLDER / "common").glob("canonicalize*.mlir")),
        FOLDER / "common" / "inline.mlir",
    )
    for index, text in enumerate(file.read_text().split("// -----"))
]


@pytest.mark.parametrize(("text", "name"), CASES)
def test_pass_is_tritons(triton, text, name):
    text = triton.canonical(text)
    expected = triton.gluon_pass(text, ADDERS[name])
    result = compare(expected, triton.canonical(run_passes(text, name)))
    assert result, str(result)
