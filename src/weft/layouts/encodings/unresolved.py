"""Placeholders of Gluon programs: encodings that a later pass resolves."""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings.base import Encoding, Names, encoding

__all__ = ["AutoEncoding", "CoalescedEncoding"]


class _Unresolved(Encoding):
    __slots__ = ()
    dialect: ClassVar[str] = "gluon"
    family: ClassVar[str] = "unresolved"

    @property
    def rank(self) -> int:
        """Raise LayoutError, as an encoding without meaning has no rank."""
        raise self.error("has no rank before it is resolved")

    def _body(self, names: Names | None) -> str:
        return ""


@encoding
class AutoEncoding(_Unresolved):
    """A placeholder for the encoding that inference finds."""

    mnemonic: ClassVar[str] = "auto_encoding"


@encoding
class CoalescedEncoding(_Unresolved):
    """A placeholder for the encoding that suits the memory access best."""

    mnemonic: ClassVar[str] = "coalesced_encoding"
