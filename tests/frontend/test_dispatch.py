"""The tables from node classes to functions."""

from __future__ import annotations

import ast

from weft.frontend.context import _NODE_NAMES
from weft.frontend.dispatch import TABLES


def test_tables_have_expressions_and_statements():
    assert all(issubclass(kind, ast.expr) for kind in TABLES.expressions)
    assert all(issubclass(kind, ast.stmt) for kind in TABLES.statements)


def test_every_node_class_has_a_name():
    kinds = [*ast.expr.__subclasses__(), *ast.stmt.__subclasses__()]
    unnamed = {kind.__name__ for kind in kinds if kind not in _NODE_NAMES}
    assert unnamed <= {
        "FormattedValue",
        "AsyncWith",
        "TryStar",
        "TypeAlias",
        "TemplateStr",
        "Interpolation",
        "Num",
        "Str",
        "Bytes",
        "NameConstant",
        "Ellipsis",
    }
