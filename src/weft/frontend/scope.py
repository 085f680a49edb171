"""The names of a function while it is lowered.

The order of names matters: `iter_args` of a loop and results of an `if` are in the order in which
the function first bound the names. Rebinding a name does not change its position.
"""

from __future__ import annotations

from weft.frontend.semantics.values import Value


class Scope:
    """A mapping of names to values.

    Attributes:
        values: The value of each name, in the order of first binding.
        constants: The statement that declared each name annotated `tl.constexpr`.
        unbound: The reason why a name that was bound on some path has no value.
    """

    __slots__ = ("constants", "unbound", "values")

    def __init__(
        self,
        values: dict[str, Value] | None = None,
        constants: dict[str, object] | None = None,
        unbound: dict[str, str] | None = None,
    ) -> None:
        self.values: dict[str, Value] = {} if values is None else values
        self.constants: dict[str, object] = {} if constants is None else constants
        self.unbound: dict[str, str] = {} if unbound is None else unbound

    def copy(self) -> Scope:
        """Create an independent scope with the same names."""
        return Scope(dict(self.values), dict(self.constants), dict(self.unbound))

    def bind(self, name: str, value: Value) -> None:
        """Assign a value to a name."""
        self.values[name] = value
        self.unbound.pop(name, None)

    def unbind(self, name: str, reason: str) -> None:
        """Remove the value of a name, and record why."""
        self.values.pop(name, None)
        self.unbound[name] = reason
