"""Special registers of AMD targets."""

from __future__ import annotations

from weft.language.builtin import builtin_of


@builtin_of("extra.hip")
def memrealtime():
    """Read the real-time counter, in ticks, as int64 (`s_memrealtime`)."""
