"""docs/reference/dialects.md: the operations, types and attributes of each dialect."""

from __future__ import annotations

import re

from docs.generator.docstrings import Docstring, parse
from docs.generator.markdown import first_line, page, table
from weft.ir.builtin import Dialect
from weft.ir.context import DIALECTS
from weft.layouts import ENCODINGS

__all__ = ["render"]

_TITLES = {
    "arith": "scalars and elementwise arithmetic, as in MLIR",
    "math": "elementwise functions, as in MLIR",
    "scf": "structured control flow, as in MLIR",
    "cf": "branches between blocks, as in MLIR",
    "ub": "poison, as in MLIR",
    "tt": "operations on tiles, in TTIR and TTGIR",
    "ttg": "layouts, shared memory and asynchronous copies of both vendors",
    "ttng": "NVIDIA: mbarriers, TMA, wgmma, tensor memory",
    "nvws": "NVIDIA: warp specialization before it is lowered to `ttg`",
    "amdg": "AMD: buffer instructions, TDM, LDS barriers",
    "rocdl": "AMD: instructions of LLVM's AMDGPU back end",
    "gluon": "layouts that inference has not chosen yet",
    "llvm": "what Triton's IR uses of MLIR's LLVM dialect",
}
# An operation's docstring has its syntax in back quotes: the last such text with its own name.
_SYNTAX = re.compile(r"`([^`]*)`")


def render() -> str:
    """Render the page: a section per dialect."""
    dialects = {dialect.name: dialect for dialect in DIALECTS if dialect.name != "builtin"}
    return page(
        "Dialects",
        "Operations, types and attributes with one line each; the classes in `weft.ir` have the "
        "whole contract. The text is that of Triton 3.7.1. `…` replaces operands or types; of an "
        "operation with regions, the first line is shown.",
        *(_section(dialects[name], title) for name, title in _TITLES.items() if name in dialects),
        _encodings(),
    )


def _section(dialect: Dialect, title: str) -> str:
    rows = [_row(op.name, parse(op)) for op in dialect.operations]
    parts = [f"## `{dialect.name}`: {title}"]
    if rows:
        parts.append(table(("operation", "effect", "example"), rows))
    attributes = [
        [f"`{attribute.name}`", first_line(attribute)] for attribute in dialect.attributes
    ]
    if attributes:
        parts.append(table(("type or attribute", "meaning"), attributes))
    return "\n\n".join(parts)


def _row(name: str, docstring: Docstring) -> list[str]:
    text = f"{docstring.summary} {docstring.text}"
    examples = [each for each in _SYNTAX.findall(text) if re.search(rf"(^|[ =]){name}\b", each)]
    example = re.sub(r"\s+", " ", examples[-1]) if examples else _first_line(name, docstring.text)
    summary = docstring.summary.replace(f"`{example}`", "") if example else docstring.summary
    return [f"`{name}`", summary.strip(), f"`{example}`" if example else ""]


def _first_line(name: str, text: str) -> str:
    """Find the first line with an operation's name in the indented example of its docstring."""
    lines = (line.strip() for line in text.partition("Example:")[2].splitlines())
    return next((line for line in lines if name in line), "")


def _encodings() -> str:
    rows = [
        [f"`#{_prefix(name)}.{name}`", f"`{cls.__name__}`", first_line(cls)]
        for name, cls in ENCODINGS.items()
    ]
    return "\n\n".join(
        [
            "## Encodings",
            "Layout attributes of tensors and buffers. Their classes are in `weft.layouts` "
            "([by name](layouts_api.md)).",
            table(("attribute", "class", "meaning"), rows),
        ]
    )


def _prefix(name: str) -> str:
    if name.startswith("tensor_memory"):
        return "ttng"
    return "gluon" if name in ("auto_encoding", "coalesced_encoding") else "ttg"
