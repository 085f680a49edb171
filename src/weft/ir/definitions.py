"""IRDL reads the class of an attribute when its definition is first asked for, not before.

    with read_later():
        import xdsl.dialects.builtin        # 44 attributes, of which a compile uses ten

The definition says what the parameters of an attribute must be: it is asked for when one is made.
xDSL works it out from the annotations while the class is declared, which takes a fifth of the time
to import its dialects. `weft.ir.operation` does the same for operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import ParamAttrDef

__all__ = ["read_later"]

_read = ParamAttrDef.from_pyrdl


class _Later(ParamAttrDef):
    """A definition that is read from its class when it is first looked at."""

    def __init__(self, pyrdl_def: type[ParametrizedAttribute]) -> None:
        self._declared = pyrdl_def

    def __getattr__(self, field: str) -> Any:
        if field not in ("name", "parameters"):
            raise AttributeError(field)
        read = _read(self._declared)
        self.name, self.parameters = read.name, read.parameters
        return getattr(self, field)


@contextmanager
def read_later() -> Iterator[None]:
    """Let the attributes that are declared in the block be read later."""
    ParamAttrDef.from_pyrdl = staticmethod(_Later)
    try:
        yield
    finally:
        ParamAttrDef.from_pyrdl = staticmethod(_read)
