"""What an assembly format refers to: the operands, results and properties of an operation class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import OpDef

from weft.ir.assembly_format.directive import FormatDirective
from weft.ir.assembly_format.state import InferType

__all__ = ["Arity", "FormatSpec"]

Arity = Literal["one", "optional", "many"]
"""The number of values of an operand or result."""


class FormatSpec(Struct, frozen=True):
    """An operation class as its assembly format sees it.

    Attributes:
        cls: The class.
        format: The format string.
        definition: The IRDL definition of the class.
        operands: The name and arity of each operand in order.
        results: The name and arity of each result in order.
        infer: How to compute the types that the format omits.
        bare_types: The types that `bare-type($x)` prints without dialect and mnemonic, by `x`.
        custom: The directive of each `custom<Name>`, by name.
        defaults: The default values of properties.
    """

    cls: type[Operation]
    format: str
    definition: OpDef
    operands: tuple[tuple[str, Arity], ...]
    results: tuple[tuple[str, Arity], ...]
    infer: Mapping[str, InferType]
    bare_types: Mapping[str, type[ParametrizedAttribute]]
    custom: Mapping[str, FormatDirective]
    defaults: Mapping[str, Attribute]
