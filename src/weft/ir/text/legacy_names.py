"""Names of operations, types and attributes in IR that Triton printed before 3.2.

    triton_gpu.local_load                   ttg.local_load
    "triton_gpu.num-warps" = 4 : i32        "ttg.num-warps" = 4 : i32
    !tt.memdesc<64x32xf16, #shared, …>      !ttg.memdesc<64x32xf16, #shared, …>

Encodings have legacy spellings, too: see `weft.layouts.legacy_encodings`.
"""

from __future__ import annotations

from weft.layouts.legacy_encodings import DIALECTS

__all__ = ["modern_name"]

_MOVED = {"tt.memdesc": "ttg.memdesc"}


def modern_name(name: str) -> str:
    """Return today's name of what a dialect-prefixed name means; other names are unchanged."""
    moved = _MOVED.get(name)
    if moved is not None:
        return moved
    dialect, dot, rest = name.partition(".")
    modern = DIALECTS.get(dialect)
    return name if modern is None else f"{modern}{dot}{rest}"
