"""The languages that kernels are written in."""

from __future__ import annotations

from enum import Enum

__all__ = ["Language"]


class Language(Enum):
    """The language of a kernel, as Triton names and numbers it."""

    TRITON = 0
    GLUON = 1
