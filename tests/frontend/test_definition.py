# ruff: noqa: B007, F841 - kernels that bind names for the binding's sake
"""Parsed definitions: source positions, and queries on statements."""

from __future__ import annotations

import ast

import pytest

import weft.language as tl
from weft.errors import UnsupportedError
from weft.frontend.definition import definition_of
from weft.language.kernel_function import KernelFunction, kernel_function


@kernel_function
def several_lines(p, n):
    x = (
        n  # said over several lines
        + 1
    )
    if n > 3:
        for i in range(n):
            y = x
        return
    tl.store(p, x)  # the end

    # a comment


def test_function_is_parsed_once():
    assert definition_of(several_lines) is definition_of(several_lines)


def test_positions_are_those_of_the_file():
    tree = definition_of(several_lines)
    assign = tree.node.body[0]
    place = tree.position(assign)
    assert place.line == several_lines.first_line + 2
    assert (place.column, place.source) == (5, "    x = (")
    store = tree.position(tree.node.body[2])
    assert (store.column, store.end_column) == (5, 19)
    assert str(tree.location(assign, "x")) != str(tree.location(assign))
    assert tree.location(assign, "x") is tree.location(assign, "x")


def test_queries_on_statements():
    tree = definition_of(several_lines)
    assign, branch, store = tree.node.body
    assert tree.returns(branch)
    assert not tree.returns(store)
    assert tree.bound_names(branch) == {"i", "y"}
    assert tree.bound_names(assign) == {"x"}
    assert tree.loop_variables(branch) == {"i"}


def make_nested():
    if True:

        @kernel_function
        def nested(p):
            """Say
            nothing of indentation.
            """
            tl.store(p, 1)

        return nested


def test_nested_function_keeps_its_columns():
    nested = make_nested()
    tree = definition_of(nested)
    place = tree.position(tree.node.body[1])
    assert place.column == 13
    assert place.source == "            tl.store(p, 1)"
    with open(__file__) as file:
        assert file.read().splitlines()[place.line - 1] == place.source


def test_lambda_is_an_error():
    function = KernelFunction(lambda p: p)
    with pytest.raises(UnsupportedError, match="defined with def"):
        definition_of(function)


def test_tree_equals_that_of_the_file():
    tree = definition_of(several_lines)
    with open(__file__) as file:
        whole = ast.parse(file.read())
    ours = next(
        node
        for node in whole.body
        if isinstance(node, ast.FunctionDef) and node.name == "several_lines"
    )
    assert ast.dump(ours) == ast.dump(tree.node)


@kernel_function
def only_documented(p):
    """Do nothing
    at all.
    """


@kernel_function
def on_one_line(p): return  # fmt: skip


def test_functions_without_code():
    assert len(definition_of(only_documented).node.body) == 1
    assert only_documented.source.text.rstrip().endswith('at all.\n    """')
    assert on_one_line.source.text.strip().endswith("# fmt: skip")


def test_file_that_has_changed(tmp_path):
    path = tmp_path / "changed.py"
    path.write_text("def k(p):\n    x = 1\n    return\n")
    names: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    path.write_text("\n\n)\n")
    function = kernel_function(names["k"])  # type: ignore[arg-type]
    path.write_text("def k(p:\n    x = 1\n    return\n")
    with pytest.raises(UnsupportedError, match="source file of kernel k has changed"):
        definition_of(function)
