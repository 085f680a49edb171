"""Every example on every chip, as parameters of a test.

The default run has each case on one chip of each vendor in turn; the slow run has all chips.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from tests.oracle.corpus import EXAMPLES, is_for, name

__all__ = ["AMD", "NVIDIA", "chip_cases"]

NVIDIA = ("cuda:80", "cuda:90", "cuda:100", "cuda:120")
AMD = ("hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1201", "hip:gfx1250")


def chip_cases(without: Collection[tuple[str, int, str]] = ()) -> list[Any]:
    """List the cases of the examples as (path, index, chip).

    Args:
        without: The (example, index, chip) to leave out.
    """
    return [
        pytest.param(
            path,
            index,
            chip,
            id=name(path, index, chip),
            marks=() if number % len(chips) == turn else pytest.mark.slow,
        )
        for number, (path, index) in enumerate(EXAMPLES)
        for chips in (NVIDIA, AMD)
        for turn, chip in enumerate(chips)
        if is_for(path, index, chip) and (path.stem, index, chip) not in without
    ]
