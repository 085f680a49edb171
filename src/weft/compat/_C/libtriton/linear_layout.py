"""`triton._C.libtriton.linear_layout`: weft's linear layouts under Triton's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import weft
from weft.errors import UnsupportedError

__all__ = ["LinearLayout"]

Bases = Sequence[tuple[str, Sequence[Sequence[int]]]]


class LinearLayout:
    """A linear map over GF(2) from hardware indices to coordinates of a tensor.

    Attributes:
        layout: The same as an object of `weft.layouts`.
    """

    def __init__(self, layout: weft.layouts.LinearLayout) -> None:
        self.layout = layout

    @staticmethod
    def identity_1d(size: int, inDim: str, outDim: str) -> LinearLayout:
        """Create the identity on one dimension."""
        return LinearLayout(weft.layouts.LinearLayout.identity_1d(size, inDim, outDim))

    @staticmethod
    def strided_1d(size: int, stride: int, inDim: str, outDim: str) -> LinearLayout:
        """Create the map of an index to its product with a power of two."""
        return LinearLayout(weft.layouts.LinearLayout.strided_1d(size, stride, inDim, outDim))

    @staticmethod
    def zeros_1d(size: int, inDim: str, outDim: str, outDimSize: int = 1) -> LinearLayout:
        """Create the map of every index to 0."""
        return LinearLayout(weft.layouts.LinearLayout.zeros_1d(size, inDim, outDim, outDimSize))

    @staticmethod
    def from_bases(
        bases: Bases,
        out_dim_names: Sequence[str],
        out_dim_sizes: Sequence[int] | None = None,
        require_surjective: bool = True,
    ) -> LinearLayout:
        """Create a map from the image of each bit of each input dimension.

        Args:
            bases: Each input dimension with the coordinates that its bits map to.
            out_dim_names: The output dimensions, in the order of the coordinates.
            out_dim_sizes: Their sizes; None for the smallest ones.
            require_surjective: Whether all coordinates must be reached.

        Raises:
            LayoutError: The bases do not fit the dimensions, or the map is not surjective.
        """
        vectors = {name: [list(vector) for vector in images] for name, images in bases}
        outs: Sequence[str] | dict[str, int] = list(out_dim_names)
        if out_dim_sizes is not None:
            outs = dict(zip(out_dim_names, out_dim_sizes, strict=True))
        return LinearLayout(
            weft.layouts.LinearLayout.from_bases(vectors, outs, surjective=require_surjective)
        )

    @property
    def bases(self) -> list[tuple[str, list[list[int]]]]:
        """Each input dimension with the coordinates that its bits map to."""
        return list(self.layout.bases.items())

    @property
    def out_dims(self) -> list[tuple[str, int]]:
        """The output dimensions with their sizes."""
        return list(self.layout.out_dims.items())

    @property
    def num_in_dims(self) -> int:
        """The number of input dimensions."""
        return len(self.layout.in_dims)

    @property
    def num_out_dims(self) -> int:
        """The number of output dimensions."""
        return len(self.layout.out_dims)

    def get_in_dim_names(self) -> list[str]:
        """List the input dimensions."""
        return list(self.layout.in_dims)

    def get_out_dim_names(self) -> list[str]:
        """List the output dimensions."""
        return list(self.layout.out_dims)

    def is_surjective(self) -> bool:
        """Check whether all coordinates are reached."""
        return self.layout.is_surjective

    def is_injective(self) -> bool:
        """Check whether no two indices have the same coordinates."""
        return self.layout.is_injective

    def is_invertible(self) -> bool:
        """Check whether the map is a bijection."""
        return self.layout.is_invertible

    def compose(self, other: LinearLayout) -> LinearLayout:
        """Apply another map to the result of this one."""
        return LinearLayout(self.layout.compose(other.layout))

    def invert(self) -> LinearLayout:
        """Invert a bijection."""
        return LinearLayout(self.layout.invert())

    def pseudoinvert(self) -> LinearLayout:
        """Find indices for all coordinates of a surjective map."""
        return LinearLayout(self.layout.pseudoinvert())

    def invert_and_compose(self, other: LinearLayout) -> LinearLayout:
        """Map the indices of this map to indices of another one with the same coordinates."""
        return LinearLayout(self.layout.invert_and_compose(other.layout))

    def apply(self, inputs: Mapping[str, int]) -> dict[str, int]:
        """Compute the coordinates of an index."""
        return self.layout.apply(dict(inputs))

    def get_matrix_view(self) -> list[list[int]]:
        """List the rows of the matrix over GF(2)."""
        return self.layout.matrix().tolist()

    def get_shared_view(self, useHWPointOfView: bool) -> str:
        """Refuse.

        Raises:
            UnsupportedError: Always.
        """
        raise _no_drawing("get_shared_view")

    def get_distributed_view(self, useHWPointOfView: bool) -> str:
        """Refuse.

        Raises:
            UnsupportedError: Always.
        """
        raise _no_drawing("get_distributed_view")

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        return LinearLayout(self.layout * other.layout)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinearLayout) and self.layout == other.layout

    def __hash__(self) -> int:
        return hash(self.layout)

    def __repr__(self) -> str:
        return str(self.layout)


def _no_drawing(name: str) -> UnsupportedError:
    return UnsupportedError(
        f"weft has no LinearLayout.{name}", found=name, hint="weft.layouts.drawing draws layouts"
    )
