"""Names of SSA values after the variables of a kernel."""

from __future__ import annotations

import re
from contextlib import suppress

from weft.ir.builtin import SSAValue

__all__ = ["set_name_hint"]

_SUFFIXES = re.compile(r"(_\d+)+$")


def set_name_hint(value: SSAValue, variable: str) -> None:
    """Name a value after a Python variable.

    xDSL drops a numeric suffix each time a name is passed on, so that `x_1` becomes `x`. A variable
    of which nothing remains (`_0`), or that starts with a letter outside ASCII (`β`), gives none.
    """
    value.name_hint = None
    with suppress(ValueError):
        value.name_hint = _SUFFIXES.sub("", variable) or None
