"""docs/reference/api.md: the public Python API."""

from __future__ import annotations

import importlib

import weft
from docs.generator.markdown import entry, page

__all__ = ["render"]

# Namespaces with entries on this page. `weft.language`, `weft.layouts` and `weft.errors` have
# their pages.
_NAMESPACES = {
    "weft.testing": "For tests and measurements of kernels and passes.",
    "weft.explain": "What `weft explain` prints, as data.",
    "weft.targets": "Facts about chips; [targets.md](targets.md) lists them.",
    "weft.ir.text": "IR text in and out.",
    "weft.passes": (
        "Passes by name; [passes.md](passes.md) lists them. `REGISTRY` maps each name to "
        "`module:class`."
    ),
    "weft.knobs": "Settings; [options.md](options.md) lists them with their environment variables.",
}
_PAGES = {
    "errors": "[errors.md](errors.md)",
    "knobs": "below, and [options.md](options.md)",
    "language": "[language.md](language.md)",
    "layouts": "[layouts.md](layouts.md) by question, [layouts_api.md](layouts_api.md) by name",
    "targets": "below, and [targets.md](targets.md)",
}


def render() -> str:
    """Render the page."""
    own = [name for name in weft.__all__ if name not in _PAGES and name != "__version__"]
    modules = "\n".join(f"- `weft.{name}`: {where}" for name, where in _PAGES.items())
    return page(
        "The Python API",
        "Names that are not listed here or on the linked pages may change in any release.",
        "## `weft`\n\n`weft.__version__` is the release. Modules with pages or sections:\n\n"
        + modules,
        *(entry(f"weft.{name}", getattr(weft, name)) for name in own),
        *(_namespace(name, text) for name, text in _NAMESPACES.items()),
    )


def _namespace(name: str, text: str) -> str:
    module = importlib.import_module(name)
    values = {each: getattr(module, each) for each in module.__all__}
    entries = (
        entry(f"{name}.{each}", value)
        for each, value in values.items()
        if type(value).__module__ != "builtins" or callable(value)
    )
    return "\n\n".join([f"## `{name}`", text, *entries])
