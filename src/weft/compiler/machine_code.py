"""Compile TTGIR to machine code: LLVM IR, PTX and cubin, AMDGCN and hsaco.

emit_code(compiled.module("ttgir"), "ptx", compiled.metadata.options)
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from msgspec import structs

from weft import knobs
from weft.compiler.ir_override import overriding_text
from weft.compiler.options import CompileOptions
from weft.errors import CodegenError, WeftError

# weft.codegen loads xDSL and llvmlite, which a kernel from the disk cache does not need.
if TYPE_CHECKING:
    from weft.codegen import LlvmModule, Machine
    from weft.codegen.backend.ptxas import Cubin
    from weft.codegen.lowering.kernel_shared_memory import KernelMemory
    from weft.ir.builtin import ModuleOp

__all__ = [
    "BINARY_STAGES",
    "CODE_STAGES",
    "assemble_cubin",
    "count_registers",
    "count_shared_bytes",
    "disassemble_cubin",
    "emit_code",
    "emit_llvm",
    "extern_libraries",
    "launch_code",
    "link_hsaco",
    "llvm_machine",
    "lower_ttgir",
    "plan_memory",
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
    from weft.compiler.codegen_passes import prepare_for_codegen

    _remark_of_scalar_accesses(module)
    llvm = lower(
        prepare_for_codegen(module, options.maxnreg),
        fp_fusion=options.enable_fp_fusion,
        maxnreg=options.maxnreg,
        waves_per_eu=options.waves_per_eu,
        schedule_strategy=_strategy(options),
        flush_denorm=options.allow_flush_denorm,
        reflect_ftz=options.enable_reflect_ftz,
        libraries=extern_libraries(options),
    )
    text = overriding_text(options, "llir")
    if text is not None:
        llvm = structs.replace(llvm, text=text, positions=((0, None),), libraries=())
    if knobs.is_on(os.environ.get("LLVM_IR_ENABLE_DUMP", "")):
        print(f"; *** LLVM IR of {llvm.kernel} ***\n{llvm.text}", file=sys.stderr)
    return structs.replace(
        llvm,
        has_line_info=not knobs.compilation.disable_line_info,
        ptxas_options=tuple((options.ptx_options or "").split()),
        assembly=overriding_text(options, "ptx") or overriding_text(options, "amdgcn"),
    )


def _remark_of_scalar_accesses(module: ModuleOp) -> None:
    """Emit a remark for each load or store of several elements that is not vectorized."""
    from weft.passes.diagnostics import emit_performance_remark, remarks_are_wanted

    if remarks_are_wanted() and "cuda:" in str(module.attributes.get("ttg.target")):
        from weft.codegen.scalar_accesses import scalar_accesses

        for op, message in scalar_accesses(module):
            emit_performance_remark(op, message)


def extern_libraries(options: CompileOptions) -> dict[str, str]:
    """Map names of bitcode libraries to the files of the options and of the knob of libdevice."""
    file = knobs.nvidia.libdevice_path
    return ({"libdevice": file} if file else {}) | dict(options.extern_libs)


def count_shared_bytes(module: ModuleOp) -> int | None:
    """Count the shared memory of a TTGIR module's kernel.

    Returns:
        The bytes of a block; None if an operation cannot be lowered. It may be more than the
        target has, which only the lowering refuses.
    """
    from weft.codegen.lowering.kernel_shared_memory import shared_bytes
    from weft.compiler.codegen_passes import prepare_for_codegen

    with suppress(WeftError):
        return shared_bytes(prepare_for_codegen(module))
    return None


def plan_memory(module: ModuleOp) -> tuple[ModuleOp, KernelMemory] | None:
    """Find what the lowering of a TTGIR module does with shared memory.

    Returns:
        The module that is lowered, which may be a copy, and its shared memory, barriers and
        scratch memory; None if the module does not have one public function.

    Raises:
        CodegenError: An operation cannot be lowered.
        WeftError: An unknown target.
    """
    from weft.codegen.lowering.kernel_shared_memory import plan_memory as plan
    from weft.compiler.codegen_passes import prepare_for_codegen

    prepared = prepare_for_codegen(module)
    memory = plan(prepared)
    return None if memory is None else (prepared, memory)


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
    return _emit_assembly(llvm)


def _emit_assembly(llvm: LlvmModule) -> bytes:
    if llvm.assembly is not None:
        assembly = llvm.assembly.encode()
    else:
        assembly = llvm_machine().emit(llvm, "assembly")
    is_cuda = llvm.target.backend == "cuda"
    if knobs.nvidia.dump_nvptx if is_cuda else knobs.amd.dump_amdgcn:
        name = "NVPTX" if is_cuda else "AMDGCN"
        print(f"// -----// {name} Dump //----- //\n{assembly.decode()}")
    return assembly


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
    cubin = assembler.assemble(llvm, _emit_assembly(llvm))
    if knobs.nvidia.dump_ptxas_log:
        print(cubin.log)
    return cubin


def disassemble_cubin(cubin: bytes) -> str:
    """Disassemble a cubin with nvdisasm: the SASS of its kernels.

    Raises:
        CodegenError: No nvdisasm is installed, or it rejects the cubin.
    """
    from weft.codegen.backend.nvdisasm import disassemble

    sass = disassemble(cubin)
    if sass is None:
        raise CodegenError(
            "Cannot find nvdisasm",
            hint="a CUDA toolkit has one; or install nvidia-cuda-nvdisasm (PyPI)",
        )
    return sass


def count_registers(llvm: LlvmModule) -> tuple[int, int]:
    """Count the registers of a thread, and the bytes that it spills, by assembling a kernel.

    Raises:
        CodegenError: LLVM or ptxas rejects the kernel, or no ptxas supports its chip.
    """
    if llvm.target.backend == "cuda":
        cubin = assemble_cubin(llvm)
        return cubin.registers, cubin.spill_stores
    from weft.codegen.backend.register_use import register_use

    use = register_use(_emit_assembly(llvm))
    return use.vectors, use.scratch


def link_hsaco(llvm: LlvmModule) -> bytes:
    """Link a kernel into the shared object that AMD's driver loads.

    Raises:
        CodegenError: LLVM or the assembler rejects the kernel, or it has inline assembly and no
            assembler is installed.
    """
    from weft.codegen.backend import amd_assembler
    from weft.codegen.backend.hsaco import link

    if llvm.assembly is not None or amd_assembler.is_needed(llvm):
        return link(amd_assembler.assemble(llvm, _emit_assembly(llvm)))
    return link(llvm_machine().emit(llvm, "object"))


def launch_code(llvm: LlvmModule) -> dict[str, bytes]:
    """Compile a kernel to the stages of machine code that a launch needs.

    Returns:
        By stage: "amdgcn" and "hsaco"; or "ptx", and "cubin" if a ptxas is installed, since the
        CUDA driver loads both.

    Raises:
        CodegenError: LLVM or ptxas rejects the kernel.
    """
    from weft.codegen.backend.ptxas import ptxas_for

    assembly = _emit_assembly(llvm)
    if llvm.target.backend == "hip":
        return {"amdgcn": assembly, "hsaco": link_hsaco(llvm)}
    assembler = ptxas_for(llvm.target.llvm_cpu)
    if assembler is None:
        return {"ptx": assembly}
    return {"ptx": assembly, "cubin": assembler.assemble(llvm, assembly).image}
