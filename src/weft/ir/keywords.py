"""Attributes that hold one keyword: `#ttng.redOp<min>`, `#nvws.async_op<tma_load>`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.utils.exceptions import VerifyException

from weft.errors import did_you_mean

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


class KeywordAttr(ParametrizedAttribute):
    """Base of the attributes that hold one keyword out of `KEYWORDS`."""

    KEYWORDS: ClassVar[tuple[str, ...]] = ()
    keyword: StringAttr

    @classmethod
    def of(cls, keyword: str) -> Self:
        """Return the attribute of a keyword."""
        return cls.new([StringAttr(keyword)])

    @property
    def text(self) -> str:
        return self.keyword.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            word = parser.parse_identifier()
        if word not in cls.KEYWORDS:
            hint = did_you_mean(word, cls.KEYWORDS)
            parser.raise_error(
                f"unknown {cls.name} {word}; accepted: {', '.join(cls.KEYWORDS)}"
                + (f" ({hint})" if hint else ""),
                start,
            )
        return [StringAttr(word)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.keyword.data}>")

    def verify(self) -> None:
        if self.keyword.data not in self.KEYWORDS:
            raise VerifyException(f"unknown {self.name} {self.keyword.data}")


__all__ = ["KeywordAttr"]
