"""Passes by name, options by name and kind."""

from __future__ import annotations

import pytest

from weft.errors import UnknownPassError
from weft.passes import REGISTRY, Pass, describe, load, parse_pipeline


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_pass_has_a_one_line_description(name):
    assert describe(name)
    assert "\n" not in describe(name)


def test_options_by_either_spelling_and_as_text_or_value():
    by_text = load("convert-triton-to-tritongpu", {"target": "cuda:90", "num-warps": "8"})
    by_value = load("convert-triton-to-tritongpu", {"target": "cuda:90", "num_warps": 8})
    assert by_text == by_value
    assert isinstance(by_text, Pass)


def test_an_unknown_pass_lists_the_near_names():
    with pytest.raises(UnknownPassError) as caught:
        load("canonicalise")
    assert "unknown pass canonicalise" in str(caught.value)
    assert "did you mean canonicalize or gluon-canonicalize?" in str(caught.value)
    assert "symbol-dce" in str(caught.value)


def test_an_unknown_option_lists_the_known_ones():
    with pytest.raises(UnknownPassError) as caught:
        load("convert-triton-to-tritongpu", {"target": "cuda:90", "num-warp": 4})
    assert "pass convert-triton-to-tritongpu has no option num-warp" in str(caught.value)
    assert "did you mean num-warps" in str(caught.value)


def test_an_option_where_there_are_none():
    with pytest.raises(UnknownPassError, match="accepted: no options"):
        load("cse", {"fast": True})


@pytest.mark.parametrize(
    ("option", "value", "accepted"),
    [("num-warps", "four", "an integer"), ("enable-source-remat", "maybe", "true or false")],
)
def test_a_value_of_the_wrong_kind(option, value, accepted):
    with pytest.raises(UnknownPassError) as caught:
        load("convert-triton-to-tritongpu", {"target": "cuda:90", option: value})
    assert f"option {option} is {accepted}" in str(caught.value)
    assert f"found: {value}" in str(caught.value)


def test_an_option_that_is_needed():
    with pytest.raises(UnknownPassError, match="needs target") as caught:
        load("convert-triton-to-tritongpu")
    assert "convert-triton-to-tritongpu{target=…}" in str(caught.value)


@pytest.mark.parametrize(
    "pipeline",
    [
        "canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal "
        "test-convergence=false top-down=true}",
        "inline{default-pipeline=canonicalize inlining-threshold=4294967295 max-iterations=4 }",
        'inline{default-pipeline=""}',
    ],
)
def test_the_options_that_mlir_prints(pipeline):
    (one,) = parse_pipeline(pipeline)
    assert one.name == pipeline.partition("{")[0]


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("canonicalize{region-simplify=agressive}", "did you mean aggressive"),
        ("canonicalize{max-iterations=-2}", "max-iterations is a count, or -1"),
        ("canonicalize{max-num-rewrites=-7}", "max-num-rewrites is a count, or -1"),
        ("inline{default-pipeline=cse}", "found: cse"),
        ("inline{inlining-threshold=30}", "callees of every size are inlined"),
        ("inline{max-iterations=-1}", "max-iterations is a count"),
    ],
)
def test_a_value_that_is_not_supported(pipeline, message):
    with pytest.raises(UnknownPassError, match=message):
        parse_pipeline(pipeline)
