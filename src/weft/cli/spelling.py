"""triton-opt writes a pass as a flag; `weft opt` reads that too, in the order given.

flag                                         option
-canonicalize -cse                           -p canonicalize -p cse
--some-pass='target=cuda:90 num-warps=4'     -p 'some-pass{target=cuda:90 num-warps=4}'
-split-input-file                            --split-input-file
"""

from __future__ import annotations

from collections.abc import Sequence

_VALUED = ("-p", "--passes", "-o", "--output")
_OWN = ("--split-input-file", "--list-passes", "--locations", "--help")
_PIPELINE = ("--pass-pipeline", "-pass-pipeline")


def as_options(args: Sequence[str]) -> list[str]:
    """Return arguments in which every pass flag is an option -p of its own."""
    found: list[str] = []
    rest = iter(args)
    for arg in rest:
        name, equals, value = arg.partition("=")
        if arg in _VALUED:
            found += [arg, *([following] if (following := next(rest, None)) is not None else [])]
        elif name in _PIPELINE:
            found += ["-p", _inside(value if equals else next(rest, ""))]
        elif not arg.startswith("-") or arg == "-" or name in _VALUED:
            found.append(arg)
        elif f"--{name.lstrip('-')}" in _OWN:
            found.append(f"--{name.lstrip('-')}")
        else:
            options = f"{{{value}}}" if equals else ""
            found += ["-p", f"{name.lstrip('-')}{options}"]
    return found


def _inside(pipeline: str) -> str:
    """Take MLIR's `builtin.module(…)` off a pipeline."""
    text = pipeline.strip()
    if text.startswith("builtin.module(") and text.endswith(")"):
        return text.removeprefix("builtin.module(")[:-1]
    return text
