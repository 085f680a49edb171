"""Enum attributes that are spelled by a keyword."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from weft.errors import ParseError
from weft.ir.amdg.types import SchedHintVariantAttr
from weft.ir.keyword_attr import KeywordAttr
from weft.ir.nvws.types import AsyncOpAttr
from weft.ir.text import parse_module
from weft.ir.text.printer import print_type
from weft.ir.ttng.types import ReduceModifierAttr


def parse(text: str):
    op = parse_module(f'"t.use"() {{a = {text}}} : () -> ()', allow_unregistered=True)
    first = op.body.block.first_op
    assert first is not None
    return first.attributes["a"]


@pytest.mark.parametrize("cls", [ReduceModifierAttr, AsyncOpAttr, SchedHintVariantAttr])
def test_every_keyword_round_trips(cls: type[KeywordAttr]) -> None:
    assert cls.KEYWORDS
    for keyword in cls.KEYWORDS:
        attribute = cls.of(keyword)
        assert attribute.text == keyword
        assert print_type(attribute) == f"#{cls.name}<{keyword}>"
        assert parse(f"#{cls.name}<{keyword}>") == attribute


def test_an_unknown_keyword() -> None:
    with pytest.raises(ParseError) as caught:
        parse("#ttng.redOp<mim>")
    message = "expected ttng.redOp to be one of: min, max; found mim (did you mean min?)"
    assert caught.value.message == message
    assert caught.value.location is not None
    assert caught.value.location.column == len('"t.use"() {a = #ttng.redOp<') + 1
    with pytest.raises(VerifyException, match=r"expected ttng\.redOp to be one of: min, max"):
        ReduceModifierAttr.of("sum")


@pytest.mark.parametrize("cls", [ReduceModifierAttr, AsyncOpAttr, SchedHintVariantAttr])
def test_attributes_are_equal_only_if_their_keywords_are(cls: type[KeywordAttr]) -> None:
    first, second = cls.KEYWORDS[:2]
    assert cls.of(first) == cls.of(first)
    assert hash(cls.of(first)) == hash(cls.of(first))
    assert cls.of(first) != cls.of(second)
