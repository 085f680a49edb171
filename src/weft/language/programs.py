"""Which program of the grid this is, and how many there are."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def program_id(axis):
    """Return the index of this program along `axis` (0, 1 or 2) of the launch grid, as int32."""


@builtin
def num_programs(axis):
    """Return how many programs were launched along `axis` (0, 1 or 2) of the grid, as int32."""
