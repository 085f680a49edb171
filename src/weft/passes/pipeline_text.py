"""Parse and format pipelines in MLIR's textual form.

    inline,canonicalize{max-iterations=3},convert-triton-to-tritongpu{target=hip:gfx942 num-warps=4}

Options are in braces, separated by blanks or commas. MLIR anchors a part of a pipeline on a class
of operations, `builtin.module(inline,tt.func(cse))`. Every pass of weft runs on the module and
visits all its functions, so the parser checks anchors and otherwise ignores them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from weft.errors import UnknownPassError, did_you_mean
from weft.passes.registry import Pass, load

__all__ = ["format_pipeline", "format_value", "parse_pipeline"]


def format_pipeline(passes: Sequence[Pass]) -> str:
    """Write passes with all options as a pipeline."""
    return f"builtin.module({','.join(map(_format_pass, passes))})"


def _format_pass(one: Pass) -> str:
    options = " ".join(
        f"{field.replace('_', '-')}={format_value(getattr(one, field))}"
        for field in one.__struct_fields__
    )
    return f"{one.name}{{{options}}}" if options else one.name


def format_value(value: object) -> str:
    """Write the value of an option."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse_pipeline(text: str) -> tuple[Pass, ...]:
    """Parse a pipeline.

    Raises:
        UnknownPassError: A pass or option does not exist, a value has the wrong type, or braces
            do not match.
    """
    return tuple(_parse_parts(text))


_ANCHOR = re.compile(r"([\w.]+)\s*\((.*)\)", re.DOTALL)
_ANCHORS = ("builtin.module", "tt.func", "any")


def _parse_parts(text: str) -> Iterator[Pass]:
    for part in _split(text.strip()):
        match = _ANCHOR.fullmatch(part)
        if match is None:
            yield _parse_pass(part)
        elif match[1] in _ANCHORS:
            yield from _parse_parts(match[2])
        else:
            raise UnknownPassError(
                "passes cannot run on this operation",
                found=f"{match[1]}(…)",
                accepted=[f"{anchor}(…)" for anchor in _ANCHORS],
                hint=did_you_mean(match[1], _ANCHORS),
            )


_BRACKETS = {"{": 1, "(": 1, "}": -1, ")": -1}


def _split(text: str) -> Iterator[str]:
    """Split text at the commas outside of brackets."""
    depth, start = 0, 0
    for index, character in enumerate(text):
        depth += _BRACKETS.get(character, 0)
        if depth < 0:
            break
        if character == "," and depth == 0:
            yield text[start:index].strip()
            start = index + 1
    if depth:
        raise UnknownPassError("the brackets of the pipeline do not match", found=text)
    if text[start:].strip() or start:
        yield text[start:].strip()


_PASS = re.compile(r"([\w.-]*)\s*(?:\{(.*)\})?", re.DOTALL)
_OPTION = re.compile(r"""([\w-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s,{}]*))?""")


def _parse_pass(text: str) -> Pass:
    match = _PASS.fullmatch(text)
    if match is None or not match[1]:
        raise UnknownPassError(
            "not a pass", found=text or "nothing", accepted=["name", "name{option=value …}"]
        )
    return load(match[1], _parse_options(match[1], match[2] or ""))


def _parse_options(name: str, text: str) -> dict[str, object]:
    """Parse options, `a=1 b=2` or `a=1,b=2`; an option without a value is true."""
    options: dict[str, object] = {}
    position = 0
    while position < len(text):
        if text[position] in " ,\n\t":
            position += 1
            continue
        match = _OPTION.match(text, position)
        if match is None:
            raise UnknownPassError(
                f"pass {name}: not an option", found=text[position:], accepted=["option=value"]
            )
        value = match[2]
        options[match[1]] = True if value is None else value.strip("\"'")
        position = match.end()
    return options
