"""The names of a function while it is lowered.

Order matters: a loop carries its values, and a branch merges them, in the order in which the
function first bound the names. Rebinding keeps a name's place.
"""

from __future__ import annotations

from typing import Any


class Scope:
    """Map names to values.

    Args: values: name → value, in order of first binding.
          constants: names declared `tl.constexpr`, with the statement that did so.
          lost: names that had a value on some path only, with the reason they have none now.
    """

    __slots__ = ("constants", "lost", "values")

    def __init__(
        self,
        values: dict[str, Any] | None = None,
        constants: dict[str, object] | None = None,
        lost: dict[str, str] | None = None,
    ) -> None:
        self.values: dict[str, Any] = {} if values is None else values
        self.constants: dict[str, object] = {} if constants is None else constants
        self.lost: dict[str, str] = {} if lost is None else lost

    def copy(self) -> Scope:
        """Return a scope that starts with the same names and is bound apart."""
        return Scope(dict(self.values), dict(self.constants), dict(self.lost))

    def bind(self, name: str, value: Any) -> None:
        """Give `name` a value."""
        self.values[name] = value
        self.lost.pop(name, None)

    def lose(self, name: str, reason: str) -> None:
        """Take the value of `name` away and remember why."""
        self.values.pop(name, None)
        self.lost[name] = reason
