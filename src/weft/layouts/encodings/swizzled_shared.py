"""`#ttg.swizzled_shared` and `#ttg.amd_rotating_shared`: rows of shared memory, swizzled by XOR.

Rows that are as wide as all banks put each column of a tile into one bank. A swizzle permutes the
columns of each row differently. Vectors of `vec` elements stay together, and row r stores column c
at place c ^ vec * (r / perPhase % maxPhase). 4 rows of 8 columns with vec = 2, perPhase = 1 and
maxPhase = 4; each number is the column that is stored there:

    row 0   0 1 2 3 4 5 6 7        row 2   4 5 6 7 0 1 2 3
    row 1   2 3 0 1 6 7 4 5        row 3   6 7 4 5 2 3 0 1

Column 0 now lies at four different places. The rotating variant also changes the phase after each
maxPhase phases, so that rows further apart differ too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import (
    Encoding,
    Shape,
    Vectors,
    encoding,
    integer,
    integers,
    vectors,
)
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import TileBuilder

__all__ = ["AmdRotatingSharedEncoding", "SwizzledSharedEncoding"]


class _Swizzled(Encoding):
    """What both encodings share; they differ in the phase of a row.

    Attributes:
        vec: elements that stay together.
        per_phase: neighbouring rows with the same phase.
        max_phase: the number of phases.
        order: the dimensions, fastest first.
        cga_layout: basis vectors over the CTAs of a cluster.
    """

    __slots__ = ()
    alias: ClassVar[str | None] = "shared"
    family: ClassVar[str] = "shared"
    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]
    cga_layout: Vectors

    def _check(self) -> None:
        for key, value in (
            ("vec", self.vec),
            ("perPhase", self.per_phase),
            ("maxPhase", self.max_phase),
        ):
            checks.power_of_two(self, key, value)
        checks.same_length(self, {"order": self.order})
        checks.permutation(self, "order", self.order)
        checks.cga(self, self.cga_layout, self.rank)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.order)

    def _phase(self, row: int) -> int:
        """Return the phase of a row."""
        raise NotImplementedError(type(self).__name__)

    def _swizzled_shape(self, tile: TileBuilder, shape: Shape) -> Sequence[int]:
        """Return the shape within which rows are swizzled."""
        raise NotImplementedError(type(self).__name__)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        tile = TileBuilder(shape, self.cga_layout)
        if len(shape) == 1:
            tile.add("offset", tile.shape_per_cta[0], 0)
            return tile.build()
        sizes = self._swizzled_shape(tile, shape)
        column, row = self.order[:2]
        bases: list[list[int]] = []
        for bit in range(sizes[column].bit_length() - 1):
            basis = [0] * len(shape)
            basis[column] = 1 << bit
            bases.append(basis)
        for bit in range(sizes[row].bit_length() - 1):
            # The first element of row 2^bit is the column whose place is 0: its phase.
            basis = [0] * len(shape)
            basis[row] = 1 << bit
            basis[column] = self.vec * self._phase(1 << bit) % sizes[column]
            bases.append(basis)
        tile.add_vectors({"offset": bases}, {column: sizes[column], row: sizes[row]})
        tile.add_grid("offset", sizes, self.order[2:])
        return tile.build()


@encoding
class SwizzledSharedEncoding(_Swizzled):
    """Rows whose columns are permuted: column ^= vec * (row / perPhase % maxPhase).

    Attributes:
        vec: elements that stay together.
        per_phase: neighbouring rows with the same phase.
        max_phase: the number of phases; 1 means no swizzle.
        order: the dimensions, fastest first.
        cga_layout: basis vectors over the CTAs of a cluster.
    """

    mnemonic: ClassVar[str] = "swizzled_shared"

    vec: int = integer("vec")
    per_phase: int = integer("perPhase")
    max_phase: int = integer("maxPhase")
    order: tuple[int, ...] = integers("order")
    cga_layout: Vectors = vectors("CGALayout", default=())

    def _phase(self, row: int) -> int:
        return row // self.per_phase % self.max_phase

    def _swizzled_shape(self, tile: TileBuilder, shape: Shape) -> Sequence[int]:
        return tile.shape_per_cta


@encoding
class AmdRotatingSharedEncoding(_Swizzled):
    """The swizzle of SwizzledSharedEncoding with a phase that also rotates.

    Attributes:
        vec: elements that stay together.
        per_phase: neighbouring rows with the same phase.
        max_phase: the number of phases.
        order: the dimensions, fastest first.
        cga_layout: basis vectors over the CTAs of a cluster.
    """

    mnemonic: ClassVar[str] = "amd_rotating_shared"

    vec: int = integer("vec")
    per_phase: int = integer("perPhase")
    max_phase: int = integer("maxPhase")
    order: tuple[int, ...] = integers("order")
    cga_layout: Vectors = vectors("CGALayout", default=())

    def _phase(self, row: int) -> int:
        step = row // self.per_phase
        return step % self.max_phase ^ step // self.max_phase % self.max_phase

    def _swizzled_shape(self, tile: TileBuilder, shape: Shape) -> Sequence[int]:
        return shape  # as in Triton, of the whole tensor even if CTAs share it
