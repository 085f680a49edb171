"""Folders of installed Python packages that bring programs and libraries of a GPU's vendor."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder

__all__ = ["package_folders"]


def package_folders(name: str) -> list[str]:
    """List the folders of a package in every entry of `sys.path`, in its order.

    The package is not imported, and a module of the same name in `sys.modules` does not count:
    under `weft.compat.as_triton`, `triton` in `sys.modules` is weft.
    """
    folders: list[str] = []
    for entry in dict.fromkeys(sys.path):
        spec = PathFinder.find_spec(name, [entry])
        folders += (spec.submodule_search_locations or ()) if spec else ()
    return folders
