"""Attributes of amdg."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_attr_definition

from weft.ir.keywords import KeywordAttr

__all__ = ["SchedHintVariantAttr"]


@irdl_attr_definition
class SchedHintVariantAttr(KeywordAttr):
    """A way to order the instructions of a loop: `#amdg.SchedHintVariant<attention>`."""

    name = "amdg.SchedHintVariant"
    KEYWORDS: ClassVar[tuple[str, ...]] = ("none", "attention")
