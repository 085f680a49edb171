"""An ordered list of clusters, into which clusters can be inserted anywhere.

Operations refer to a cluster object, so inserting a cluster leaves the assignment of operations
as it is. Only the indices change:

    a, b = clusters.append(), clusters.append()     a.index == 0, b.index == 1
    c = clusters.insert_before(b)                   a.index == 0, c.index == 1, b.index == 2
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

__all__ = ["Cluster", "ClusterList"]


class Cluster(Struct, eq=False):
    """A position in the order of a loop's kernel.

    Attributes:
        index: The position in its list. It changes when a cluster is inserted before this one.
    """

    index: int


class ClusterList:
    """The clusters of a schedule, in order."""

    __slots__ = ("_clusters",)

    def __init__(self) -> None:
        self._clusters: list[Cluster] = []

    def __len__(self) -> int:
        return len(self._clusters)

    def __iter__(self) -> Iterator[Cluster]:
        return iter(self._clusters)

    def __getitem__(self, index: int) -> Cluster:
        return self._clusters[index]

    def append(self) -> Cluster:
        """Create the last cluster."""
        return self._insert(len(self._clusters))

    def prepend(self) -> Cluster:
        """Create the first cluster."""
        return self._insert(0)

    def insert_before(self, cluster: Cluster) -> Cluster:
        """Create a cluster directly before another one."""
        return self._insert(cluster.index)

    def clear(self) -> None:
        """Remove all clusters; operations that refer to them need new ones."""
        self._clusters.clear()

    def _insert(self, index: int) -> Cluster:
        cluster = Cluster(index)
        self._clusters.insert(index, cluster)
        for position in range(index + 1, len(self._clusters)):
            self._clusters[position].index = position
        return cluster
