"""Attributes of amdg."""

from __future__ import annotations

from typing import ClassVar

from weft.ir.definitions import attribute_class
from weft.ir.keywords import KeywordAttr

__all__ = ["SchedHintVariantAttr"]


@attribute_class
class SchedHintVariantAttr(KeywordAttr):
    """A way to order the instructions of a loop: `#amdg.SchedHintVariant<attention>`."""

    name = "amdg.SchedHintVariant"
    KEYWORDS: ClassVar[tuple[str, ...]] = ("none", "attention")
