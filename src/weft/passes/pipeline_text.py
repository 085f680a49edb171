"""Read pipelines from text as MLIR writes them.

    inline,canonicalize{max-iterations=3},convert-triton-to-tritongpu{target=hip:gfx942 num-warps=4}

Options stand in braces, separated by blanks or commas. MLIR says which operations a part of a
pipeline runs on, `builtin.module(inline,tt.func(cse))`; weft's passes all run on the module and
reach every function in it, so such anchors are checked and taken off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.errors import UnknownPassError, did_you_mean
from weft.passes.registry import Pass, load

__all__ = ["parse_pipeline"]


def parse_pipeline(text: str) -> tuple[Pass, ...]:
    """Return the passes of a pipeline in text.

    Raises: UnknownPassError: an unknown pass or option, a value of the wrong kind, or braces
            that do not match.
    """
    return tuple(_parse_parts(text))


_ANCHOR = re.compile(r"([\w.]+)\s*\((.*)\)", re.DOTALL)
_ANCHORS = ("builtin.module", "tt.func", "any")


def _parse_parts(text: str) -> Iterator[Pass]:
    for part in _split(text.strip()):
        anchored = _ANCHOR.fullmatch(part)
        if anchored is None:
            yield _parse_pass(part)
        elif anchored[1] in _ANCHORS:
            yield from _parse_parts(anchored[2])
        else:
            raise UnknownPassError(
                "passes do not run on that operation",
                found=f"{anchored[1]}(…)",
                accepted=[f"{anchor}(…)" for anchor in _ANCHORS],
                hint=did_you_mean(anchored[1], _ANCHORS),
            )


_BRACKETS = {"{": 1, "(": 1, "}": -1, ")": -1}


def _split(text: str) -> Iterator[str]:
    """Yield the parts between commas outside of brackets; empty text has none."""
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
    found = _PASS.fullmatch(text)
    if found is None or not found[1]:
        raise UnknownPassError(
            "not a pass", found=text or "nothing", accepted=["name", "name{option=value …}"]
        )
    return load(found[1], _parse_options(found[1], found[2] or ""))


def _parse_options(name: str, text: str) -> dict[str, object]:
    """Return the options in `a=1 b=2` or `a=1,b=2`; an option without value is a flag."""
    options: dict[str, object] = {}
    position = 0
    while position < len(text):
        if text[position] in " ,\n\t":
            position += 1
            continue
        found = _OPTION.match(text, position)
        if found is None:
            raise UnknownPassError(
                f"pass {name}: not an option", found=text[position:], accepted=["option=value"]
            )
        value = found[2]
        options[found[1]] = True if value is None else value.strip("\"'")
        position = found.end()
    return options
