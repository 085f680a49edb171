"""Pipelines in text: names, options and syntax errors."""

from __future__ import annotations

import pytest

from weft.errors import UnknownPassError
from weft.passes import parse_pipeline
from weft.passes.ttir.convert_triton_to_tritongpu import ConvertTritonToTritongpu


def names(text: str) -> list[str]:
    return [pass_.name for pass_ in parse_pipeline(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("cse", ["cse"]),
        (" inline , cse ", ["inline", "cse"]),
        ("builtin.module(inline,canonicalize)", ["inline", "canonicalize"]),
        ("cse{},symbol-dce", ["cse", "symbol-dce"]),
    ],
)
def test_names(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "options",
    [
        "target=hip:gfx942 num-warps=8 enable-source-remat",
        "target=hip:gfx942,num-warps=8,enable-source-remat=true",
        "  target='hip:gfx942'  num_warps=8, enable-source-remat=1",
    ],
)
def test_options(options):
    (convert,) = parse_pipeline(f"convert-triton-to-tritongpu{{{options}}}")
    assert isinstance(convert, ConvertTritonToTritongpu)
    assert (convert.target, convert.num_warps, convert.enable_source_remat) == (
        "hip:gfx942",
        8,
        True,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cse{", "the brackets of the pipeline do not match"),
        ("cse}", "the brackets of the pipeline do not match"),
        ("cse,,inline", "not a pass"),
        ("cse fast", "not a pass"),
        ("cse{=1}", "pass cse: not an option"),
        ("cze", "did you mean cse"),
    ],
)
def test_invalid_text(text, message):
    with pytest.raises(UnknownPassError) as caught:
        parse_pipeline(text)
    assert message in str(caught.value)
