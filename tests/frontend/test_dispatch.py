"""The tables from syntax to lowering."""

from __future__ import annotations

import ast

from weft.frontend.context import _NODE_NAMES
from weft.frontend.dispatch import TABLES


def test_each_class_is_in_the_table_of_its_kind():
    assert all(issubclass(kind, ast.expr) for kind in TABLES.expressions)
    assert all(issubclass(kind, ast.stmt) for kind in TABLES.statements)


def test_every_kind_of_syntax_has_a_name_for_messages():
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
