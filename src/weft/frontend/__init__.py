"""Python kernels to TTIR: capture, lowering of the syntax tree, and the meaning of `tl`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import weft.ir  # noqa: F401  ahead of the first import of xDSL, which it makes lighter

if TYPE_CHECKING:
    from weft.frontend.lowering import lower
    from weft.frontend.options import FrontendOptions

__all__ = ["FrontendOptions", "lower"]


def __getattr__(name: str) -> Any:
    """Import what is asked for: the IR costs a while to load."""
    if name == "lower":
        from weft.frontend.lowering import lower

        return lower
    if name == "FrontendOptions":
        from weft.frontend.options import FrontendOptions

        return FrontendOptions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
