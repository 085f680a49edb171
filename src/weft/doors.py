"""Doors: packages whose names are loaded when they are first asked for.

    # weft/testing/__init__.py
    __getattr__ = door(__name__, {"do_bench": "weft.testing.measuring:do_bench"})

`import weft.testing` then loads nothing, and `weft.testing.do_bench` the file that it is in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["door", "names_of"]


def names_of(homes: Mapping[str, str]) -> dict[str, str]:
    """Return the table that `door` takes: from {"a.b": "x y"} {"x": "a.b:x", "y": "a.b:y"}."""
    return {name: f"{home}:{name}" for home, names in homes.items() for name in names.split()}


def door(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return a package's `__getattr__` (PEP 562).

    Args: homes: by name where it is: "module:attribute", or "module" for the module itself.
    What is found is kept in the package, unless one of its modules has that name.
    Raises: AttributeError, when it is asked for a name that is not listed.
    """

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, _, attribute = homes[name].partition(":")
        module = import_module(home)
        found = getattr(module, attribute) if attribute else module
        if f"{package}.{name}" not in sys.modules:
            setattr(sys.modules[package], name, found)
        return found

    return load
