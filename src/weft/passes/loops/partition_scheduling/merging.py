"""Merge partitions until no rule applies.

Every node of data begins in a separate partition. The first rule that applies to any edge between
two partitions merges them, and the search starts again with the first rule; then rules for pairs of
partitions do the same. For one step of a matmul:

    %a = tt.descriptor_load          1  LOAD
    %x = ttg.local_alloc %a          2  NONE
    %b = tt.descriptor_load          3  LOAD
    %y = ttg.local_alloc %b          4  NONE
    %z = ttg.memdesc_trans %y        5  VIEW
    ttng.tc_gen5_mma %x, %z, %m      6  MMA
    the token of %m, an iter_arg     7  NONE

    load_local_alloc     1 + 2, then 3 + 4      TMA writes the buffers
    view_consumer        5 + 6                  the MMA reads the transposed view
    iter_arg_token       7 + 6                  the MMA waits for the previous one
    both_loads           (1, 2) + (3, 4)        a pair: no edge connects them

Two partitions are left: one loads, one issues MMAs.

Source: Triton, PartitionScheduling.cpp.
"""

from __future__ import annotations

from itertools import permutations

from weft.passes.loops.partition_scheduling.dataflow_graph import Edge, Graph, crossing_edges
from weft.passes.loops.partition_scheduling.merge_rules import EDGE_RULES, PAIR_RULES, may_merge

__all__ = ["merge_partitions"]


def merge_partitions(graph: Graph) -> None:
    """Merge the partitions of a graph by all rules."""
    edges = crossing_edges(graph.partitions)
    while _apply_rule(graph, edges):
        pass
    while _apply_pair_rule(graph):
        pass


def _apply_rule(graph: Graph, edges: list[Edge]) -> bool:
    """Merge the partitions of the first edge that the first possible rule applies to.

    Args:
        graph: The graph.
        edges: The edges between partitions; those inside of one are removed.

    Returns:
        Whether there was such an edge.
    """
    for rule in EDGE_RULES:
        index = 0
        while index < len(edges):
            edge = edges[index]
            if not edge.crosses_partitions:
                del edges[index]
            elif rule(edge) and may_merge(edge):
                source, target = edge.ends
                graph.merge(source.partition, target.partition)
                del edges[index]
                return True
            else:
                index += 1
    return False


def _apply_pair_rule(graph: Graph) -> bool:
    """Merge the first pair of partitions that a rule applies to; return whether there is one."""
    for rule in PAIR_RULES:
        for first, second in permutations(graph.partitions, 2):
            if rule(first, second):
                graph.merge(first, second)
                return True
    return False
