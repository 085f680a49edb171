"""Package attributes that are imported on first access (PEP 562).

    # weft/testing/__init__.py
    __getattr__ = lazy_getattr(__name__, {"do_bench": "weft.testing.benchmarking:do_bench"})

`import weft.testing` then imports none of its modules; `weft.testing.do_bench` imports the one that
defines it. An object reference is "module:attribute", or "module" for the module itself, as in the
entry points of a Python package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_getattr", "object_references"]


def object_references(names: Mapping[str, str]) -> dict[str, str]:
    """Map each name to its object reference.

    Args:
        names: The names that each module defines, separated by spaces: {"a.b": "x y"}.

    Returns:
        {"x": "a.b:x", "y": "a.b:y"}
    """
    return {name: f"{module}:{name}" for module, words in names.items() for name in words.split()}


def lazy_getattr(
    package: str, references: Mapping[str, str], fallback: str = ""
) -> Callable[[str], Any]:
    """Create the `__getattr__` of a package.

    Args:
        package: The package's `__name__`.
        references: The object reference of each attribute.
        fallback: A module that has the other attributes; "" for none.

    Returns:
        A function that imports an attribute by name and stores it in the package, so that Python
        calls it once per name. It raises AttributeError for other names.
    """

    def load(name: str) -> Any:
        if name not in references and fallback and not name.startswith("__"):
            return getattr(import_module(fallback), name)
        if name not in references:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module_name, _, attribute = references[name].partition(":")
        module = import_module(module_name)
        value = getattr(module, attribute) if attribute else module
        # A submodule of the same name must stay the attribute: `import package.name` expects it.
        if f"{package}.{name}" not in sys.modules:
            setattr(sys.modules[package], name, value)
        return value

    return load
