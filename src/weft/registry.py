"""Tables that decorators fill, and whose modules are imported at the first look-up.

    LOWERINGS = Registry[Lower]("weft.codegen.lowering")

    @LOWERINGS.register("tt.splat")          # in any module of weft.codegen.lowering
    def _lower_splat(…): …

    LOWERINGS.get("tt.splat")                # imports all modules of the package, once

A module registers what it defines, so no list repeats what the decorators say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, ValuesView
from importlib import import_module
from pkgutil import walk_packages
from typing import Generic, TypeVar

__all__ = ["Registry"]

Row = TypeVar("Row")


class Registry(Generic[Row]):
    """Rows by name.

    Args:
        package: The package whose modules, at any depth, register the rows; or one module.
    """

    __slots__ = ("_is_loaded", "_package", "_rows")

    def __init__(self, package: str) -> None:
        self._package = package
        self._rows: dict[str, Row] = {}
        self._is_loaded = False

    def add(self, name: str, row: Row) -> None:
        """Add a row.

        Raises:
            ValueError: The name has a row already.
        """
        if name in self._rows:
            raise ValueError(f"{name} is registered twice in {self._package}")
        self._rows[name] = row

    def register(self, *names: str) -> Callable[[Row], Row]:
        """Create a decorator that adds what it decorates under each of the names."""

        def decorate(row: Row) -> Row:
            for name in names:
                self.add(name, row)
            return row

        return decorate

    def get(self, name: str) -> Row | None:
        """Look a row up; None if no module registers the name."""
        self._load()
        return self._rows.get(name)

    def __getitem__(self, name: str) -> Row:
        """Look a row up.

        Raises:
            KeyError: No module registers the name.
        """
        self._load()
        return self._rows[name]

    def values(self) -> ValuesView[Row]:
        """List all rows."""
        self._load()
        return self._rows.values()

    def __iter__(self) -> Iterator[str]:
        """Iterate over all names."""
        self._load()
        return iter(self._rows)

    def _load(self) -> None:
        if self._is_loaded:
            return
        path = getattr(import_module(self._package), "__path__", [])
        for module in walk_packages(path, f"{self._package}."):
            import_module(module.name)
        self._is_loaded = True
