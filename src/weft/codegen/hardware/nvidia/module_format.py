"""Declarations of NVPTX modules and kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from typing_extensions import override

from weft.codegen.backend.register_use import CompileRequest, RegisterUse
from weft.codegen.backend.worker import WHOLE_PIPELINE
from weft.codegen.hardware.capabilities import ModuleFormat
from weft.codegen.llvm.module import Launch, LlvmModule
from weft.codegen.llvm.writer import Writer
from weft.targets import Target

__all__ = ["NvidiaModuleFormat"]

_HALF_ARITHMETIC = re.compile(r" = f(add|sub|mul|div|neg)\b[a-z ]* (half|bfloat) ")
_MATRIX_INSTRUCTION = re.compile(r"mma\.sync\.|wgmma\.mma_async\.|tcgen05\.mma\.")


@dataclass(frozen=True, slots=True)
class NvidiaModuleFormat(ModuleFormat):
    """Modules for NVPTX; see `ModuleFormat`.

    Attributes:
        target: The chip.
        flushes: Whether functions of libdevice flush subnormal numbers to zero.
    """

    target: Target
    flushes: bool = True

    @property
    @override
    def triple(self) -> str:
        return "nvptx64-nvidia-cuda"

    @override
    def passes(self, module: LlvmModule) -> tuple[str, ...]:
        """Choose LLVM's own pipeline for loops and for arithmetic on 16-bit floats.

        It computes trip counts, so that ptxas unrolls loops of a few iterations, moves invariants
        out of loops, and pairs 16-bit floats. It takes four to six times as long as the few passes
        for other kernels. Matrix instructions leave little to it, and need more registers after it;
        their loops are rotated, as in Triton, since ptxas schedules rotated loops better.
        """
        text = module.text
        has_matrix_instructions = _MATRIX_INSTRUCTION.search(text) is not None
        if not has_matrix_instructions and (" = phi " in text or _HALF_ARITHMETIC.search(text)):
            return (WHOLE_PIPELINE,)
        fold = ("instruction_combine", "simplify_cfg")
        return ("always_inliner", *fold, "loop_simplify", "loop_rotate", *fold)

    @property
    @override
    def line_info(self) -> str:
        """Only `.loc` and `.file`: DWARF sections in PTX would keep ptxas from optimizing."""
        return "DebugDirectivesOnly"

    @override
    def retries(self, module: LlvmModule, use: RegisterUse) -> Iterator[CompileRequest]:
        """Yield nothing: ptxas allocates registers, and has retries for itself."""
        yield from ()

    @override
    def cost(self, module: LlvmModule, use: RegisterUse) -> tuple[int, ...]:
        return ()

    @override
    def kernel_header(self, launch: Launch, writer: Writer) -> tuple[str, str]:
        threads = launch.num_warps * self.target.threads_per_warp
        attributes = [f'"nvvm.reqntid"="{threads}"']
        if launch.num_ctas > 1:
            attributes.append(f'"nvvm.cluster_dim"="{launch.num_ctas}"')
        if launch.maxnreg is not None:
            attributes.append(f'"nvvm.maxnreg"="{launch.maxnreg}"')
        return "ptx_kernel", " ".join(attributes)

    @property
    @override
    def argument_attributes(self) -> str:
        return ""

    @property
    @override
    def passes_descriptors_by_pointer(self) -> bool:
        return False

    @property
    @override
    def shared_memory(self) -> str:
        return "@shared"

    @override
    def module_footer(self) -> str:
        return ""

    @override
    def keeping_denormals(self) -> NvidiaModuleFormat:
        return replace(self, flushes=False)

    @override
    def library_header(self) -> list[str]:
        """Configure libdevice to flush subnormal numbers to zero, Triton's default."""
        if not self.flushes:
            return []
        return ["!llvm.module.flags = !{!0}", '!0 = !{i32 4, !"nvvm-reflect-ftz", i32 1}']
