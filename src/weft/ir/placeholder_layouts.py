"""Layouts that a Gluon kernel leaves to inference: `#gluon.auto_encoding` and its like."""

from __future__ import annotations

from weft.ir import types
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.layouts import AutoEncoding, CoalescedEncoding, Encoding

__all__ = ["has_placeholder_layouts", "is_placeholder"]


def is_placeholder(encoding: Encoding | None) -> bool:
    """Check whether a layout is to be inferred."""
    return isinstance(encoding, AutoEncoding | CoalescedEncoding)


def has_placeholder_layouts(module: ModuleOp) -> bool:
    """Check whether a module has such layouts: Gluon's front end emitted it."""
    return any(
        is_placeholder(types.encoding(result.type)) for op in walk(module) for result in op.results
    )
