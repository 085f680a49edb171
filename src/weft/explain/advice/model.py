"""Edits of a kernel that can be applied to its compile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from weft.explain.advice.workbench import Variant

__all__ = ["ITERATION_SHARE", "Edit"]

ITERATION_SHARE = Fraction(0)
"""The scale of an edit of a block that loops divide: the program computes the same as before."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of a kernel.

    Attributes:
        kind: "option", "argument", "hint", "operand order", "precision" or "block size".
        text: What to change: "num_warps=8".
        apply: Changes a variant.
        scale: The share of the elements that a program has afterwards, as a multiple of its share
            before; `ITERATION_SHARE` for the same share, divided into other iterations; None if
            blocks stay as they are.
    """

    kind: str
    text: str
    apply: Callable[[Variant], Variant]
    scale: Fraction | None = None
