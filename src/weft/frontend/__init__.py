"""Python kernels to TTIR: capture, lowering of the syntax tree, and the meaning of `tl`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import weft.ir  # noqa: F401  ahead of the first import of xDSL, which it makes lighter
from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.frontend.lowering import lower
    from weft.frontend.options import FrontendOptions

__all__ = ["FrontendOptions", "lower"]

# The front end itself loads when it is asked for.
__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {"weft.frontend.lowering": "lower", "weft.frontend.options": "FrontendOptions"}
    ),
)
