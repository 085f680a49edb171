"""Special registers of AMD targets."""

from __future__ import annotations

from weft.language.builtin import builtin_of


@builtin_of("extra.hip")
def memrealtime():
    """Return the real-time clock of the device, in ticks, as int64."""
