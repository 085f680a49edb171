"""Bit-enum attributes of arith: `overflow<nsw, nuw>` and `fastmath<contract>`.

`none` is the default and is not printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

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

__all__ = [
    "FLAGS",
    "FlagsAttr",
    "FlagsConstraint",
    "flags_prop",
    "opt_flags_prop",
    "parse_flags",
]

FLAGS: dict[str, tuple[str, ...]] = {
    "overflow": ("nsw", "nuw"),
    "fastmath": ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast"),
}
"""The flags of each enum, in the order in which they are printed."""


@irdl_attr_definition
class FlagsAttr(Data[tuple[str, ...]], BuiltinAttribute):
    """The flags that are set: the name of the enum, then the flags in its order."""

    name = "arith.flags"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[str, ...]:
        # The text names the enum, not this attribute: `#arith.overflow<nsw>`.
        return parser.raise_error("expected #arith.overflow<…> or #arith.fastmath<…>")

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
    """Accept the flags of one enum.

    Attributes:
        enum: "overflow" or "fastmath".
    """

    enum: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not (isinstance(attr, FlagsAttr) and attr.data[0] == self.enum):
            raise VerifyException(f"expected #arith.{self.enum}<…>, but got {attr}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[FlagsAttr]:
        return self


def parse_flags(parser: AttrParser, enum: str) -> FlagsAttr:
    """Parse `<nsw, nuw>` of an enum."""

    def parse_flag() -> str:
        flag = parser.parse_identifier()
        if flag != "none" and flag not in FLAGS[enum]:
            accepted = ", ".join(("none", *FLAGS[enum]))
            parser.raise_error(f"expected {enum} flags to be one of: {accepted}; found {flag}")
        return flag

    flags = set(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_flag))
    return FlagsAttr((enum, *(flag for flag in FLAGS[enum] if flag in flags)))


def opt_flags_prop(enum: str) -> FlagsAttr | None:
    """Declare a flags property that may be absent, which differs from `none`."""
    return opt_prop_def(FlagsConstraint(enum))


def flags_prop(enum: str) -> FlagsAttr:
    """Declare a flags property with the default `none`."""
    return prop_def(FlagsConstraint(enum), default_value=FlagsAttr((enum,)))
