"""The suffixes of the files with IR that commands take in place of kernels."""

from __future__ import annotations

__all__ = ["DUMP", "IR_FILES"]

DUMP = ".ttgir"
"""IR after the passes, which names its target."""
IR_FILES = (".ttir", DUMP, ".mlir")
