"""How minimum, maximum and clamp treat NaN."""

from __future__ import annotations

import enum


class PropagateNan(enum.IntEnum):
    """Choose what minimum, maximum and clamp give where an operand is NaN.

    NONE gives the other operand (the IEEE number operations), ALL gives NaN.
    """

    NONE = 0
    ALL = 0xFFFF
