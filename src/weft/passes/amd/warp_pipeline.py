"""Split loops into clusters for warp pipelining (tritonamdgpu-warp-pipeline).

Before:  scf.for … {                              After:  scf.for … {
           %a = ttg.local_load %m                           %a = scf.execute_region no_inline {
           rocdl.sched.barrier 0                              %0 = ttg.local_load %m
             {triton.warp_pipeline.border = "load"}           scf.yield %0
           %d = tt.dot %a, …                                } {triton.warp_pipeline.stage = "load"}
           scf.yield %d                                     %d = scf.execute_region no_inline {
         }                                                    …
                                                            } {…stage = "last_cluster"}
                                                            scf.yield %d
                                                          } {triton.warp_pipeline.pipelined_for}

Two warps of a SIMD run different clusters at the same time. A border has the name of the cluster
that it ends, and perhaps its priority (`triton.warp_pipeline.priority`). A cluster without
operations becomes a bubble, a scheduling barrier alone. Waits and barriers stay between clusters. A
loop with one of them inside of a cluster, or with fewer than two clusters, is not pipelined.

Keeps values. `convert-warp-pipeline` inlines the clusters again, with barriers between them.
Source: Triton, WarpPipeliner.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import amdg, attributes, rocdl, scf, ttg, types
from weft.ir.builtin import Attribute, Block, ModuleOp, Operation, Region, StringAttr, UnitAttr
from weft.ir.rewriting import erase
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = ["PIPELINED", "PRIORITY", "STAGE", "WarpPipeline"]

STAGE = "triton.warp_pipeline.stage"
"""The attribute with the name of a cluster."""

PRIORITY = "triton.warp_pipeline.priority"
"""The attribute with the priority of the warps that run a cluster."""

PIPELINED = "triton.warp_pipeline.pipelined_for"
"""The attribute of a loop that consists of clusters."""

_BORDER = "triton.warp_pipeline.border"
_EMPTY = "triton.warp_pipeline.empty_cluster"
# These stay between clusters.
_SYNCHRONIZATION = (ttg.AsyncWaitOp, ttg.BarrierOp, amdg.AsyncTDMWaitOp)


class WarpPipeline(Struct, frozen=True):
    """Outlines the clusters of loops with borders."""

    name: ClassVar[str] = "tritonamdgpu-warp-pipeline"

    def run(self, module: ModuleOp) -> None:
        """Outline clusters in place."""
        for loop in loops_inner_first(module):
            clusters = _find_clusters(loop)
            for cluster in clusters:
                _outline(cluster)
            if clusters:
                loop.attributes[PIPELINED] = UnitAttr()


class _Cluster(Struct, frozen=True):
    """A cluster.

    Attributes:
        name: Its name.
        ops: Its operations, in order.
        priority: The priority of the warps that run it, None for the default.
    """

    name: StringAttr
    ops: tuple[Operation, ...]
    priority: Attribute | None = None


def _find_clusters(loop: scf.ForOp) -> list[_Cluster]:
    """List the clusters of a loop and erase the borders between them.

    Returns:
        The clusters, none if the loop is not pipelined. As in Triton, borders are erased up to
        the operation that prevents pipelining.
    """
    clusters: list[_Cluster] = []
    ops: list[Operation] = []
    for op in list(loop.block.ops):
        if op is loop.terminator:
            break
        border = op.attributes.get(_BORDER)
        if isinstance(border, StringAttr):
            clusters.append(_Cluster(border, tuple(ops or [_bubble(op)]), _priority(op)))
            ops = []
            erase(op)
        elif not isinstance(op, _SYNCHRONIZATION) and op.name != "gpu.barrier":
            ops.append(op)
        elif ops:
            return []
    if ops:
        clusters.append(_Cluster(attributes.string("last_cluster"), tuple(ops)))
    return clusters if len(clusters) > 1 else []


def _priority(border: Operation) -> Attribute | None:
    """Read the priority of the cluster before a border; a negative one is the default."""
    priority = border.attributes.get(PRIORITY)
    number = attributes.number(priority)
    return priority if isinstance(number, int) and number >= 0 else None


def _bubble(border: Operation) -> Operation:
    """Create the operation of an empty cluster."""
    op = rocdl.SchedBarrierOp.create(
        properties={"mask": attributes.integer(0, types.i32)},
        attributes={_EMPTY: UnitAttr()},
        location=border.location,
    )
    block = border.parent
    assert block is not None
    block.insert_op_before(op, border)
    return op


def _outline(cluster: _Cluster) -> None:
    """Move the operations of a cluster into a region that yields what others use."""
    ops = cluster.ops
    first = ops[0]
    block = first.parent
    assert block is not None
    # A use nested in an operation of the cluster counts as outside, as in Triton.
    members = set(ops)
    results = [
        result
        for op in ops
        for result in op.results
        if any(use.operation not in members for use in result.uses)
    ]
    attributes_of_cluster: dict[str, Attribute] = {STAGE: cluster.name}
    if cluster.priority is not None:
        attributes_of_cluster[PRIORITY] = cluster.priority
    body = Block()
    region = scf.ExecuteRegionOp.create(
        result_types=[result.type for result in results],
        properties={"no_inline": UnitAttr()},
        attributes=attributes_of_cluster,
        regions=[Region([body])],
        location=first.location,
    )
    block.insert_op_before(region, first)
    for op in ops:
        op.detach()
        body.add_op(op)
    for result, outer in zip(results, region.results, strict=True):
        result.replace_uses_with_if(
            outer, lambda use: ancestor_in_block(use.operation, body) is None
        )
    body.add_op(scf.YieldOp.create(operands=results, location=first.location))
