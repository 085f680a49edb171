"""Assign the operations of warp-specialized loops to partitions (tritongpu-partition-scheduling).

Before:  scf.for … {
           %a = tt.descriptor_load %d[…]
           %x = ttg.local_alloc %a
           ttng.tc_gen5_mma %x, %y, %acc[…], …
         } {tt.warp_specialize}
After:   scf.for … {
           %a = tt.descriptor_load %d[…] {ttg.partition = array<i32: 2>}
           %x = ttg.local_alloc %a {ttg.partition = array<i32: 2>}
           ttng.tc_gen5_mma %x, %y, %acc[…], … {ttg.partition = array<i32: 1>}
         } {tt.warp_specialize, ttg.partition = array<i32: 1, 2>,
            ttg.partition.stages = [0 : i32, 1 : i32, 0 : i32], ttg.warp_specialize.tag = 0 : i32}

1. Build a graph of the loop's values, and find the data: tiles, and tokens of MMAs (`build_graph`).
2. Put every node of data in its own partition, and merge partitions by rules (`merging`).
3. Give indices, flags and control flow the partitions of all that need them (`propagation`).
4. Write the partitions as attributes (`serialization`).
5. Clone operations on data that several partitions run (`data_clones`).

Needs layouts, and descriptors with encodings. Source: Triton, PartitionScheduling.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf
from weft.ir.builtin import ModuleOp
from weft.passes.loops.partition_scheduling.build_graph import (
    build_graph,
    duplicate_views,
    mark_data,
)
from weft.passes.loops.partition_scheduling.data_clones import clone_shared_data_ops
from weft.passes.loops.partition_scheduling.merging import merge_partitions
from weft.passes.loops.partition_scheduling.propagation import (
    assign_default_partition,
    duplicate_cheap_ops,
    propagate_partitions,
)
from weft.passes.loops.partition_scheduling.serialization import (
    number_partitions,
    read_manual_partitions,
    write_partitions,
)
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.partitions.attributes import warp_specialized_loops

__all__ = ["PartitionScheduling"]


class PartitionScheduling(Struct, frozen=True):
    """Divides the operations of warp-specialized loops among groups of warps."""

    name: ClassVar[str] = "tritongpu-partition-scheduling"

    def run(self, module: ModuleOp) -> None:
        """Write the partitions of all loops that ask for warp specialization."""
        for tag, loop in enumerate(warp_specialized_loops(loops_inner_first(module))):
            _assign_partitions(tag, loop)
            clone_shared_data_ops(loop)


def _assign_partitions(tag: int, loop: scf.ForOp) -> None:
    graph = build_graph(loop)
    mark_data(graph)
    duplicate_views(graph)
    read_manual_partitions(graph)
    for node in graph.root.walk():
        if node.is_data and not node.partitions:
            node.set_partition(graph.add_partition())
    merge_partitions(graph)
    propagate_partitions(graph)
    # The default partition is that of number 0, so the others need their numbers first.
    number_partitions(graph)
    assign_default_partition(graph)
    # Again, for the operands of the nodes that are in the default partition now.
    propagate_partitions(graph)
    duplicate_cheap_ops(graph)
    write_partitions(tag, loop, graph)
