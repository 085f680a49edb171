"""From TTGIR to machine code: LLVM IR as text, and LLVM in a process of its own.

llvm = lower(module)                         # a TTGIR module, whoever made it
Machine().emit(llvm, "assembly")             # PTX or AMDGCN
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.codegen.kernel import LlvmModule, lower
    from weft.codegen.machine import Form, Machine

__all__ = ["Form", "LlvmModule", "Machine", "lower"]


def __getattr__(name: str) -> Any:
    """Import what is asked for: LLVM can start before the IR is loaded."""
    if name in ("LlvmModule", "lower"):
        from weft.codegen import kernel

        return getattr(kernel, name)
    if name in ("Form", "Machine"):
        from weft.codegen import machine

        return getattr(machine, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
