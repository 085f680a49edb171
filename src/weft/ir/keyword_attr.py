"""Enum attributes spelled by a keyword: `#ttng.redOp<min>`, `#nvws.async_op<tma_load>`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.utils.exceptions import VerifyException

from weft.errors import did_you_mean

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

__all__ = ["KeywordAttr"]


@dataclass(frozen=True, init=False)  # so that equality and hash compare the keyword
class KeywordAttr(ParametrizedAttribute):
    """Base class of the attributes that hold one keyword.

    Attributes:
        KEYWORDS: The keywords that the class accepts.
        keyword: The keyword that this attribute holds.
    """

    KEYWORDS: ClassVar[tuple[str, ...]] = ()
    keyword: StringAttr

    @classmethod
    def of(cls, keyword: str) -> Self:
        """Create the attribute of a keyword."""
        return cls.new([StringAttr(keyword)])

    @property
    def text(self) -> str:
        """The keyword as a string."""
        return self.keyword.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            keyword = parser.parse_identifier()
        if keyword not in cls.KEYWORDS:
            hint = did_you_mean(keyword, cls.KEYWORDS)
            parser.raise_error(
                f"expected {cls.name} to be one of: {', '.join(cls.KEYWORDS)}; found {keyword}"
                + (f" ({hint})" if hint else ""),
                start,
            )
        return [StringAttr(keyword)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.text}>")

    def verify(self) -> None:
        if self.text not in self.KEYWORDS:
            accepted = ", ".join(self.KEYWORDS)
            raise VerifyException(
                f"expected {self.name} to be one of: {accepted}; found {self.text}"
            )
