"""What a module of AMD's says of its kernel, and to the libraries that it links."""

from __future__ import annotations

from weft.codegen.hardware.amd_registers import UNIFORM
from weft.codegen.hardware.messages import uses_ockl
from weft.codegen.hardware.protocol import Launch
from weft.codegen.llvm.writer import Writer
from weft.targets import Target
from weft.targets.matrix_units import matrix_units

__all__ = ["CODE_OBJECT_VERSION", "kernel_attributes", "library_constants"]

CODE_OBJECT_VERSION = 500
# Said before LLVM's passes find it out; each spares the kernel some hidden arguments, 28 bytes
# where there would be 288.
_NOT_NEEDED = (
    "completion-action default-queue dispatch-id dispatch-ptr flat-scratch-init heap-ptr "
    "hostcall-ptr implicitarg-ptr lds-kernel-id multigrid-sync-arg queue-ptr workgroup-id-x "
    "workgroup-id-y workgroup-id-z workitem-id-y workitem-id-z"
).split()
_OF_MESSAGES = ("hostcall-ptr", "implicitarg-ptr")  # what the library's functions ask for


def kernel_attributes(target: Target, launch: Launch, writer: Writer) -> str:
    """Return a kernel's attributes, as LLVM IR text.

    Args: writer: with the kernel's body, which says what the kernel reads.
    """
    threads = launch.num_warps * target.threads_per_warp
    attributes = [
        f'"target-cpu"="{target.llvm_cpu}"',
        f'"amdgpu-flat-work-group-size"="{threads},{threads}"',
        UNIFORM,
        f'"amdgpu-cluster-dims"="{launch.num_ctas},1,1"',
        '"denormal-fp-math-f32"="ieee"',
        *(f'"amdgpu-no-{name}"' for name in _NOT_NEEDED if not _reads(writer, name)),
    ]
    if matrix_units(str(target.arch)).accumulators_optional:
        attributes.append('"amdgpu-agpr-alloc"="0"')  # else results are moved to and fro
    if launch.waves_per_eu:
        attributes.append(f'"amdgpu-waves-per-eu"="{launch.waves_per_eu}"')
    return " ".join(attributes)


def _reads(writer: Writer, name: str) -> bool:
    """Tell whether the kernel asks for one of the things that it might be spared."""
    if name in _OF_MESSAGES and uses_ockl(writer):
        return True
    callee = f"@llvm.amdgcn.{name.replace('-', '.')}("
    return any(callee in declaration for declaration in writer.declarations)


def library_constants(target: Target) -> list[str]:
    """Return the constants that the libraries ask: which chip, and that results are exact."""
    lanes = target.threads_per_warp
    settings = {
        "ISA_version": ("i32", _isa_number(target.llvm_cpu)),
        "ABI_version": ("i32", CODE_OBJECT_VERSION),
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


def _isa_number(cpu: str) -> int:
    """Return a processor as the libraries number it: gfx90a is 9010, gfx1250 is 12500."""
    version = cpu.removeprefix("gfx")
    return int(version[:-2]) * 1000 + int(version[-2]) * 100 + int(version[-1], 16)
