"""From TTGIR to machine code: LLVM IR as text, and LLVM in a process of its own.

llvm = lower(module)                         # a TTGIR module, whoever made it
Machine().emit(llvm, "assembly")             # PTX or AMDGCN
"""

from __future__ import annotations

from weft.codegen.kernel import LlvmModule, lower
from weft.codegen.machine import Form, Machine

__all__ = ["Form", "LlvmModule", "Machine", "lower"]
