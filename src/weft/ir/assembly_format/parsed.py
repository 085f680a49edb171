"""What the text of one operation has given so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Attribute, Region

from weft.ir.operation import Op

if TYPE_CHECKING:
    from xdsl.parser import UnresolvedOperand


class KnownTypes:
    """The types that the text spells; the others are inferred on demand."""

    def __init__(self, cls: type[Op]) -> None:
        self._cls = cls
        self._types: dict[str, Attribute | list[Attribute]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._types

    def __setitem__(self, name: str, type_: Attribute | list[Attribute]) -> None:
        self._types[name] = type_

    def get(self, name: str) -> Attribute | list[Attribute]:
        """Get the type of an operand or result, or the types of a variadic one.

        Raises:
            TypeError: The text does not spell it and the operation does not infer it.
        """
        if name not in self._types:
            if name not in self._cls.INFER:
                raise TypeError(f"{self._cls.name}: the type of {name} is missing")
            self._types[name] = self._cls.INFER[name](self)
        return self._types[name]

    def __getitem__(self, name: str) -> Attribute:
        """Get the type of an operand or result that is not variadic."""
        type_ = self.get(name)
        assert isinstance(type_, Attribute)
        return type_


@dataclass(slots=True)
class Parsed:
    """What the text of one operation has given so far."""

    types: KnownTypes
    operands: dict[str, list[UnresolvedOperand]] = field(default_factory=dict)
    properties: dict[str, Attribute] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    regions: dict[str, Region] = field(default_factory=dict)
