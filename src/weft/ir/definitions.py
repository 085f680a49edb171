"""IRDL reads the class of an attribute when its definition is first asked for, not before.

    with read_later():
        import xdsl.dialects.builtin        # 44 attributes, of which a compile uses ten

The definition says what the parameters of an attribute must be: it is asked for when one is made.
xDSL works it out from the annotations while the class is declared, which takes a fifth of the time
to import its dialects. weft's own attributes are declared by `attribute_class`; `weft.ir.operation`
does the same for operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, dataclass_transform

from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import ParamAttrDef, irdl_attr_definition, param_def

__all__ = ["attribute_class", "read_later"]

_Class = TypeVar("_Class", bound=type[Attribute])

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


@dataclass_transform(frozen_default=True, field_specifiers=(param_def,))
def attribute_class(cls: _Class) -> _Class:
    """Declare a class to be an attribute, as IRDL does, but read later."""
    with read_later():
        return irdl_attr_definition(cls)
