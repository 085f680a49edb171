"""Put barriers between the clusters of warp-pipelined loops (convert-warp-pipeline).

Before:  scf.for … {                                 After:  ttg.barrier local
           scf.execute_region no_inline {                    amdg.cond_barrier %is_high
             %a = ttg.local_load %m                          scf.for … {
           } {triton.warp_pipeline.stage = "load"}             %a = ttg.local_load %m
           scf.execute_region no_inline {                      rocdl.sched.barrier 0
             tt.dot %a, …                                      rocdl.s.barrier
           } {triton.warp_pipeline.stage = "dot"}              rocdl.sched.barrier 0
         } {triton.warp_pipeline.pipelined_for}                tt.dot %a, …
                                                               rocdl.sched.barrier 0 …
                                                             }
                                                             amdg.cond_barrier %is_low

Half of the warps start one cluster late, so that the two warps of a SIMD run different clusters.
Where a cluster needs what another one wrote to shared memory, or overwrites what it uses, a barrier
between them orders shared memory (`ttg.barrier local`). Barriers and waits that the author wrote
between clusters stay. A loop with other operations between its clusters is not pipelined: its
clusters are only inlined.

Needs the regions that tritonamdgpu-warp-pipeline makes. Keeps values.
Source: Triton, ConvertWarpPipeline.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct, field

from weft.analysis.buffer_aliases import buffer_aliases
from weft.ir import amdg, attributes, rocdl, scf, tt, ttg
from weft.ir.builtin import ModuleOp, Operation, StringAttr
from weft.ir.folds import FOLDS
from weft.ir.rewriting import erase, replace
from weft.passes.amd.block_pingpong.asymmetric_sync import delay_half_of_the_warps
from weft.passes.amd.block_pingpong.instructions import Instructions, insert_before
from weft.passes.amd.convert_warp_pipeline.cluster_accesses import ClusterAccesses
from weft.passes.amd.warp_pipeline import PIPELINED, PRIORITY, STAGE
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.targets import target

__all__ = ["ConvertWarpPipeline", "pipelined_loops"]

_SIMDS = 4  # of a compute unit: the two halves of the warps are one on each
_SYNCHRONIZATION = (
    rocdl.BarrierOp,
    ttg.BarrierOp,
    ttg.AsyncWaitOp,
    amdg.AsyncTDMWaitOp,
    amdg.AsyncTDMIntrinsicWaitOp,
)


class ConvertWarpPipeline(Struct, frozen=True):
    """Synchronizes and inlines clusters.

    Attributes:
        arch: The chip, such as "gfx950"; "" for that of the module.
    """

    arch: str = ""

    name: ClassVar[str] = "convert-warp-pipeline"

    def run(self, module: ModuleOp) -> None:
        """Rewrite loops in place.

        Raises:
            UnknownTargetError: The chip is unknown.
        """
        loops = pipelined_loops(module)
        if not loops:
            return
        threads = _SIMDS * target(self._target_name(module)).threads_per_warp
        for loop in loops:
            del loop.attributes[PIPELINED]
            body = _PipelinedBody.of(loop)
            if body is not None:
                delay_half_of_the_warps(loop, threads)
                body.synchronize()
        for op in list(module.walk()):
            if isinstance(op, scf.ExecuteRegionOp) and STAGE in op.attributes:
                _inline(op)
        apply_greedily(module, RewriteRules(FOLDS, merge_blocks=True))

    def _target_name(self, module: ModuleOp) -> str:
        name = module.attributes.get("ttg.target")
        if self.arch or not isinstance(name, StringAttr):
            return f"hip:{self.arch}"
        return name.data


def pipelined_loops(module: ModuleOp) -> list[scf.ForOp]:
    """List the loops that this pass rewrites."""
    return [loop for loop in loops_inner_first(module) if PIPELINED in loop.attributes]


class _PipelinedBody(Struct):
    """The clusters of a loop.

    Attributes:
        loop: The loop.
        clusters: The clusters, in order.
        synchronization: The barrier or wait of the author before a cluster, by its index.
    """

    loop: scf.ForOp
    clusters: list[scf.ExecuteRegionOp] = field(default_factory=list)
    synchronization: dict[int, Operation] = field(default_factory=dict)

    @classmethod
    def of(cls, loop: scf.ForOp) -> _PipelinedBody | None:
        """Read the body of a loop; None if it has other operations, or two waits in a row."""
        body = cls(loop)
        for op in loop.block.ops:
            index = len(body.clusters)
            if isinstance(op, scf.ExecuteRegionOp) and STAGE in op.attributes:
                body.clusters.append(op)
            elif op is loop.terminator:
                break
            elif op.name != "gpu.barrier" and not isinstance(op, _SYNCHRONIZATION):
                return None
            elif index in body.synchronization:
                return None
            else:
                body.synchronization[index] = op
        count = len(body.clusters)
        if count in body.synchronization:  # at the end of the loop: before the first cluster
            if 0 in body.synchronization:
                return None
            body.synchronization[0] = body.synchronization.pop(count)
        return body if count else None

    def synchronize(self) -> None:
        """Insert barriers and priorities between the clusters."""
        create = Instructions(self.loop.location)
        ordered = self._find_local_barriers()
        has_priorities = any(PRIORITY in cluster.attributes for cluster in self.clusters)
        for index, cluster in enumerate(self.clusters):

            def priority(cluster: scf.ExecuteRegionOp = cluster) -> list[Operation]:
                number = attributes.number(cluster.attributes.get(PRIORITY))
                return [create.priority(int(number or 0))] if has_priorities else []

            wait = self.synchronization.get(index)
            if wait is not None:
                insert_before(wait, *priority(), create.scheduling_barrier())
                assert wait.next_op is not None
                insert_before(wait.next_op, create.scheduling_barrier())
                continue
            position: Operation = cluster
            if index == 0:
                # The barrier before the first cluster ends the previous iteration.
                insert_before(self.loop, *priority())
                position = self.loop.terminator
            barrier = create.barrier() if ordered[index] else create.plain_barrier()
            insert_before(
                position,
                *priority(),
                create.scheduling_barrier(),
                barrier,
                create.scheduling_barrier(),
            )
        if has_priorities and self.loop.next_op is not None:
            insert_before(self.loop.next_op, create.priority(0))

    def _find_local_barriers(self) -> list[bool]:
        """Decide before which clusters a barrier must order shared memory.

        Warps are one cluster apart. While a late warp runs cluster i, an early one runs i + 1, so a
        barrier before i + 1 orders i and i + 2.
        """
        function: Operation | None = self.loop
        while function is not None and not isinstance(function, tt.FuncOp):
            function = function.parent_op()
        assert function is not None
        aliases = buffer_aliases(function)
        accesses = [ClusterAccesses.of(cluster, aliases) for cluster in self.clusters]
        count = len(accesses)
        has_barrier = [False] * count
        for distance in range(count):
            for source in range(count):
                place = (source + 1 + distance) % count
                if _is_ordered(has_barrier, source, place):
                    continue
                if accesses[source].must_precede(accesses[(source + 2 + distance) % count]):
                    has_barrier[place] = True
        return has_barrier


def _is_ordered(has_barrier: list[bool], source: int, place: int) -> bool:
    """Check whether there is a barrier after a cluster, up to the one before `place`."""
    count = len(has_barrier)
    index = (source + 1) % count
    while index != source:
        if has_barrier[index]:
            return True
        if index == place:
            return False
        index = (index + 1) % count
    return False


def _inline(cluster: scf.ExecuteRegionOp) -> None:
    """Move the operations of a cluster to its place."""
    block, body = cluster.parent, cluster.regions[0].block
    terminator = body.last_op
    assert block is not None
    assert terminator is not None
    for op in list(body.ops):
        if op is not terminator:
            op.detach()
            block.insert_op_before(op, cluster)
    values = list(terminator.operands)
    erase(terminator)
    replace(cluster, values)
