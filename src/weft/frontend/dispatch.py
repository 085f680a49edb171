"""The functions that lower each class of syntax node."""

from __future__ import annotations

from weft.frontend import (
    calls,
    conditionals,
    literals,
    loops,
    name_resolution,
    operators,
    statements,
    with_statement,
)
from weft.frontend.context import Tables

TABLES = Tables(
    expressions={
        **literals.EXPRESSIONS,
        **name_resolution.EXPRESSIONS,
        **operators.EXPRESSIONS,
        **conditionals.EXPRESSIONS,
        **calls.EXPRESSIONS,
    },
    statements={
        **statements.STATEMENTS,
        **conditionals.STATEMENTS,
        **loops.STATEMENTS,
        **with_statement.STATEMENTS,
    },
)
