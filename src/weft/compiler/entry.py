"""How the entry of a TTGIR module is launched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.compiler.argument_formats import entry_formats
from weft.compiler.artifact import KernelInfo, TensorMapInfo
from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.errors import OutOfResourcesError
from weft.targets import Target

# A kernel from the disk cache does not load xDSL and the code generator.
if TYPE_CHECKING:
    from weft.codegen import LlvmModule
    from weft.ir import tt
    from weft.ir.builtin import ModuleOp

__all__ = ["check_threads", "entry_function", "formats_of_entry", "kernel_info", "tensor_maps_of"]


def kernel_info(
    module: ModuleOp, llvm: LlvmModule, signature: Signature, options: CompileOptions
) -> KernelInfo:
    """Collect how a kernel is launched.

    Args:
        module: Its TTGIR.
        llvm: The LLVM IR that the TTGIR was lowered to.
        signature: Its signature.
        options: The options that it was compiled with.
    """
    scratch_formats = ("P",) if llvm.global_scratch_bytes else ()
    return KernelInfo(
        llvm.kernel,
        str(llvm.target),
        str(signature),
        formats_of_entry(module, signature, llvm.target) + scratch_formats,
        llvm.launch.num_warps * llvm.target.threads_per_warp,
        llvm.shared_bytes,
        options,
        tensor_maps_of(module, llvm.target),
        llvm.global_scratch_bytes,
    )


def formats_of_entry(module: ModuleOp, signature: Signature, chip: Target) -> tuple[str, ...]:
    """List the format of each argument of a module's entry.

    AMD's chips have no tensor maps: a descriptor is the address of its tensor.
    """
    from weft.codegen.llvm.types import llvm_type, parameter_type

    types = [
        parameter_type(type_, by_pointer=True) if chip.backend == "hip" else llvm_type(type_)
        for type_ in entry_function(module).function_type.inputs.data
    ]
    return entry_formats(signature, types)


def tensor_maps_of(module: ModuleOp, chip: Target) -> tuple[TensorMapInfo, ...]:
    """List the tensor maps that the host creates for the entry's arguments: none for AMD."""
    from weft.codegen.lowering.nvidia.tma_host_descriptors import host_descriptors

    if chip.backend == "hip":
        return ()
    descriptors = host_descriptors(entry_function(module))
    return tuple(
        TensorMapInfo(each.box, each.row_bytes, each.element)
        for _, each in sorted(descriptors.items())
    )


def entry_function(module: ModuleOp) -> tt.FuncOp:
    """Get the public function of a module of one kernel."""
    from weft.ir import tt

    (entry,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public)
    return entry


def check_threads(threads: int, chip: Target) -> None:
    """Check that a block of a chip may have so many threads.

    Raises:
        OutOfResourcesError: It may not.
    """
    limit = chip.max_threads_per_block
    if threads > limit:
        raise OutOfResourcesError(
            threads,
            limit,
            "threads",
            found=f"{threads} threads in a block for {chip}",
            accepted=[f"up to {limit} threads"],
            hint="Reducing `num_warps` may help",
        )
