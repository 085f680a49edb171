"""Locations in text: aliases that name a location and aliases that do not."""

from __future__ import annotations

import pytest

from weft.errors import ParseError
from weft.ir.text import parse_module, print_module

_MODULE = """\
{aliases}
module {{
  tt.func @f() {{
    tt.return loc(#loc1)
  }}
}}
"""


def test_an_alias_names_a_location() -> None:
    text = _MODULE.format(aliases='#loc1 = loc("k.py":3:1)')
    assert '"k.py":3:1' in print_module(parse_module(text), locations=True)


def test_an_alias_of_another_attribute_is_no_location() -> None:
    text = _MODULE.format(aliases="#loc1 = #ttg.shared_memory")
    with pytest.raises(ParseError, match="loc1"):
        parse_module(text)
