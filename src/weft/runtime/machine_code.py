"""From a compiled module to machine code as text: LLVM IR, PTX or AMDGCN assembly.

text_of(compiled.module("ttgir"), "ptx")
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from weft.errors import CodegenError

if TYPE_CHECKING:
    from weft.codegen import LlvmModule, Machine
    from weft.ir.builtin import ModuleOp
    from weft.runtime.options import CompileOptions

__all__ = ["FORMS", "lowered", "machine", "text_of"]

FORMS: dict[str, tuple[str, ...]] = {"llir": ("cuda", "hip"), "ptx": ("cuda",), "amdgcn": ("hip",)}
"""What can be asked for, and the back ends whose chips have it."""


@cache
def machine() -> Machine:
    """Return the process's LLVM; it is started when it is first asked."""
    from weft.codegen import Machine

    return Machine()


def lowered(module: ModuleOp, options: CompileOptions) -> LlvmModule:
    """Return a TTGIR module as LLVM IR, with what the options say of code generation.

    Raises: CodegenError: an operation that cannot be lowered, with its place in the kernel.
    """
    from weft.codegen import lower

    return lower(
        module,
        fp_fusion=options.enable_fp_fusion,
        maxnreg=options.maxnreg,
        waves_per_eu=options.waves_per_eu,
    )


def text_of(module: ModuleOp, form: str, options: CompileOptions) -> str:
    """Return a TTGIR module as machine code.

    Args: form: one of FORMS.
    Raises: CodegenError: the module's chip has no such form, an operation that cannot be lowered,
            or LLVM refuses.
    """
    llvm = lowered(module, options)
    if llvm.target.backend not in FORMS[form]:
        raise CodegenError(
            f"{llvm.target} has no {form}",
            found=f"--emit {form}",
            accepted=[name for name, backends in FORMS.items() if llvm.target.backend in backends],
        )
    return machine().emit(llvm, "llir" if form == "llir" else "assembly").decode()
