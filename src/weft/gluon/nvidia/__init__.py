"""Functions for the instructions of NVIDIA GPUs, by the generation that introduced them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr

if TYPE_CHECKING:
    from weft.gluon.nvidia import ampere as ampere
    from weft.gluon.nvidia import blackwell, hopper

__all__ = ["blackwell", "hopper"]

__getattr__ = lazy_getattr(__name__, {name: f"{__name__}.{name}" for name in (*__all__, "ampere")})
