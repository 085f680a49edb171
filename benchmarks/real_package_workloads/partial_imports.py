"""Import parts of packages whose `__init__` needs what is not installed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["import_without_init", "provide"]


def import_without_init(name: str) -> ModuleType:
    """Import a package by its folder, without executing its `__init__`.

    Raises:
        ModuleNotFoundError: No folder of `sys.path` has it.
    """
    if name in sys.modules:
        return sys.modules[name]
    parent, _, folder = name.rpartition(".")
    paths = list(sys.modules[parent].__path__) if parent else sys.path
    for path in paths:
        if (Path(path) / folder).is_dir():
            module = ModuleType(name)
            module.__path__ = [str(Path(path) / folder)]
            sys.modules[name] = module
            return module
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def provide(name: str, **attributes: Any) -> None:
    """Define a module with some attributes, unless it can be imported.

    Args:
        name: The name of the module.
        attributes: Its contents.
    """
    try:
        import_module(name)
    except ImportError:
        module = ModuleType(name)
        vars(module).update(attributes)
        module.__path__ = []
        sys.modules[name] = module
