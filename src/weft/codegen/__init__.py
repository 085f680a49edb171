"""From TTGIR to machine code: LLVM IR as text, and LLVM in a worker process.

llvm = lower(module)                         # a TTGIR module
Machine().emit(llvm, "assembly")             # PTX or AMDGCN
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.codegen.backend.machine import Form, Machine
    from weft.codegen.llvm.module import LlvmModule
    from weft.codegen.lowering.module import lower

__all__ = ["Form", "LlvmModule", "Machine", "lower"]

# LLVM can start before the IR is loaded.
__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft.codegen.llvm.module": "LlvmModule",
            "weft.codegen.lowering.module": "lower",
            "weft.codegen.backend.machine": "Form Machine",
        }
    ),
)
