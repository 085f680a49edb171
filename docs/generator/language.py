"""docs/reference/language.md: the functions and types of `weft.language`."""

from __future__ import annotations

import importlib
from types import ModuleType

import weft.language as tl
from docs.generator.markdown import entry, first_line, page

__all__ = ["render"]

_FIRST = ("programs", "memory", "creation", "arithmetic", "math", "linear_algebra")
_LEFT_OUT = ("from_triton", "unknown_names")


def render() -> str:
    """Render the page: a section per module of `weft.language`."""
    sections: dict[str, list[str]] = {}
    for name in tl.__all__:
        value = getattr(tl, name)
        if not isinstance(value, ModuleType):
            sections.setdefault(_module_of(value), []).append(name)
    order = [*_FIRST, *sorted(sections.keys() - {*_FIRST, *_LEFT_OUT})]
    return page(
        "The language: `weft.language`",
        "Kernels import it as `tl`. Names and semantics are those of `triton.language` 3.7.1. "
        "Libraries of the vendors are in `tl.extra`.",
        *(_section(module, sections[module]) for module in order),
    )


def _module_of(value: object) -> str:
    holder = getattr(value, "__wrapped__", getattr(value, "fn", value))
    module = getattr(holder, "__module__", None) or type(value).__module__
    return module.rpartition(".")[2] if module.startswith("weft.language.") else "dtypes"


def _section(module: str, names: list[str]) -> str:
    title = first_line(importlib.import_module(f"weft.language.{module}")).rstrip(".")
    values = [name for name in names if not callable(getattr(tl, name)) or module == "dtypes"]
    values = [name for name in values if not isinstance(getattr(tl, name), type)]
    parts = [f"## {title}"]
    if values:
        parts.append("Values: " + ", ".join(f"`tl.{name}`" for name in values) + ".")
    parts += [entry(f"tl.{name}", getattr(tl, name)) for name in names if name not in values]
    return "\n\n".join(parts)
