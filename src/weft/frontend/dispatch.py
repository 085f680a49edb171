"""Which function lowers which class of syntax: one table for expressions, one for statements."""

from __future__ import annotations

from weft.frontend import (
    branches,
    calls,
    constants,
    loops,
    names,
    operators,
    statements,
)
from weft.frontend.context import Tables

TABLES = Tables(
    expressions={
        **constants.EXPRESSIONS,
        **names.EXPRESSIONS,
        **operators.EXPRESSIONS,
        **branches.EXPRESSIONS,
        **calls.EXPRESSIONS,
    },
    statements={
        **statements.STATEMENTS,
        **branches.STATEMENTS,
        **loops.STATEMENTS,
    },
)
