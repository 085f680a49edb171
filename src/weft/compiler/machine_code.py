"""From a compiled module to machine code: LLVM IR, PTX and cubin, AMDGCN and hsaco.

code_of(compiled.module("ttgir"), "ptx", compiled.metadata.options)
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from weft.errors import CodegenError

if TYPE_CHECKING:
    from weft.codegen import LlvmModule, Machine
    from weft.codegen.backend.ptxas import Cubin
    from weft.compiler.options import CompileOptions
    from weft.ir.builtin import ModuleOp

__all__ = [
    "BINARY",
    "FORMS",
    "code_of",
    "cubin_of",
    "hsaco_of",
    "image_of",
    "lowered",
    "machine",
    "prepare",
]

FORMS: dict[str, tuple[str, ...]] = {
    "llir": ("cuda", "hip"),
    "ptx": ("cuda",),
    "cubin": ("cuda",),
    "amdgcn": ("hip",),
    "hsaco": ("hip",),
}
"""What can be asked for, and the back ends whose chips have it."""

BINARY = ("cubin", "hsaco")
"""The forms that are no text."""


@cache
def machine() -> Machine:
    """Return the process's LLVM; it is started when it is first asked."""
    from weft.codegen import Machine

    made = Machine()
    atexit.register(made.close)
    os.register_at_fork(after_in_child=made.forget)
    return made


@cache
def prepare(chip: str = "") -> None:
    """Let LLVM start, and look for ptxas, while the caller loads and compiles what they will need.

    Args: chip: that ptxas must know, "sm_90a"; "" if it is not needed.
    """
    machine().start()
    if chip:
        threading.Thread(target=_look_for_ptxas, args=(chip,), daemon=True).start()


def _look_for_ptxas(chip: str) -> None:
    from weft.codegen.backend.ptxas import ptxas_for

    with suppress(CodegenError):  # who needs it will look again, and be told
        ptxas_for(chip)


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


def code_of(module: ModuleOp, form: str, options: CompileOptions) -> bytes:
    """Return a TTGIR module as machine code: text in UTF-8, or a file of the driver's.

    Args: form: one of FORMS.
    Raises: CodegenError: the module's chip has no such form, an operation that cannot be lowered,
            LLVM or ptxas refuses, or there is no ptxas that knows the chip.
    """
    llvm = lowered(module, options)
    if llvm.target.backend not in FORMS[form]:
        raise CodegenError(
            f"{llvm.target} has no {form}",
            found=f"--emit {form}",
            accepted=[name for name, backends in FORMS.items() if llvm.target.backend in backends],
        )
    if form == "llir":
        return machine().emit(llvm, "llir")
    if form == "cubin":
        return cubin_of(llvm).image
    if form == "hsaco":
        return hsaco_of(llvm)
    return machine().emit(llvm, "assembly")


def cubin_of(llvm: LlvmModule) -> Cubin:
    """Return a kernel assembled for its chip.

    Raises: CodegenError: LLVM or ptxas refuses it, or there is no ptxas that knows the chip.
    """
    from weft.codegen.backend.ptxas import VARIABLE, ptxas_for

    assembler = ptxas_for(llvm.target.llvm_cpu)
    if assembler is None:
        raise CodegenError(
            f"there is no ptxas that knows {llvm.target.llvm_cpu} on this machine",
            hint=f"install nvidia-cuda-nvcc (PyPI) or a CUDA toolkit, or set {VARIABLE} to a ptxas",
        )
    return assembler.assemble(llvm, machine().emit(llvm, "assembly"))


def hsaco_of(llvm: LlvmModule) -> bytes:
    """Return a kernel as the shared object that AMD's driver loads.

    Raises: CodegenError: LLVM refuses it.
    """
    from weft.codegen.backend.hsaco import link

    return link(machine().emit(llvm, "object"))


def image_of(llvm: LlvmModule) -> tuple[bytes, bytes]:
    """Return a kernel's PTX, and what to load: a cubin where there is a ptxas, else that PTX.

    Raises: CodegenError: LLVM or ptxas refuses it.
    """
    from weft.codegen.backend.ptxas import ptxas_for

    ptx = machine().emit(llvm, "assembly")
    assembler = ptxas_for(llvm.target.llvm_cpu)
    return ptx, ptx if assembler is None else assembler.assemble(llvm, ptx).image
