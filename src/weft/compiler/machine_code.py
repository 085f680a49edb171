"""Compile TTGIR to machine code: LLVM IR, PTX and cubin, AMDGCN and hsaco.

emit_code(compiled.module("ttgir"), "ptx", compiled.metadata.options)
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from weft.compiler.options import CompileOptions
from weft.errors import CodegenError, WeftError

# weft.codegen loads xDSL and llvmlite, which a kernel from the disk cache does not need.
if TYPE_CHECKING:
    from weft.codegen import LlvmModule, Machine
    from weft.codegen.backend.ptxas import Cubin
    from weft.ir.builtin import ModuleOp

__all__ = [
    "BINARY_STAGES",
    "CODE_STAGES",
    "assemble_cubin",
    "count_shared_bytes",
    "driver_image",
    "emit_code",
    "emit_llvm",
    "link_hsaco",
    "llvm_machine",
    "lower_ttgir",
    "start_llvm",
]

CODE_STAGES: dict[str, tuple[str, ...]] = {
    "llir": ("cuda", "hip"),
    "ptx": ("cuda",),
    "cubin": ("cuda",),
    "amdgcn": ("hip",),
    "hsaco": ("hip",),
}
"""The stages after TTGIR, and the back ends that have each."""

BINARY_STAGES = ("cubin", "hsaco")
"""The stages whose output is bytes, not text."""


@cache
def llvm_machine() -> Machine:
    """Get the LLVM process of this process; the first use starts it."""
    from weft.codegen import Machine

    machine = Machine()
    atexit.register(machine.close)
    os.register_at_fork(after_in_child=machine.forget)
    return machine


@cache
def start_llvm(chip: str = "") -> None:
    """Start LLVM and look for ptxas in the background, while the caller compiles.

    Args:
        chip: The chip that ptxas must support, "sm_90a"; "" if ptxas is not needed.
    """
    llvm_machine().start()
    if chip:
        threading.Thread(target=_find_ptxas, args=(chip,), daemon=True).start()


def _find_ptxas(chip: str) -> None:
    from weft.codegen.backend.ptxas import ptxas_for

    with suppress(CodegenError):  # the compilation that needs ptxas raises it
        ptxas_for(chip)


def lower_ttgir(module: ModuleOp, options: CompileOptions) -> LlvmModule:
    """Lower a TTGIR module to LLVM IR, with the options that code generation reads.

    Raises:
        CodegenError: An operation cannot be lowered; with its location in the kernel.
    """
    from weft.codegen import lower

    return lower(
        _prepare(module, options.maxnreg),
        fp_fusion=options.enable_fp_fusion,
        maxnreg=options.maxnreg,
        waves_per_eu=options.waves_per_eu,
        schedule_strategy=_strategy(options),
        flush_denorm=options.allow_flush_denorm,
    )


def count_shared_bytes(module: ModuleOp) -> int | None:
    """Count the shared memory of a TTGIR module's kernel.

    Returns:
        The bytes of a block; None if an operation cannot be lowered. It may be more than the
        target has, which only the lowering refuses.
    """
    from weft.codegen.lowering.kernel_shared_memory import shared_bytes

    with suppress(WeftError):
        return shared_bytes(_prepare(module))
    return None


def _prepare(module: ModuleOp, maxnreg: int | None = None) -> ModuleOp:
    """Run the passes between TTGIR and LLVM IR on a copy of a module, if it needs any.

    They synchronize the clusters of warp-pipelined loops, advance the pointers of copies in loops
    by shared offsets, and assign warps and registers to partitions.
    """
    from weft.ir import attributes, ttg, types
    from weft.ir.builtin import ModuleOp
    from weft.ir.rewriting import clone, walk
    from weft.passes.amd.convert_warp_pipeline import ConvertWarpPipeline, pipelined_loops
    from weft.passes.nvidia.share_pointer_offsets import SharePointerOffsets, has_copies_in_loops
    from weft.passes.ttgir.allocate_warp_groups import AllocateWarpGroups

    is_amd = "hip:" in str(module.attributes.get("ttg.target"))
    has_pipelines = is_amd and bool(pipelined_loops(module))
    has_partitions = any(isinstance(op, ttg.WarpSpecializeOp) for op in walk(module))
    has_copies = not is_amd and has_copies_in_loops(module)
    if not has_pipelines and not has_partitions and not has_copies:
        return module
    copy = clone(module, {})
    assert isinstance(copy, ModuleOp)
    if has_pipelines:
        ConvertWarpPipeline().run(copy)
    if has_copies:
        SharePointerOffsets().run(copy)
    if has_partitions:
        if maxnreg is not None:
            copy.attributes["ttg.maxnreg"] = attributes.integer(maxnreg, types.i32)
        AllocateWarpGroups().run(copy)
    return copy


def _strategy(options: CompileOptions) -> str:
    """Get LLVM's scheduling strategy for a kernel, as Triton 3.7.1 chooses it."""
    return "iterative-ilp" if "memory-bound-attention" in options.schedule_hints else ""


