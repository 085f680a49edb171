"""Calls between the functions of a module."""

from __future__ import annotations

import pytest

from weft.analysis.dataflow.call_graph import (
    callees_first,
    callers_first,
    calls_of,
    function_of,
    recursive_functions,
)
from weft.ir import tt
from weft.ir.text import parse_module


def module(calls: dict[str, str]) -> list[tt.FuncOp]:
    """Parse functions with the names of their callees, separated by spaces."""
    text = ""
    for name, callees in calls.items():
        body = "\n".join(f"tt.call @{callee}() : () -> ()" for callee in callees.split())
        text += f"tt.func private @{name}() {{\nscf.execute_region {{\n{body}\nscf.yield\n}}\n"
        text += "tt.return\n}\n"
    return [op for op in parse_module(text).body.block.ops if isinstance(op, tt.FuncOp)]


def names(functions) -> list[str]:
    return [function.symbol for function in functions]


CHAIN = {"a": "b missing", "k": "a c", "b": "", "c": "b"}


def test_calls_by_callee():
    functions = module(CHAIN)
    calls = {f.symbol: names(map(function_of, sites)) for f, sites in calls_of(functions).items()}
    assert calls == {"a": ["k"], "k": [], "b": ["a", "c"], "c": ["k"]}


def test_orders():
    functions = module(CHAIN)
    assert names(callers_first(functions, calls_of(functions))) == ["k", "a", "c", "b"]
    assert names(callees_first(functions)) == ["b", "a", "c", "k"]
    alone = module({"k": "k"})
    assert callees_first(alone) == alone
    assert callers_first(alone, {}) == alone


@pytest.mark.parametrize(
    ("calls", "recursive"),
    [
        (CHAIN, []),
        ({"a": "a", "b": "a"}, ["a"]),
        ({"k": "a", "a": "b", "b": "a", "c": "b"}, ["a", "b"]),
    ],
)
def test_recursion(calls, recursive):
    functions = module(calls)
    assert sorted(names(recursive_functions(functions))) == recursive
    assert sorted(names(callees_first(functions))) == sorted(calls)
