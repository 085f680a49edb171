"""Evaluate a Python expression that builds a layout, and nothing else.

    layouts.SliceEncoding(1, BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0)))
    LinearLayout.identity_1d(4, "register", "dim0") * LinearLayout.identity_1d(8, "lane", "dim0")

Accepted are the encodings, LinearLayout with its public methods, default_blocked and parse of
weft.layouts; numbers, strings, lists, tuples, dictionaries; calls, and `*` between layouts.
Everything else is an error with its location.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from weft import layouts
from weft.errors import LayoutError, Location, WeftError, did_you_mean

__all__ = ["evaluate"]

_NAMES: dict[str, object] = {
    name: getattr(layouts, name)
    for name in layouts.__all__
    if name in ("LinearLayout", "default_blocked", "parse") or name.endswith("Encoding")
}
_MODULES = (["layouts"], ["weft", "layouts"])
_METHODS = frozenset(
    {name for name in dir(layouts.LinearLayout) if not name.startswith("_")}
    | {"linear", "from_fields", "with_identity"}
)


def evaluate(text: str) -> layouts.Encoding | layouts.LinearLayout:
    """Evaluate an expression.

    Raises:
        LayoutError: A part that is not accepted, with its location.
    """
    text = " ".join(text.split("\n")).strip()
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        location = _location(text, error.offset or 1)
        raise LayoutError("cannot read the expression", location=location) from None
    value = _Evaluator(text).value(tree.body)
    if not isinstance(value, layouts.Encoding | layouts.LinearLayout):
        raise LayoutError(
            "the expression must build an encoding or a LinearLayout", found=repr(value)
        )
    return value


def _location(text: str, column: int, end: int = 0) -> Location:
    return Location("<layout>", 1, column, end or column + 1, source=text)


class _Evaluator:
    """Evaluate the nodes of an expression."""

    def __init__(self, text: str) -> None:
        self.text = text

    def error(
        self,
        node: ast.AST,
        message: str,
        accepted: Iterable[object] = (),
        hint: str | None = None,
    ) -> LayoutError:
        column = getattr(node, "col_offset", 0) + 1
        end = (getattr(node, "end_col_offset", None) or column) + 1
        location = _location(self.text, column, end)
        return LayoutError(message, location=location, accepted=accepted, hint=hint)

    def value(self, node: ast.expr) -> object:
        rule: Callable[[Any], Any] | None = {
            ast.Constant: self.constant,
            ast.Tuple: lambda n: tuple(self.value(item) for item in n.elts),
            ast.List: lambda n: [self.value(item) for item in n.elts],
            ast.Dict: self.dictionary,
            ast.Name: self.name,
            ast.Attribute: self.attribute,
            ast.Call: self.call,
            ast.BinOp: self.product,
        }.get(type(node))
        if rule is None:
            raise self.error(node, "not accepted in a layout expression", accepted=_accepted())
        return rule(node)

    def constant(self, node: ast.Constant) -> object:
        if not isinstance(node.value, int | str):
            raise self.error(node, "not accepted in a layout expression", accepted=_accepted())
        return node.value

    def dictionary(self, node: ast.Dict) -> Mapping[object, object]:
        if None in node.keys:
            raise self.error(node, "not accepted in a layout expression", accepted=_accepted())
        keys = [self.value(key) for key in node.keys if key is not None]
        return dict(zip(keys, map(self.value, node.values), strict=True))

    def name(self, node: ast.Name) -> object:
        return self.known(node, node.id)

    def known(self, node: ast.AST, name: str) -> object:
        if name not in _NAMES:
            raise self.error(
                node, f"unknown name {name}", accepted=_NAMES, hint=did_you_mean(name, _NAMES)
            )
        return _NAMES[name]

    def attribute(self, node: ast.Attribute) -> object:
        if _dotted(node.value) in _MODULES:
            return self.known(node, node.attr)
        owner = self.value(node.value)
        # Attributes such as __class__ or mro would give access to the rest of Python.
        if node.attr not in _METHODS or not hasattr(owner, node.attr):
            known = sorted(name for name in _METHODS if hasattr(owner, name))
            raise self.error(
                node,
                f"unknown method {node.attr}",
                accepted=known,
                hint=did_you_mean(node.attr, known),
            )
        return getattr(owner, node.attr)

    def call(self, node: ast.Call) -> object:
        function = self.value(node.func)
        starred = any(isinstance(a, ast.Starred) for a in node.args)
        if not callable(function) or starred or any(k.arg is None for k in node.keywords):
            raise self.error(node, "not accepted in a layout expression", accepted=_accepted())
        arguments = [self.value(argument) for argument in node.args]
        named = {str(k.arg): self.value(k.value) for k in node.keywords}
        try:
            return function(*arguments, **named)
        except WeftError:
            raise
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise self.error(node, f"invalid call: {error}") from None

    def product(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        is_product = isinstance(node.op, ast.Mult)
        if (
            is_product
            and isinstance(left, layouts.LinearLayout)
            and isinstance(right, layouts.LinearLayout)
        ):
            return left * right
        raise self.error(node, "only * between two LinearLayouts is accepted")


def _dotted(node: ast.expr) -> list[str]:
    """List the names of a dotted path; [] if the node is something else."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute) and (head := _dotted(node.value)):
        return [*head, node.attr]
    return []


def _accepted() -> list[str]:
    return ["calls of the constructors of weft.layouts", "literals", "* between layouts"]
