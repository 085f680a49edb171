"""Allocation of a CTA's tensor memory, at the start of the kernel.

    @first warp  tcgen05.alloc [shared], 128      writes the address of the first column
    barrier, load, barrier                        all threads read it; the bytes are free again
    @first warp  tcgen05.relinquish_alloc_permit  another CTA may allocate
    …
    barrier
    @first warp  tcgen05.dealloc base, 128

With cta_group::2 both CTAs of a pair allocate and deallocate together. Each waits for the whole
cluster before it deallocates, since the other's MMAs write to its columns.
Source: PTX ISA 9.0, tcgen05.alloc.
"""

from __future__ import annotations

from msgspec.structs import replace

from weft.analysis.allocation import Allocation
from weft.analysis.tensor_memory import TensorMemory, tensor_memory
from weft.codegen.hardware import Hardware
from weft.codegen.hardware.nvidia.inline_ptx import SHARED, ptx
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.indices import ThreadIndices
from weft.ir import tt
from weft.targets.tensor_cores import tensor_cores

__all__ = [
    "allocate_columns",
    "free_columns",
    "cta_group",
    "allocate_tensor_memory",
    "reserve_address",
]

_ADDRESS_BYTES = 16
_VERSION = 5


def allocate_tensor_memory(function: tt.FuncOp, hardware: Hardware) -> TensorMemory:
    """Allocate the tensor memory of a function.

    Raises:
        CodegenError: The function needs more columns than the chip has.
        UnknownTargetError: The chip has no tensor memory.
    """
    if not any(op.name == "ttng.tmem_alloc" for op in function.walk()):
        return TensorMemory({}, 0, {})
    cores = tensor_cores(str(hardware.target))
    return tensor_memory(function, cores.version(_VERSION).memory_columns)


def reserve_address(allocation: Allocation, memory: TensorMemory) -> Allocation:
    """Reserve shared memory for the address that tcgen05.alloc writes at the start of a kernel."""
    if not memory.columns:
        return allocation
    return replace(allocation, size=max(allocation.size, _ADDRESS_BYTES))


def cta_group(memory: TensorMemory) -> str:
    """Get the cta_group of tcgen05 instructions: one CTA, or a pair."""
    return "cta_group::2" if memory.two_ctas else "cta_group::1"


def allocate_columns(
    hardware: Hardware, writer: Writer, threads: ThreadIndices, memory: TensorMemory
) -> str:
    """Write the allocation of a kernel's columns; return the address of the first, an i32."""
    if not memory.columns:
        return "0"
    first, group = threads.is_in_first_warps(1) or "true", cta_group(memory)
    ptx(
        writer,
        f"@$0 tcgen05.alloc.{group}.sync.aligned.shared::cta.b32 [$1], {memory.columns};",
        ("b", "i1", first),
        ("r", SHARED, "@shared"),
    )
    hardware.synchronization.barrier(writer)
    base = writer.value(f"load i32, {SHARED} @shared, align 4")
    hardware.synchronization.barrier(writer)
    ptx(writer, f"@$0 tcgen05.relinquish_alloc_permit.{group}.sync.aligned;", ("b", "i1", first))
    return base


def free_columns(
    hardware: Hardware, writer: Writer, threads: ThreadIndices, memory: TensorMemory, base: str
) -> None:
    """Write the deallocation of a kernel's columns."""
    if not memory.columns:
        return
    if memory.two_ctas:
        hardware.synchronization.cluster_barrier(writer)
    else:
        hardware.synchronization.barrier(writer)
    ptx(
        writer,
        f"@$0 tcgen05.dealloc.{cta_group(memory)}.sync.aligned.b32 $1, {memory.columns};",
        ("b", "i1", threads.is_in_first_warps(1) or "true"),
        ("r", "i32", base),
    )
