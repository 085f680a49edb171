"""NaN propagation of minimum, maximum and clamp."""

from __future__ import annotations

import enum


class PropagateNan(enum.IntEnum):
    """The result of minimum, maximum and clamp if an operand is NaN.

    Attributes:
        NONE: The other operand (IEEE 754-2019 minimumNumber, maximumNumber).
        ALL: NaN (IEEE 754-2019 minimum, maximum).
    """

    NONE = 0
    ALL = 0xFFFF
