"""Registers that products of a warp group still write.

    %p = wgmma …                    %p#0, %p#1 … are in flight
    %a = extractvalue %p, 0         so is %a: it is moved, not read
    %b = fadd %a, 1.0               an error: nobody has waited
    %w = wgmma.wait_group 0 (%a)    %w may be read, %a never: the compiler may read it too early

Values that move keep what they wait for; what a wait passes on waits only for groups that it
leaves under way. Members of a structure are told apart by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["InFlight", "Product"]


@dataclass(slots=True)
class Product:
    """One product of a warp group, and whether a wait has seen its end."""

    group: int
    is_done: bool = False


class InFlight:
    """Which values wait for which products."""

    __slots__ = ("_waits",)

    def __init__(self) -> None:
        self._waits: dict[str, tuple[Product, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._waits)

    def begin(self, name: str, members: int, product: Product) -> None:
        """Note that a product writes a structure's members."""
        for member in range(members):
            key = f"{name}#{member}"
            self._waits[key] = (*self._others(key, (product.group,)), product)

    def awaited(self, name: str) -> tuple[Product, ...]:
        """Return the products that a value waits for."""
        return self._waits.get(name, ())

    def is_read_early(self, name: str, groups: Iterable[int]) -> bool:
        """Tell whether a value is read by warp groups whose products may not be done."""
        waits = self._waits.get(name)
        return waits is not None and any(product.group in groups for product in waits)

    def define(self, name: str, groups: Iterable[int], waits: Iterable[Product] = ()) -> None:
        """Note that warp groups define a value, and what it waits for from now on."""
        kept = (*self._others(name, groups), *waits)
        if kept:
            self._waits[name] = kept
        else:
            self._waits.pop(name, None)

    def _others(self, name: str, groups: Iterable[int]) -> tuple[Product, ...]:
        return tuple(one for one in self._waits.get(name, ()) if one.group not in groups)