def emit_code(module: ModuleOp, stage: str, options: CompileOptions) -> bytes:
    """Compile a TTGIR module to a stage of machine code.

    Args:
        module: The module; its "ttg.target" names the chip.
        stage: One of CODE_STAGES.
        options: Those that code generation reads.

    Returns:
        Text in UTF-8, or the image of one of BINARY_STAGES.

    Raises:
        CodegenError: The chip has no such stage, an operation cannot be lowered, LLVM or ptxas
            rejects the code, or no ptxas supports the chip.
    """
    return emit_llvm(lower_ttgir(module, options), stage)


def emit_llvm(llvm: LlvmModule, stage: str) -> bytes:
    """Compile an LLVM module to a stage of machine code.

    Args:
        llvm: The module.
        stage: One of CODE_STAGES.

    Returns:
        Text in UTF-8, or the image of one of BINARY_STAGES.

    Raises:
        CodegenError: The chip has no such stage, LLVM or ptxas rejects the code, or no ptxas
            supports the chip.
    """
    backend = llvm.target.backend
    if backend not in CODE_STAGES[stage]:
        raise CodegenError(
            f"{llvm.target} has no stage {stage}",
            found=f"--emit {stage}",
            accepted=[name for name, backends in CODE_STAGES.items() if backend in backends],
        )
    if stage == "llir":
        return llvm_machine().emit(llvm, "llir")
    if stage == "cubin":
        return assemble_cubin(llvm).image
    if stage == "hsaco":
        return link_hsaco(llvm)
    return llvm_machine().emit(llvm, "assembly")


def assemble_cubin(llvm: LlvmModule) -> Cubin:
    """Assemble a kernel with ptxas.

    Raises:
        CodegenError: LLVM or ptxas rejects the kernel, or no ptxas supports its chip.
    """
    from weft.codegen.backend.ptxas import VARIABLE, ptxas_for

    assembler = ptxas_for(llvm.target.llvm_cpu)
    if assembler is None:
        raise CodegenError(
            f"Cannot find a ptxas that supports {llvm.target.llvm_cpu}",
            hint=f"install nvidia-cuda-nvcc (PyPI) or a CUDA toolkit, or set {VARIABLE} to a ptxas",
        )
    return assembler.assemble(llvm, llvm_machine().emit(llvm, "assembly"))


def link_hsaco(llvm: LlvmModule) -> bytes:
    """Link a kernel into the shared object that AMD's driver loads.

    Raises:
        CodegenError: LLVM rejects the kernel.
    """
    from weft.codegen.backend.hsaco import link

    return link(llvm_machine().emit(llvm, "object"))


def driver_image(llvm: LlvmModule) -> tuple[bytes, bytes]:
    """Compile a kernel to what the CUDA driver loads.

    Returns:
        PTX, and the image to load: a cubin if a ptxas is installed, else that PTX.

    Raises:
        CodegenError: LLVM or ptxas rejects the kernel.
    """
    from weft.codegen.backend.ptxas import ptxas_for

    ptx = llvm_machine().emit(llvm, "assembly")
    assembler = ptxas_for(llvm.target.llvm_cpu)
    return ptx, ptx if assembler is None else assembler.assemble(llvm, ptx).image
