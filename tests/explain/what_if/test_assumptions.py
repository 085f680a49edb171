"""Assumptions about arguments: forms that are read, what they change, and errors."""

from __future__ import annotations

import ast

import pytest

from tests.explain.advice.kernels import copy
from weft.errors import WeftError
from weft.explain.advice.workbench import Workbench
from weft.explain.what_if.assumptions import Assumption, parse_assumptions
from weft.ir.rewriting import walk
from weft.targets import target

SIGNATURE = "*fp32:16, *fp32, i32, 1024"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n % 16 == 0", [Assumption("n", 16, ast.Eq, 0)]),
        ("n == 1", [Assumption("n", 0, ast.Eq, 1)]),
        ("-8 < n", [Assumption("n", 0, ast.Gt, -8)]),
        ("0 <= n < 4096", [Assumption("n", 0, ast.GtE, 0), Assumption("n", 0, ast.Lt, 4096)]),
        ("n % 8 == 0 and m > 2", [Assumption("n", 8, ast.Eq, 0), Assumption("m", 0, ast.Gt, 2)]),
    ],
)
def test_forms(text, expected):
    assert list(parse_assumptions(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["n", "n %", "n % 3 == 0", "n % 16 == 1", "n != 2", "n == m", "f(n) == 1", "n == 1.5", ""],
)
def test_unreadable(text):
    with pytest.raises(WeftError, match="cannot read the assumption") as caught:
        parse_assumptions(text)
    assert "n % 16 == 0" in str(caught.value)


def variant_with(text):
    bench = Workbench.of(copy, target("cuda:90"), {}, SIGNATURE)
    (assumption,) = parse_assumptions(text)
    return bench, assumption.apply(bench.variant)


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("n % 16 == 0", "*fp32:16, *fp32, i32:16, 1024"),
        ("y % 16 == 0", "*fp32:16, *fp32:16, i32, 1024"),
        ("n == 1", "*fp32:16, *fp32, 1, 1024"),
        ("n == 4096", "*fp32:16, *fp32, i32:16, 1024"),
        ("n < 4096", "*fp32:16, *fp32, i32, 1024"),
    ],
)
def test_signatures(text, signature):
    assert str(variant_with(text)[1].signature) == signature


@pytest.mark.parametrize(("text", "count"), [("n % 16 == 0", 0), ("n < 4096", 1), ("n == 64", 1)])
def test_assume_operations(text, count):
    bench, variant = variant_with(text)
    module = bench.compile(variant)
    assert sum(op.name == "llvm.intr.assume" for op in walk(module)) == count


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k == 1", "k, which is unknown"),
        ("BLOCK == 64", "compile-time constant"),
        ("x == 1", "cannot compare x"),
    ],
)
def test_unknown_arguments(text, message):
    with pytest.raises(WeftError, match=message):
        variant_with(text)
