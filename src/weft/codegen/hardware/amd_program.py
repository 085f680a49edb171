"""Where a block of AMD's is: in its grid, and in its cluster.

    a kernel of blocks       program 5 is workgroup 5
    clusters of two blocks   program 5 is cluster 5: workgroups 10 and 11, numbers 0 and 1 in it

Blocks of a cluster wait for each other by a barrier of its own, that one warp of each signals.
Groups of a block's warps that run different code have a barrier each, with a name, which a warp
joins before it uses it.
Source: LLVM 22.1, llvm.amdgcn.cluster.id and s.barrier.signal; Triton 3.7.1, its LLVM IR; AMD's
CDNA5 ISA, barriers.
"""

from __future__ import annotations

from weft.codegen.llvm.writer import Writer
from weft.targets import Target

__all__ = [
    "cluster_rank",
    "count_programs",
    "meet_group",
    "program_number",
    "signal_cluster",
    "wait_for_cluster",
]

_AXES = "xyz"
_REGISTER = 32  # bits
_CLUSTER, _JOINED = -3, 1  # the barrier of a cluster, and the one that a warp has joined


def program_number(writer: Writer, target: Target, axis: int, blocks: int) -> str:
    """Return the program's number along an axis, an i32.

    LLVM takes a grid for flat whose numbers along z no kernel reads; where y and z share a
    register, those are masked here.
    Args: blocks: of a program.
    """
    name = "cluster" if blocks > 1 else "workgroup"
    number = writer.call("i32", f"llvm.amdgcn.{name}.id.{_AXES[axis]}")
    if _AXES[axis] != "y" or blocks > 1 or target.grid_y_bits == _REGISTER:
        return number
    return writer.value(f"and i32 {number}, {(1 << target.grid_y_bits) - 1}")


def count_programs(writer: Writer, axis: int, blocks: int, *, alone: bool) -> str:
    """Return how many programs there are along an axis, an i32.

    The dispatch packet has the grid's size in threads, and the block's.
    Args: blocks: of a program.  alone: whether a block has the kernel's warps and no others, so
          that its threads are a power of two.
    """
    packet = writer.call("ptr addrspace(4)", "llvm.amdgcn.dispatch.ptr")
    size = writer.value(f"getelementptr i8, ptr addrspace(4) {packet}, i32 {12 + 4 * axis}")
    threads = writer.value(f"load i32, ptr addrspace(4) {size}, align 4")
    if axis:
        return threads  # blocks are one thread deep along y and z, and so are clusters
    place = writer.value(f"getelementptr i8, ptr addrspace(4) {packet}, i32 4")
    block = writer.value(f"load i16, ptr addrspace(4) {place}, align 4")
    each = writer.value(f"zext i16 {block} to i32")
    if blocks > 1:
        each = writer.value(f"mul i32 {each}, {blocks}")
    if not alone:
        return writer.value(f"udiv i32 {threads}, {each}")
    bits = writer.call("i32", "llvm.cttz.i32", ("i32", each), ("i1", "true"))
    return writer.value(f"lshr i32 {threads}, {bits}")


def cluster_rank(writer: Writer) -> str:
    """Return the block's number in its cluster, an i32."""
    return writer.call("i32", "llvm.amdgcn.cluster.workgroup.id.x")


def meet_group(writer: Writer, number: int, warps: int) -> None:
    """Wait for every warp of a group of warps.

    Args: number: of its barrier.
    """
    if warps == 1:
        return
    name = f"@group.{number}"
    kept = f'{name} = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison'
    writer.globals[kept] = None
    there = "ptr addrspace(3)", name
    writer.call("void", "llvm.amdgcn.s.barrier.join", there)
    writer.call("void", "llvm.amdgcn.s.barrier.signal.var", there, ("i32", str(warps)))
    writer.call("void", "llvm.amdgcn.s.barrier.wait", ("i16", str(_JOINED)))


def signal_cluster(writer: Writer, first_warp: str) -> None:
    """Tell the cluster that this block has come here.

    Args: first_warp: an i1, whether this is the block's first warp; "" where there is no other.
    """
    with writer.where(first_warp, "signal"):
        writer.call("void", "llvm.amdgcn.s.barrier.signal", ("i32", str(_CLUSTER)))


def wait_for_cluster(writer: Writer) -> None:
    """Wait until all blocks of the cluster have come."""
    writer.call("void", "llvm.amdgcn.s.barrier.wait", ("i16", str(_CLUSTER)))
