"""The names of the language are in the files that its table says."""

from __future__ import annotations

import importlib

import pytest

import weft.language as tl
from weft.language import _LATER


@pytest.mark.parametrize("name", sorted(name for name, home in _LATER.items() if ":" in home))
def test_a_name_is_where_the_table_says(name):
    file, _, attribute = _LATER[name].partition(":")
    assert getattr(tl, name) is getattr(importlib.import_module(file), attribute)


def test_all_that_is_public_is_found():
    for name in tl.__all__:
        assert getattr(tl, name) is not None
    assert set(tl.__all__) <= set(dir(tl))


def test_a_name_that_is_that_of_its_file_is_the_class():
    importlib.import_module("weft.language.constexpr")
    assert tl.constexpr(3).value == 3
