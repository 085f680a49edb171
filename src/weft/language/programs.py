"""The index of a program in the launch grid, and the size of the grid."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def program_id(axis):
    """Return the index of this program along `axis` (0, 1 or 2) of the launch grid, as int32."""


@builtin
def num_programs(axis):
    """Return the number of programs along `axis` (0, 1 or 2) of the launch grid, as int32."""
