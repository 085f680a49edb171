"""The table of the language's names refers to existing definitions."""

from __future__ import annotations

import importlib

import pytest

import weft.language as tl
from weft.language import _LAZY


@pytest.mark.parametrize(
    "name", sorted(name for name, reference in _LAZY.items() if ":" in reference)
)
def test_name_is_defined_where_the_table_says(name):
    module, _, attribute = _LAZY[name].partition(":")
    assert getattr(tl, name) is getattr(importlib.import_module(module), attribute)


def test_every_public_name_exists():
    for name in tl.__all__:
        assert getattr(tl, name) is not None
    assert set(tl.__all__) <= set(dir(tl))


def test_constexpr_is_the_class_and_not_its_module():
    importlib.import_module("weft.language.constexpr")
    assert tl.constexpr(3).value == 3
