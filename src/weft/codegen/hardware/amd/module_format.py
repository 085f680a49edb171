"""Declarations of AMDGPU modules and kernels, and the configuration of AMD's bitcode libraries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from typing_extensions import override

from weft.codegen.backend.register_use import CompileRequest, RegisterUse
from weft.codegen.backend.worker import WHOLE_PIPELINE
from weft.codegen.hardware.amd import register_retries
from weft.codegen.hardware.amd.messages import uses_ockl
from weft.codegen.hardware.amd.register_retries import UNIFORM
from weft.codegen.hardware.capabilities import ModuleFormat
from weft.codegen.llvm.module import Launch, LlvmModule
from weft.codegen.llvm.writer import Writer
from weft.targets import Target
from weft.targets.matrix_units import matrix_units

__all__ = ["AmdModuleFormat"]

_CODE_OBJECT_VERSION = 500
# Hidden kernel arguments and registers. A custom pass pipeline skips LLVM's inference, and a kernel
# that uses none of them has 28 bytes of arguments instead of 288.
_HIDDEN_INPUTS = (
    "completion-action default-queue dispatch-id dispatch-ptr flat-scratch-init heap-ptr "
    "hostcall-ptr implicitarg-ptr lds-kernel-id multigrid-sync-arg queue-ptr workgroup-id-x "
    "workgroup-id-y workgroup-id-z workitem-id-y workitem-id-z"
).split()
_INPUTS_OF_OCKL = ("hostcall-ptr", "implicitarg-ptr")


@dataclass(frozen=True, slots=True)
class AmdModuleFormat(ModuleFormat):
    """Modules for amdhsa; see `ModuleFormat`."""

    target: Target

    @property
    @override
    def triple(self) -> str:
        return "amdgcn-amd-amdhsa"

    @override
    def passes(self, module: LlvmModule) -> tuple[str, ...]:
        """Choose LLVM's own pipeline, which takes as long as instruction selection.

        It moves invariants out of loops, pairs floats for packed multiplication, and rotates
        loops, so that results of matrix instructions stay in their registers.
        """
        return (WHOLE_PIPELINE,)

    @property
    @override
    def line_info(self) -> str:
        return "LineTablesOnly"

    @override
    def retries(self, module: LlvmModule, use: RegisterUse) -> Iterator[CompileRequest]:
        return register_retries.retries(module, use)

    @override
    def cost(self, module: LlvmModule, use: RegisterUse) -> tuple[int, ...]:
        return register_retries.cost(module, use)

    @override
    def kernel_header(self, launch: Launch, writer: Writer) -> tuple[str, str]:
        threads = launch.num_warps * self.target.threads_per_warp
        attributes = [
            f'"target-cpu"="{self.target.llvm_cpu}"',
            f'"amdgpu-flat-work-group-size"="{threads},{threads}"',
            UNIFORM,
            f'"amdgpu-cluster-dims"="{launch.num_ctas},1,1"',
            f'"denormal-fp-math-f32"="{"preserve-sign" if launch.flush_denorm else "ieee"}"',
            *(f'"amdgpu-no-{name}"' for name in _HIDDEN_INPUTS if not _uses(writer, name)),
        ]
        if matrix_units(str(self.target.arch)).accumulators_optional:
            attributes.append('"amdgpu-agpr-alloc"="0"')  # else results move between register files
        if launch.waves_per_eu:
            attributes.append(f'"amdgpu-waves-per-eu"="{launch.waves_per_eu}"')
        if launch.schedule_strategy:
            attributes.append(f'"amdgpu-sched-strategy"="{launch.schedule_strategy}"')
        return "amdgpu_kernel", " ".join(attributes)

    @property
    @override
    def argument_attributes(self) -> str:
        """Ask for scalar registers, which some chips can preload at the launch."""
        return " inreg"

    @property
    @override
    def passes_descriptors_by_pointer(self) -> bool:
        return True

    @property
    @override
    def shared_memory(self) -> str:
        """Start at address 0: a kernel has no other LDS, as the worker's LLVM allocates none.

        LLVM knows the address of a global only after instruction selection, and until then has an
        addition for each access.
        """
        return "null"

    @override
    def module_footer(self) -> str:
        return (
            "!llvm.module.flags = !{!0}\n"
            f'!0 = !{{i32 1, !"amdhsa_code_object_version", i32 {_CODE_OBJECT_VERSION}}}\n'
            "!1 = !{i32 1}\n"  # of nontemporal accesses
            # The alias scope of copies to LDS:
            "!3 = !{!4}\n!4 = distinct !{!4, !5}\n!5 = distinct !{!5}\n"
        )

    @override
    def keeping_denormals(self) -> AmdModuleFormat:
        return self

    @override
    def library_header(self) -> list[str]:
        """Define the constants by which ocml and ockl know the chip and the exactness."""
        lanes = self.target.threads_per_warp
        settings = {
            "ISA_version": ("i32", _isa_number(self.target.llvm_cpu)),
            "ABI_version": ("i32", _CODE_OBJECT_VERSION),
            "wavefrontsize64": ("i8", int(lanes == 64)),
            "wavefrontsize_log2": ("i32", lanes.bit_length() - 1),
            "unsafe_math_opt": ("i8", 0),
            "finite_only_opt": ("i8", 0),
            "daz_opt": ("i8", 0),
            "correctly_rounded_sqrt32": ("i8", 1),
        }
        return [
            f"@__oclc_{name} = linkonce_odr hidden addrspace(4) constant {type_} {value}"
            for name, (type_, value) in settings.items()
        ]


def _uses(writer: Writer, name: str) -> bool:
    """Check whether the kernel uses a hidden input."""
    if name in _INPUTS_OF_OCKL and uses_ockl(writer):
        return True
    callee = f"@llvm.amdgcn.{name.replace('-', '.')}("
    return any(callee in declaration for declaration in writer.declarations)


def _isa_number(cpu: str) -> int:
    """Encode a processor as the libraries do: gfx90a is 9010, gfx1250 is 12500."""
    version = cpu.removeprefix("gfx")
    return int(version[:-2]) * 1000 + int(version[-2]) * 100 + int(version[-1], 16)
