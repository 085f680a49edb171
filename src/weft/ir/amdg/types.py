"""Attributes of amdg."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_attr_definition

from weft.ir.keyword_attr import KeywordAttr

__all__ = ["SchedHintVariantAttr"]


@irdl_attr_definition
class SchedHintVariantAttr(KeywordAttr):
    """A variant of instruction scheduling: `#amdg.SchedHintVariant<attention>`."""

    name = "amdg.SchedHintVariant"
    KEYWORDS: ClassVar[tuple[str, ...]] = ("none", "attention")
