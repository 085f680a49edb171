"""The schedule of a software-pipelined loop: a stage and a cluster for each operation.

The stage is the number of iterations that an operation runs later than stage 0. The cluster is its
place within an iteration of the pipelined loop. Operations of one cluster keep their order:

    %a = tt.load                 stage 0, cluster 1       kernel of iteration i:
    %d = tt.dot %a, …            stage 2, cluster 0         tt.dot of iteration i - 2
    %p = tt.addptr               stage 1, cluster 1         tt.load of iteration i
                                                            tt.addptr of iteration i - 1

Between passes, the schedule is in attributes: `loop.stage` and `loop.cluster` of each operation
(clusters by index), and `tt.scheduled_max_stage` of the loop.

Source: Triton, include/triton/Dialect/TritonGPU/Transforms/Schedule.h (CoarseSchedule).
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import attributes, scf, types
from weft.ir.builtin import Block, BlockArgument, Operation, SSAValue
from weft.ir.dominance import is_before_in_block
from weft.ir.rewriting import defining_op
from weft.passes.pipelining.loop_queries import nested_operands
from weft.passes.pipelining.schedule.cluster_list import Cluster, ClusterList

__all__ = [
    "CLUSTER",
    "MAX_STAGE",
    "STAGE",
    "LoopSchedule",
    "remove_schedules",
    "set_stage_and_cluster",
    "stage_and_cluster",
]

STAGE, CLUSTER, MAX_STAGE = "loop.stage", "loop.cluster", "tt.scheduled_max_stage"

Position = tuple[int, Cluster]
"""The stage and cluster of an operation."""


class LoopSchedule:
    """Stages and clusters of the operations of a loop's body.

    Attributes:
        num_stages: The number of stages; at least one more than the last stage in use.
        clusters: The clusters, in order. Some may be empty.
    """

    __slots__ = ("_positions", "clusters", "num_stages")

    def __init__(self, num_stages: int = 0) -> None:
        self.num_stages = num_stages
        self.clusters = ClusterList()
        self._positions: dict[Operation, Position] = {}

    # ------------------------------------------------------------------------------- queries
    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self._positions)

    def __contains__(self, op: object) -> bool:
        return op in self._positions

    def __getitem__(self, op: Operation) -> Position:
        return self._positions[op]

    def get(self, op: Operation) -> Position | None:
        """Look up the stage and cluster of an operation, None if it has none."""
        return self._positions.get(op)

    def stage(self, op: Operation) -> int:
        """Look up the stage of an operation."""
        return self._positions[op][0]

    def cluster(self, op: Operation) -> Cluster:
        """Look up the cluster of an operation."""
        return self._positions[op][1]

    def is_before(self, a: Operation, b: Operation) -> bool:
        """Check whether `a` runs before `b` of the same iteration of the original loop."""
        (stage_a, cluster_a), (stage_b, cluster_b) = self._positions[a], self._positions[b]
        if stage_a != stage_b:
            return stage_a < stage_b
        if cluster_a is not cluster_b:
            return cluster_a.index < cluster_b.index
        return a is not b and is_before_in_block(a, b)

    def ops_in_order(self, loop: scf.ForOp) -> list[Operation]:
        """List the scheduled operations of a loop by cluster, then in program order."""
        by_cluster: list[list[Operation]] = [[] for _ in self.clusters]
        for op in loop.block.ops:
            position = self._positions.get(op)
            if position is not None:
                by_cluster[position[1].index].append(op)
        return [op for ops in by_cluster for op in ops]

    def following(self, loop: scf.ForOp, op: Operation) -> Iterator[Operation]:
        """Iterate over what runs after an operation, in the pipelined iterations from its own on.

        Each pipelined iteration runs the clusters in order. In the n-th iteration after that of
        `op`, only stages up to n more than that of `op` belong to iterations of the original loop
        that started no later than the one of `op`. The iteration ends with the last stage. With
        the operations A of stage 0, B of stage 1 and C of stage 0 in this order, A is followed by

            C, then in the next pipelined iteration A, B, C
        """
        order = self.ops_in_order(loop)
        limit = self.stage(op)
        position = order.index(op) + 1
        while True:
            for other in order[position:]:
                if other is op and limit >= self.num_stages:
                    return
                if self.stage(other) <= limit:
                    yield other
            position = 0
            limit += 1

    # ------------------------------------------------------------------------------- changes
    def insert(self, op: Operation, stage: int, cluster: Cluster) -> None:
        """Schedule an operation, or change its stage and cluster."""
        self.num_stages = max(self.num_stages, stage + 1)
        self._positions[op] = (stage, cluster)

    def insert_if_absent(self, op: Operation, stage: int, cluster: Cluster) -> bool:
        """Schedule an operation that has no stage yet; return whether it had none."""
        if op in self._positions:
            return False
        self.insert(op, stage, cluster)
        return True

    def insert_minimum(self, op: Operation, stage: int, cluster: Cluster) -> bool:
        """Schedule an operation no later than given; return whether its position changed."""
        current = self._positions.get(op)
        if current is not None and (stage, cluster.index) >= (current[0], current[1].index):
            return False
        self._positions[op] = (stage, cluster)
        return True

    def insert_dependencies(
        self,
        op: Operation,
        stage: int,
        cluster: Cluster,
        *,
        follow_iter_args: bool,
        earlier_wins: bool,
    ) -> None:
        """Schedule the operations of the same block that an operation depends on.

        Args:
            op: The operation.
            stage: The stage of the dependencies.
            cluster: Their cluster.
            follow_iter_args: Whether an operation depends on what computes an iter_arg in the
                previous iteration.
            earlier_wins: Whether a scheduled dependency moves if its position is later. Otherwise
                scheduled dependencies stay.
        """
        insert = self.insert_minimum if earlier_wins else self.insert_if_absent
        worklist = [iter(_producers(op, follow_iter_args))]
        # Depth first: the dependencies of a producer come before its siblings.
        while worklist:
            producer = next(worklist[-1], None)
            if producer is None:
                worklist.pop()
            elif insert(producer, stage, cluster):
                worklist.append(iter(_producers(producer, follow_iter_args)))

    def erase(self, op: Operation) -> None:
        """Remove an operation from the schedule."""
        self._positions.pop(op, None)

    def shrink_to_fit(self) -> None:
        """Renumber the stages so that the first one in use is 0, and drop stages after the last."""
        stages = [stage for stage, _ in self._positions.values()]
        first, last = min(stages), max(stages)
        for op, (stage, cluster) in self._positions.items():
            self._positions[op] = (stage - first, cluster)
        self.num_stages = last - first + 1

    def split_cluster_before(self, op: Operation, loop: scf.ForOp) -> Cluster:
        """Move the operations of an operation's cluster that precede it to a new cluster.

        Returns:
            The cluster of `op`, directly after the new one. Without preceding operations, no
            cluster is created.
        """
        cluster = self.cluster(op)
        new_cluster: Cluster | None = None
        for other in loop.block.ops:
            if other is op:
                break
            position = self._positions.get(other)
            if position is not None and position[1] is cluster:
                if new_cluster is None:
                    new_cluster = self.clusters.insert_before(cluster)
                self._positions[other] = (position[0], new_cluster)
        return cluster

    # ---------------------------------------------------------------------------- attributes
    def write(self, loop: scf.ForOp) -> None:
        """Write the schedule to attributes of the loop and its operations."""
        for op in self.ops_in_order(loop):
            stage, cluster = self._positions[op]
            set_stage_and_cluster(op, stage, cluster.index)
        max_stage = max(self.num_stages - 1, _max_stage(loop) or 0)
        loop.attributes[MAX_STAGE] = attributes.integer(max_stage, types.i32)

    @staticmethod
    def read(loop: scf.ForOp, *, normalize_clusters: bool = True) -> LoopSchedule | None:
        """Read the schedule from attributes.

        Args:
            loop: The loop.
            normalize_clusters: Whether the first cluster is the first one in use. Otherwise it is
                the one with index 0.

        Returns:
            The schedule, None if the loop has none.
        """
        max_stage = _max_stage(loop)
        if max_stage is None:
            return None
        schedule = LoopSchedule(max_stage + 1)
        positions = {
            op: position for op in loop.block.ops if (position := stage_and_cluster(op)) is not None
        }
        indices = [index for _, index in positions.values()]
        first = min(indices, default=0) if normalize_clusters else 0
        clusters = {
            index: schedule.clusters.append()
            for index in range(first, max(indices, default=first - 1) + 1)
        }
        for op, (stage, index) in positions.items():
            schedule.insert(op, stage, clusters[index])
        return schedule


def remove_schedules(root: Operation) -> None:
    """Remove the attributes of schedules from an operation and everything inside."""
    for op in root.walk():
        for name in (STAGE, CLUSTER, MAX_STAGE):
            op.attributes.pop(name, None)


def _max_stage(loop: scf.ForOp) -> int | None:
    number = attributes.number(loop.attributes.get(MAX_STAGE))
    return number if isinstance(number, int) else None


def stage_and_cluster(op: Operation) -> tuple[int, int] | None:
    """Read the stage and the index of the cluster of an operation, None if it is not scheduled."""
    stage = attributes.number(op.attributes.get(STAGE))
    index = attributes.number(op.attributes.get(CLUSTER))
    if isinstance(stage, int) and isinstance(index, int):
        return stage, index
    return None


def set_stage_and_cluster(op: Operation, stage: int, cluster: int) -> None:
    """Write the stage and the index of the cluster of an operation."""
    op.attributes[STAGE] = attributes.integer(stage, types.i32)
    op.attributes[CLUSTER] = attributes.integer(cluster, types.i32)


def _producers(op: Operation, follow_iter_args: bool) -> Iterator[Operation]:
    """Yield the operations of an operation's block that define its operands, nested ones too."""
    block = op.parent
    for operand in nested_operands(op):
        value = _yielded_value(operand, block) if follow_iter_args else operand
        producer = None if value is None else defining_op(value)
        if producer is not None and producer.parent is block:
            yield producer


def _yielded_value(value: SSAValue, block: Block | None) -> SSAValue | None:
    """Follow an iter_arg of a loop to the value that the previous iteration yields for it.

    Returns:
        The value, if necessary through several iter_args. None if only iter_args yield it.
    """
    visited: set[SSAValue] = set()
    while isinstance(value, BlockArgument) and value.block is block and value.index > 0:
        if value in visited:
            return None
        visited.add(value)
        terminator = value.block.last_op
        assert terminator is not None
        value = terminator.operands[value.index - 1]
    return value
