"""Checks of TOML tables: what each function accepts and refuses."""

from __future__ import annotations

import pytest
from msgspec import Struct

from weft.errors import WeftError
from weft.targets.schema import (
    check_choice,
    check_exact_keys,
    check_keys,
    parse_toml,
    read_facts,
    read_list,
    read_row,
    read_sources,
    read_value,
)

SOURCES = {"us": "here"}


class Row(Struct, frozen=True):
    name: str
    sizes: tuple[int, ...]
    source: str
    assumed: bool = False


def test_a_row_becomes_an_object():
    row = {"name": "x", "sizes": [1, 2], "source": "us"}
    assert read_row("f", ("row", "name"), Row, row, SOURCES) == Row("x", (1, 2), "us")


def test_facts():
    facts = read_facts("f", {"a": {"value": 1, "source": "us"}}, {"a": "int"}, SOURCES)
    assert facts == {"a": 1}


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("int", 1, 1),
        ("int | str", "a", "a"),
        ("bool", True, True),
        ("tuple[str, ...]", ["a"], ("a",)),
        ("tuple[int, ...]", [], ()),
    ],
)
def test_values(type_, value, expected):
    assert read_value("f", type_, value) == expected


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [
        ("int", True, "f must be an integer"),
        ("int | str", 1.5, "f must be an integer or a string"),
        ("bool", 1, "f must be true or false"),
        ("tuple[str, ...]", ["a", 1], "f must be a list of strings"),
        ("tuple[int, ...]", 1, "f must be a list of integers"),
    ],
)
def test_values_of_another_type(type_, value, message):
    with pytest.raises(WeftError, match=message):
        read_value("f", type_, value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parse_toml("[a", "f"), "f: invalid TOML"),
        (lambda: read_sources("f", []), "f: sources must be a table"),
        (lambda: read_sources("f", {"us": ""}), "f: source us must be a string"),
        (lambda: read_list("f: rows", {}), "f: rows must be a list of rows"),
        (lambda: read_row("f", ("row", "name"), Row, 1, SOURCES), "f: row must be a table"),
        (lambda: read_row("f", ("row", "name"), Row, {}, SOURCES), "row ?: key name is missing"),
        (lambda: read_facts("f", 1, {"a": "int"}, SOURCES), "f: expected a table of facts"),
        (lambda: read_facts("f", {"a": 1}, {"a": "int"}, SOURCES), "f: a must be { value = …"),
        (lambda: check_keys("f", "key", {"b": 1}, ("a",)), "f: unknown key b"),
        (lambda: check_exact_keys("no a", {"b": 1}, ("a",)), "no a"),
    ],
)
def test_malformed_tables(call, message):
    with pytest.raises(WeftError) as caught:
        call()
    assert message in str(caught.value)


def test_a_choice_has_a_hint():
    with pytest.raises(WeftError) as caught:
        check_choice("unknown color read", "read", ("red", "blue"))
    assert caught.value.hint == "did you mean red?"
