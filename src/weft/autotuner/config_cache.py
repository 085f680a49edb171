"""The choices of an autotuner, found again quickly by what a launch is given.

    tuned[grid](x, y, n, num_warps=8)  →  (n, x's element type, y's, int)  →  a configuration

The key of a choice is made of texts and of every argument; this one tells at least as much apart,
and is read off by code that is written for the form of the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.autotuner.config import Config

__all__ = ["Choices"]

Form = tuple[Any, ...]
Key = Callable[[tuple[Any, ...], Mapping[str, Any]], tuple[Any, ...]]

_PLAIN = frozenset({int, float, bool, str, type(None)})


def _element(value: Any) -> Any:
    """Return what an argument's element type is told by."""
    kind = type(value)
    return kind if kind in _PLAIN else getattr(value, "dtype", kind)


class Choices:
    """What was chosen, by the form of a launch and what it was given.

    Args: names: of the kernel's parameters.  keys: those whose values need a choice of their own.
    """

    __slots__ = ("_forms", "_keys", "_names")

    def __init__(self, names: Sequence[str], keys: Sequence[str]) -> None:
        self._names, self._keys = tuple(names), tuple(keys)
        self._forms: dict[Form, tuple[Key, dict[Any, tuple[Config, dict[str, Any]]]]] = {}

    def find(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[Config, dict[str, Any]] | None:
        """Return the configuration of launches like this one and what it adds; None if unknown."""
        form = self._forms.get((len(args), *kwargs))
        if form is None:
            return None
        try:
            return form[1].get(form[0](args, kwargs))
        except TypeError:  # a value that no dictionary takes as a key
            return None

    def keep(
        self,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        config: Config,
        added: dict[str, Any],
    ) -> None:
        """Find a configuration for launches like this one from now on."""
        names = (len(args), *kwargs)
        if len(args) > len(self._names):
            return
        if names not in self._forms:
            self._forms[names] = (self._written(len(args), tuple(kwargs)), {})
        key, chosen = self._forms[names]
        try:
            chosen[key(args, kwargs)] = (config, added)
        except TypeError:
            return

    def _written(self, count: int, keywords: tuple[str, ...]) -> Key:
        """Return the code that reads the key off a launch of one form."""
        places = {name: f"args[{n}]" for n, name in enumerate(self._names[:count])}
        places |= {name: f"kwargs[{name!r}]" for name in keywords if name in self._names}
        parts = [places[name] for name in self._keys if name in places]
        parts += [f"element({place})" for place in places.values()]
        text = "".join(f"{part}, " for part in parts)
        return eval(f"lambda args, kwargs: ({text})", {"element": _element})
