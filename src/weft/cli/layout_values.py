"""Layouts of Gluon as values on the command line.

    --constexpr "layout=gl.BlockedLayout([4], [32], [4], [0])"

The text is a call of a layout class of `weft.gluon`, or of one of its constructors, whose arguments
are literals, element types and layouts.
"""

from __future__ import annotations

import ast
from functools import reduce

import weft.gluon
from weft.errors import WeftError

__all__ = ["parse_layout"]


def parse_layout(text: str) -> object:
    """Evaluate the text of a layout.

    Raises:
        WeftError: It is not a layout.
    """
    try:
        return _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, AttributeError) as error:
        raise WeftError(
            f"cannot read the layout: {error}",
            found=text,
            accepted=["gl.BlockedLayout([4], [32], [4], [0])"],
        ) from None


def _value(node: ast.expr) -> object:
    if isinstance(node, ast.Attribute):
        return _attribute(node)
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    function = _attribute(node.func)
    if not callable(function) or "Layout" not in ast.unparse(node.func):
        raise TypeError(f"{ast.unparse(node.func)} is not a layout class")
    keywords = {each.arg: _value(each.value) for each in node.keywords if each.arg}
    return function(*map(_value, node.args), **keywords)


def _attribute(node: ast.expr) -> object:
    """Look up a dotted name that starts with gl."""
    root, *names = ast.unparse(node).split(".")
    if root != "gl" or any(name.startswith("_") for name in names):
        raise TypeError(f"unknown name {ast.unparse(node)}")
    return reduce(getattr, names, weft.gluon)
