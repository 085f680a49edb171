"""What the text of one operation has given so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, Region

from weft.ir.operation import Op

if TYPE_CHECKING:
    from xdsl.parser import UnresolvedOperand


class KnownTypes(dict[str, Any]):
    """The types that the text gave; the others are inferred when they are asked for."""

    def __init__(self, cls: type[Op]) -> None:
        super().__init__()
        self.cls = cls

    def __missing__(self, name: str) -> Any:
        if name not in self.cls.INFER:
            raise TypeError(f"{self.cls.name}: the type of {name} is missing")
        self[name] = inferred = self.cls.INFER[name](self)
        return inferred


@dataclass(slots=True)
class Parsed:
    """What the text of one operation has given so far."""

    types: KnownTypes
    operands: dict[str, list[UnresolvedOperand]] = field(default_factory=dict)
    properties: dict[str, Attribute] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    regions: dict[str, Region] = field(default_factory=dict)
