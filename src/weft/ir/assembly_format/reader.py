"""Read a format string into elements."""

from __future__ import annotations

import re
from importlib import import_module

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import OptionalDef

from weft.ir.assembly_format.element import Element, Literal, NoBlank
from weft.ir.assembly_format.elements import AnyOrder, Group, Operand, RegionElement
from weft.ir.assembly_format.properties import AttrDict, Flags, Property, UnitProperty
from weft.ir.assembly_format.types import BareTypeOf, FunctionalType, TypeOf
from weft.ir.flags import FlagsConstraint
from weft.ir.operation import Op, operand_names, result_names

_TOKEN = re.compile(
    r"\s*(?:`(?P<literal>[^`]*)`|\$(?P<variable>\w+)|(?P<word>attr-dict-with-keyword|attr-dict"
    r"|functional-type|bare-type|type|oilist|operands|results)"
    r"|custom<(?P<custom>\w+)>|(?P<sign>\)\?|[()|^,]))"
)


class Reader:
    """Read a format string into elements."""

    def __init__(self, cls: type[Op]) -> None:
        self.cls = cls
        self.tokens = [match for match in _TOKEN.finditer(cls.FORMAT)]
        if "".join(m.group() for m in self.tokens).strip() != cls.FORMAT.strip():
            raise ValueError(f"{cls.name}: the format cannot be read: {cls.FORMAT}")
        self.at = 0
        definition = cls.get_irdl_definition()
        self.properties = definition.properties
        self.operand_kinds = dict(operand_names(cls))
        self.region_names = {name for name, _ in definition.regions}
        self.results = {**dict(result_names(cls)), "operands": "many", "results": "many"}

    def peek(self) -> str:
        return self.tokens[self.at].group().strip() if self.at < len(self.tokens) else ""

    def take(self) -> re.Match[str]:
        self.at += 1
        return self.tokens[self.at - 1]

    def elements(self, *stops: str) -> tuple[list[Element], Element | None]:
        """Read elements up to a stop sign; return them and the anchored one."""
        found: list[Element] = []
        anchor: Element | None = None
        while self.at < len(self.tokens) and self.peek() not in stops:
            if self.peek() == "^":
                self.take()
                anchor = found[-1]
                continue
            found.append(self.element())
        return found, anchor

    def element(self) -> Element:
        token = self.take()
        if (text := token.group("literal")) is not None:
            return Literal(text) if text else NoBlank()
        if (name := token.group("variable")) is not None:
            return self.variable(name)
        if (name := token.group("custom")) is not None:
            home, *names = self.cls.CUSTOM[name]
            module, _, kind = home.partition(":")
            return getattr(import_module(module), kind)(*names)
        match token.group("word") or token.group("sign"):
            case "attr-dict":
                return AttrDict(frozenset(), False)
            case "attr-dict-with-keyword":
                return AttrDict(frozenset(), True)
            case "type":
                return self.type_of()
            case "bare-type":
                element = self.type_of()
                return BareTypeOf(element.name, self.cls.BARE_TYPES[element.name])
            case "functional-type":
                self.take()
                inputs = self.take().group().strip().lstrip("$")
                for _ in range(3):
                    self.take()
                return FunctionalType(inputs)
            case "oilist":
                return self.any_order()
            case "(":
                inner, anchor = self.elements(")?")
                self.take()
                if anchor is None:
                    raise ValueError(f"{self.cls.name}: an optional group has no anchor")
                return Group(tuple(inner), anchor)
            case other:
                raise ValueError(f"{self.cls.name}: unexpected {other} in the format")

    def variable(self, name: str) -> Element:
        if name in self.operand_kinds:
            return Operand(name, self.operand_kinds[name])
        if name in self.region_names:
            return RegionElement(name)
        definition = self.properties[name]
        constraint = definition.constr
        if isinstance(definition, OptionalDef) and constraint.get_bases() == {UnitAttr}:
            return UnitProperty(name)
        if isinstance(constraint, FlagsConstraint):
            return Flags(name, constraint.kind, isinstance(definition, OptionalDef))
        return Property(name, constraint, definition.default_value)

    def type_of(self) -> TypeOf:
        self.take()
        name = self.take().group().strip().lstrip("$")
        self.take()
        return TypeOf(name, self.operand_kinds.get(name) or self.results[name])

    def any_order(self) -> Element:
        self.take()
        clauses: list[tuple[Element, ...]] = []
        while True:
            clause, _ = self.elements("|", ")")
            clauses.append(tuple(clause))
            if self.take().group().strip() == ")":
                return AnyOrder(tuple(clauses))
