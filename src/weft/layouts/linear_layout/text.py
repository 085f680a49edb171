"""The text of a layout, as Triton prints it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.layouts.basis_vectors import OutDims

__all__ = ["text_of"]


def text_of(bases: Mapping[str, Sequence[Sequence[int]]], outs: OutDims) -> str:
    """Format a layout.

    Args:
        bases: The bases of each in-dimension, lowest bit first.
        outs: The out-dimensions.
    """
    if not bases:
        return "\n(empty layout)" + (_outs_text(outs) if outs else "")
    lines = [""]
    for name, vectors in bases.items():
        if not vectors:
            lines.append(f" - {name} is a size 1 dimension")
        for bit, vector in enumerate(vectors):
            bullet = " - " if bit == 0 else "   "
            lines.append(f"{bullet}{name}={1 << bit} -> ({', '.join(map(str, vector))})")
    return "\n".join(lines) + _outs_text(outs)


def _outs_text(outs: OutDims) -> str:
    sizes = ", ".join(f"{name} (size {size})" for name, size in outs)
    return f"\nwhere out dims are: [{sizes}]"
