"""Sets of flags on an operation: `overflow<nsw, nuw>` of arith, `fastmath<contract>`.

`none` is the default and is left out of the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from typing_extensions import TypeVar
from xdsl.ir import Attribute, BuiltinAttribute, Data
from xdsl.irdl import (
    AttrConstraint,
    IntConstraint,
    VerificationContext,
    irdl_attr_definition,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

KINDS: dict[str, tuple[str, ...]] = {
    "overflow": ("nsw", "nuw"),
    "fastmath": ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast"),
}


@irdl_attr_definition
class FlagsAttr(Data[tuple[str, ...]], BuiltinAttribute):
    """A kind ("overflow" or "fastmath") and the flags that are set, in the kind's order."""

    name = "arith.flags"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[str, ...]:
        return parser.raise_error("flags are parsed by their kind")

    def print_parameter(self, printer: Printer) -> None:
        self.print_builtin(printer)

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(f"#arith.{self.data[0]}")
        self.print_flags(printer)

    def print_flags(self, printer: Printer) -> None:
        """Print `<nsw, nuw>`."""
        separator = "," if self.data[0] == "fastmath" else ", "
        printer.print_string(f"<{separator.join(self.data[1:]) or 'none'}>")


@dataclass(frozen=True)
class FlagsConstraint(AttrConstraint[FlagsAttr]):
    """Accept flags of one kind."""

    kind: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not (isinstance(attr, FlagsAttr) and attr.data[0] == self.kind):
            raise VerifyException(f"{self.kind} flags expected, found {attr}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[FlagsAttr]:
        return self


def parse_flags(parser: AttrParser, kind: str) -> FlagsAttr:
    """Parse `<nsw, nuw>` of a kind."""

    def flag() -> str:
        name = parser.parse_identifier()
        if name != "none" and name not in KINDS[kind]:
            parser.raise_error(
                f"unknown {kind} flag {name}; accepted: none, {', '.join(KINDS[kind])}"
            )
        return name

    given = set(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, flag))
    return FlagsAttr((kind, *(name for name in KINDS[kind] if name in given)))


def opt_flags_prop(kind: str) -> Any:
    """Declare a flags property that may be absent, which is not the same as `none`."""
    return opt_prop_def(FlagsConstraint(kind))


def flags_prop(kind: str) -> Any:
    """Declare a flags property whose default is `none`."""
    return prop_def(FlagsConstraint(kind), default_value=FlagsAttr((kind,)))
