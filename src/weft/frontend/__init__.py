"""The front end: from a Python kernel to TTIR.

definition.py     parses the source of a kernel
dispatch.py       the function that lowers each class of syntax node
functions.py      calls of kernel functions
semantics/        operators and builtins on values: type promotion, broadcasting, operations
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.frontend.lowering import lower
    from weft.frontend.options import FrontendOptions

__all__ = ["FrontendOptions", "lower"]

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {"weft.frontend.lowering": "lower", "weft.frontend.options": "FrontendOptions"}
    ),
)
