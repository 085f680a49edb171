"""Where a block of AMD's is: in its grid, and in its cluster.

    a kernel of blocks       program 5 is workgroup 5
    clusters of two blocks   program 5 is cluster 5: workgroups 10 and 11, numbers 0 and 1 in it

Blocks of a cluster wait for each other by a barrier of its own, that one warp of each signals.
Source: LLVM 22.1, llvm.amdgcn.cluster.id and s.barrier.signal; Triton 3.7.1, its LLVM IR.
"""

from __future__ import annotations

from weft.codegen.writer import Writer
from weft.targets import Target

__all__ = ["cluster_rank", "count_programs", "program_number", "signal_cluster", "wait_for_cluster"]

_AXES = "xyz"
_REGISTER = 32  # bits
_CLUSTER = -3  # the barrier of a cluster


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


def count_programs(writer: Writer, axis: int, blocks: int) -> str:
    """Return how many programs there are along an axis, an i32.

    The dispatch packet has the grid's size in threads, and the block's, a power of two.
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
    bits = writer.call("i32", "llvm.cttz.i32", ("i32", each), ("i1", "true"))
    return writer.value(f"lshr i32 {threads}, {bits}")


def cluster_rank(writer: Writer) -> str:
    """Return the block's number in its cluster, an i32."""
    return writer.call("i32", "llvm.amdgcn.cluster.workgroup.id.x")


def signal_cluster(writer: Writer, first_warp: str) -> None:
    """Tell the cluster that this block has come here.

    Args: first_warp: an i1, whether this is the block's first warp; "" where there is no other.
    """
    inside, after = writer.label("signal"), writer.label("signalled")
    if first_warp:
        writer.branch(first_warp, inside, after)
        writer.start(inside)
    writer.call("void", "llvm.amdgcn.s.barrier.signal", ("i32", str(_CLUSTER)))
    if first_warp:
        writer.jump(after)
        writer.start(after)


def wait_for_cluster(writer: Writer) -> None:
    """Wait until all blocks of the cluster have come."""
    writer.call("void", "llvm.amdgcn.s.barrier.wait", ("i16", str(_CLUSTER)))
