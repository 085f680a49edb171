"""`#ttg.partitioned_shared`: a tile whose pieces lie in different partitions of shared memory.

The shared memory of some chips has partitions that serve accesses independently. The tile is cut
along one dimension into numPartitions * numGroups pieces, which go around the partitions; each has
the layout of `partitionLayout`. 64 rows with 2 partitions and 2 groups:

    rows  0 to 15     partition 0, group 0         rows 32 to 47     partition 0, group 1
    rows 16 to 31     partition 1, group 0         rows 48 to 63     partition 1, group 1

The pieces of one partition are one buffer; each buffer has an offset. Triton 3.7.1 does not know
the encoding; Triton's main branch has it since.
"""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import Encoding, Shape, encoding, integer, nested
from weft.layouts.linear_layout import LinearLayout

__all__ = ["PartitionedSharedEncoding"]


@encoding
class PartitionedSharedEncoding(Encoding):
    """Pieces of a tile in several partitions.

    Attributes:
        num_partitions: the number of partitions.
        num_groups: the pieces in each partition.
        partition_dim: the dimension along which the tile is cut.
        partition_layout: the encoding of a piece.
    """

    mnemonic: ClassVar[str] = "partitioned_shared"
    alias: ClassVar[str | None] = "shared"
    family: ClassVar[str] = "shared"

    num_partitions: int = integer("numPartitions")
    num_groups: int = integer("numGroups")
    partition_dim: int = integer("partitionDim")
    partition_layout: Encoding = nested("partitionLayout")

    def _check(self) -> None:
        for key, value in (
            ("numPartitions", self.num_partitions),
            ("numGroups", self.num_groups),
        ):
            if not checks.is_power_of_two(value):
                raise self.error(f"{key} must be a power of 2 and greater than 0", found=value)
        if self.partition_layout.family != "shared":
            raise self.error(
                "partitionLayout must be a SharedEncodingTrait",
                found=f"#ttg.{self.partition_layout.mnemonic}",
            )
        rank = self.partition_layout.rank
        if not 0 <= self.partition_dim < rank:
            raise self.error(
                f"partitionDim ({self.partition_dim}) must be less than the layout rank ({rank})"
            )

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.partition_layout.rank

    @property
    def num_pieces(self) -> int:
        """The number of pieces of the tile."""
        return self.num_partitions * self.num_groups

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        raise self.error("has no linear layout: each of its buffers has an offset")
