"""The configurations that an autotuner has chosen, by a cheap key of the launch.

    tuned[grid](x, y, n, num_warps=8)  →  (n, x's element type, y's, int)  →  a configuration

`Autotuner.cache` has Triton's key, which is built of texts. This key distinguishes at least as
much, and is computed by code that is generated for the form of the call: the number of positional
arguments and the names of the keyword arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from weft.autotuner.config import Config

__all__ = ["ConfigCache"]

CallForm = tuple[Hashable, ...]
KeyFunction = Callable[[tuple[object, ...], Mapping[str, object]], tuple[Hashable, ...]]
Choice = tuple[Config, dict[str, object]]
"""A configuration, and what it passes to the launch."""

_SCALAR_CLASSES = frozenset({int, float, bool, str, type(None)})


def _element_key(value: object) -> Hashable:
    """Compute the key of an argument's type: its class, or an array's element type."""
    cls = type(value)
    return cls if cls in _SCALAR_CLASSES else getattr(value, "dtype", cls)


class ConfigCache:
    """The chosen configurations by the form of a call and its key.

    Args:
        names: The kernel's parameters.
        keys: The parameters whose values are part of the key.
    """

    __slots__ = ("_by_form", "_keys", "_names")

    def __init__(self, names: Sequence[str], keys: Sequence[str]) -> None:
        self._names, self._keys = tuple(names), tuple(keys)
        self._by_form: dict[CallForm, tuple[KeyFunction, dict[Hashable, Choice]]] = {}

    def find(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Choice | None:
        """Find the configuration of a launch; None if it was not chosen yet."""
        entry = self._by_form.get((len(args), *kwargs))
        if entry is None:
            return None
        key, choices = entry
        try:
            return choices.get(key(args, kwargs))
        except TypeError:  # an unhashable value
            return None

    def add(self, args: tuple[object, ...], kwargs: Mapping[str, object], choice: Choice) -> None:
        """Use a configuration for launches with the same key from now on."""
        form = (len(args), *kwargs)
        if len(args) > len(self._names):
            return
        if form not in self._by_form:
            self._by_form[form] = (self._key_function(len(args), tuple(kwargs)), {})
        key, choices = self._by_form[form]
        try:
            choices[key(args, kwargs)] = choice
        except TypeError:  # an unhashable value
            return

    def _key_function(self, count: int, keywords: tuple[str, ...]) -> KeyFunction:
        """Generate the key function for a form of call."""
        sources = {name: f"args[{n}]" for n, name in enumerate(self._names[:count])}
        sources |= {name: f"kwargs[{name!r}]" for name in keywords if name in self._names}
        parts = [sources[name] for name in self._keys if name in sources]
        parts += [f"element_key({source})" for source in sources.values()]
        text = "".join(f"{part}, " for part in parts)
        return eval(f"lambda args, kwargs: ({text})", {"element_key": _element_key})
