"""Markdown: tables, signatures, and the sections of a docstring as lists."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from docs.generator.docstrings import Docstring, parse

__all__ = [
    "code",
    "contract",
    "entry",
    "field_annotations",
    "first_line",
    "page",
    "signature",
    "table",
]

_WIDTH = 100
_ANY = {"args", "kwargs"}
_SECTIONS = {
    "Args": "Arguments",
    "Attributes": "Attributes",
    "Returns": "Returns",
    "Yields": "Yields",
    "Raises": "Raises",
}


def page(title: str, introduction: str, *parts: str) -> str:
    """Join a title, an introduction and further parts to a page."""
    note = "*Generated from the source by `make reference`.*"
    return "\n\n".join(filter(None, [f"# {title}", note, introduction, *parts])).rstrip() + "\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table; line breaks in cells become blanks."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def code(value: object) -> str:
    """Format a value as inline code; "" for None and for an empty value."""
    return f"`{value}`" if value not in (None, "", ()) else ""


def signature(name: str, obj: Callable[..., object]) -> str:
    """Format a call: on one line if it is short, else with one parameter per line."""
    parameters = _parameters(obj)
    line = f"{name}({', '.join(parameters)}){_result(obj)}"
    if len(line) > _WIDTH:
        body = "".join(f"    {each},\n" for each in parameters)
        line = f"{name}(\n{body}){_result(obj)}"
    return f"```text\n{line}\n```"


def _call(obj: Callable[..., object]) -> inspect.Signature:
    """Get the signature; of a class whose metaclass takes any arguments, that of `__init__`."""
    call = inspect.signature(obj)
    if not isinstance(obj, type) or {each.name for each in call.parameters.values()} != _ANY:
        return call
    parameters = list(inspect.signature(obj.__init__).parameters.values())[1:]
    return inspect.Signature([each for each in parameters if each.name not in _ANY])


def field_annotations(cls: type) -> dict[str, str]:
    """Map each field of a class to its annotation as the source has it."""
    classes = reversed(cls.__mro__)
    return {
        name: text if isinstance(text, str) else inspect.formatannotation(text)
        for each in classes
        for name, text in inspect.get_annotations(each).items()
    }


def _parameters(obj: Callable[..., object]) -> list[str]:
    texts: list[str] = []
    # A Struct's signature has evaluated annotations; those of the source are shorter.
    fields: dict[str, str] = {}
    if isinstance(obj, type) and issubclass(obj, Struct):
        fields = field_annotations(obj)
    seen_star = False
    for each in _call(obj).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not seen_star:
            texts.append("*")
        seen_star = seen_star or each.kind in (each.VAR_POSITIONAL, each.KEYWORD_ONLY)
        prefix = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        annotation = fields.get(each.name) or _annotation(each.annotation)
        text = f"{prefix}{each.name}{f': {annotation}' if annotation else ''}"
        if each.default is not each.empty:
            text += f" = {_default(each.default)}" if annotation else f"={_default(each.default)}"
        texts.append(text)
        if each.kind is each.POSITIONAL_ONLY:
            texts.append("/")
    return texts


def _annotation(annotation: object) -> str:
    if annotation is inspect.Signature.empty:
        return ""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _default(value: object) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if type(value).__name__ == "constexpr":
        return _default(getattr(value, "value", value))
    return "…" if repr(value).startswith("<") else repr(value)


def _result(obj: Callable[..., object]) -> str:
    annotation = _annotation(inspect.signature(obj).return_annotation)
    return "" if isinstance(obj, type) or not annotation else f" -> {annotation}"


def first_line(obj: object) -> str:
    """Get the summary of a docstring."""
    return parse(obj).summary


def contract(docstring: Docstring) -> str:
    """Format a docstring: its text, then a list per section."""
    parts = [docstring.summary, docstring.text]
    for name, heading in _SECTIONS.items():
        entries = docstring.sections.get(name)
        if not entries:
            continue
        if list(entries) == [""]:
            parts.append(f"**{heading}:** {entries['']}")
        else:
            lines = [
                f"- `{each}`: {text}" if each else f"- {text}" for each, text in entries.items()
            ]
            parts.append("\n".join([f"**{heading}**", "", *lines]))
    return "\n\n".join(filter(None, parts))


def entry(name: str, obj: object, level: int = 3) -> str:
    """Format a function, class or value: heading, signature, contract, and a class's methods."""
    heading = f"{'#' * level} `{name}`"
    if isinstance(obj, type) or callable(obj):
        is_protocol = getattr(obj, "_is_protocol", False)
        call = "" if is_protocol else signature(name.rpartition(".")[2], obj)
        parts = [heading, call, contract(parse(obj))]
    else:
        parts = [heading, contract(parse(type(obj)))]
    methods = _methods(obj) if isinstance(obj, type) else []
    return "\n\n".join(filter(None, [*parts, *methods]))


def _methods(cls: type) -> list[str]:
    """Format the public methods and properties that a class defines, one line each."""
    lines: list[str] = []
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if name.startswith("_") or not callable(function) or not inspect.getdoc(function):
            continue
        call = name
        if not isinstance(member, property):
            skipped = 0 if isinstance(member, staticmethod) else 1
            call += f"({', '.join(_parameters(function)[skipped:])})"
        lines.append(f"- `{call}`: {first_line(function)}")
    return ["\n".join(["**Methods and properties**", "", *lines])] if lines else []
