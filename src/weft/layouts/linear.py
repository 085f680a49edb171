"""LinearLayout: a map from hardware coordinates to tensor coordinates that is linear over GF(2).

`weft.layouts.bases` holds its state; here is what can be done with one, each operation in a line
and its work in the module that the operation names:

    algebra      *, compose, invert, pseudoinvert, invert_and_compose
    division     divide_left, divide_right, is_trivial_over, quotient, num_consecutive
    reshaping    transpose, reshape, flatten, resize, rename, concat, unsqueeze, sublayout
    evaluation   apply, table, packed_table

    row = LinearLayout.identity_1d(4, "register", "dim1")
    column = LinearLayout.identity_1d(8, "lane", "dim0")
    (row * column).apply({"register": 3, "lane": 5})        # {"dim1": 3, "dim0": 5}

Layouts are interned, so an operation that was asked before answers from its layout's memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.layouts.bases import BasisVectors, same_names

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LinearLayout"]


class LinearLayout(BasisVectors):
    """Map named input bits to named output bits; see `weft.layouts.bases` for the idea.

    Attributes: ins: (name, packed images of its bits) per input dimension.
    outs: (name, size) per output dimension, the first in the lowest bits of an image.
    """

    __slots__ = ()

    # -- algebra ------------------------------------------------------------------------------

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        """Return the direct sum; where both name a dimension, other's bits come above."""
        from weft.layouts.algebra import product

        return product(self, other)

    def compose(self, outer: LinearLayout) -> LinearLayout:
        """Return x -> outer(self(x)).

        Raises: LayoutError where self's outputs are not outer's inputs, or are larger.
        """
        found = self._answers.get(("compose", outer))
        if found is None:
            from weft.layouts.algebra import compose

            found = self._answers["compose", outer] = compose(self, outer)
        return found

    def invert(self) -> LinearLayout:
        """Return the inverse.

        Raises: LayoutError where an output is reached by no input, or by several.
        """
        found = self._answers.get("invert")
        if found is None:
            from weft.layouts.algebra import invert

            found = self._answers["invert"] = invert(self)
        return found

    def pseudoinvert(self) -> LinearLayout:
        """Return a layout r with self(r(y)) = y, with as few input bits set as can be.

        Raises: LayoutError where an output is reached by no input.
        """
        found = self._answers.get("pseudoinvert")
        if found is None:
            from weft.layouts.algebra import pseudoinvert

            found = self._answers["pseudoinvert"] = pseudoinvert(self)
        return found

    def invert_and_compose(self, outer: LinearLayout) -> LinearLayout:
        """Return a layout x with outer(x(i)) = self(i): where outer holds what self holds.

        Raises: LayoutError where the out-dimensions differ, or outer leaves out what self reaches.
        """
        found = self._answers.get(outer)
        if found is None:
            from weft.layouts.algebra import invert_and_compose

            found = self._answers[outer] = invert_and_compose(self, outer)
        return found

    # -- division -----------------------------------------------------------------------------

    def divide_left(self, factor: LinearLayout) -> LinearLayout | None:
        """Return q with self = factor * q, of the same dimensions as self; None if none is."""
        from weft.layouts.division import divide_left

        return divide_left(self, factor)

    def divide_right(self, factor: LinearLayout) -> LinearLayout | None:
        """Return q with self = q * factor, of the same dimensions as self; None if none is."""
        from weft.layouts.division import divide_right

        return divide_right(self, factor)

    def is_trivial_over(self, dims: Sequence[str]) -> bool:
        """Return whether these dimensions map to themselves unchanged and to nothing else."""
        from weft.layouts.division import is_trivial_over

        return is_trivial_over(self, dims)

    def quotient(self, dims: Sequence[str]) -> LinearLayout | None:
        """Return the layout without these dimensions where it is trivial over them, else None."""
        from weft.layouts.division import quotient

        return quotient(self, dims)

    def num_consecutive(self) -> int:
        """Return how many first inputs map to consecutive first outputs, wherever they start."""
        from weft.layouts.division import num_consecutive

        return num_consecutive(self)

    # -- reshaping ----------------------------------------------------------------------------

    def transpose_ins(self, order: Sequence[str]) -> LinearLayout:
        """Return the layout with its in-dimensions in this order."""
        same_names("in", order, self._images)
        return LinearLayout(tuple((name, self._images[name]) for name in order), self.outs)

    def transpose_outs(self, order: Sequence[str]) -> LinearLayout:
        """Return the layout with its out-dimensions in this order."""
        from weft.layouts.reshaping import transpose_outs

        return transpose_outs(self, order)

    def reshape_ins(self, dims: Mapping[str, int]) -> LinearLayout:
        """Return the layout with its input bits split anew, the first dimension lowest."""
        from weft.layouts.reshaping import reshape_ins

        return reshape_ins(self, dims)

    def reshape_outs(self, dims: Mapping[str, int]) -> LinearLayout:
        """Return the layout with its output bits split anew, the first dimension lowest."""
        from weft.layouts.reshaping import reshape_outs

        return reshape_outs(self, dims)

    def flatten_ins(self, name: str | None = None) -> LinearLayout:
        """Return the layout with one in-dimension, called as the first one or `name`."""
        from weft.layouts.reshaping import reshape_ins

        first = name or next(iter(self._images), None)
        return self if first is None else reshape_ins(self, {first: 1 << self.in_bits})

    def flatten_outs(self, name: str | None = None) -> LinearLayout:
        """Return the layout with one out-dimension, called as the first one or `name`."""
        from weft.layouts.reshaping import reshape_outs

        first = name or next(iter(self.starts), None)
        return self if first is None else reshape_outs(self, {first: 1 << self.out_bits})

    def sublayout(self, ins: Sequence[str], outs: Sequence[str]) -> LinearLayout:
        """Return the layout of these in-dimensions on these out-dimensions."""
        from weft.layouts.reshaping import sublayout

        return sublayout(self, ins, outs)

    def sublayout_is_zero(self, ins: Sequence[str], outs: Sequence[str]) -> bool:
        """Return whether these in-dimensions leave these out-dimensions alone."""
        return not any(self.sublayout(ins, outs).columns)

    def resize_in(self, dim: str, size: int) -> LinearLayout:
        """Return the layout with fewer values of one in-dimension."""
        from weft.layouts.reshaping import resize_in

        return resize_in(self, dim, size)

    def resize_out(self, dim: str, size: int) -> LinearLayout:
        """Return the layout with one out-dimension cut; images beyond it become 0 there."""
        from weft.layouts.reshaping import resize_out

        return resize_out(self, dim, size)

    def rename_in(self, dim: str, name: str) -> LinearLayout:
        """Return the layout with an in-dimension called otherwise."""
        from weft.layouts.reshaping import rename_in

        return rename_in(self, dim, name)

    def rename_out(self, dim: str, name: str) -> LinearLayout:
        """Return the layout with an out-dimension called otherwise."""
        from weft.layouts.reshaping import rename_out

        return rename_out(self, dim, name)

    def concat_ins(self, other: LinearLayout) -> LinearLayout:
        """Return the layout with other's in-dimensions after self's; both have the same outputs."""
        from weft.layouts.reshaping import concat_ins

        return concat_ins(self, other)

    def concat_outs(self, other: LinearLayout) -> LinearLayout:
        """Return the layout with other's out-dimensions after self's; both have the same inputs."""
        from weft.layouts.reshaping import concat_outs

        return concat_outs(self, other)

    def unsqueeze_in(self, dim: str) -> LinearLayout:
        """Return the layout without an in-dimension of size 1."""
        from weft.layouts.reshaping import unsqueeze_in

        return unsqueeze_in(self, dim)

    def unsqueeze_out(self, dim: str) -> LinearLayout:
        """Return the layout without an out-dimension of size 1."""
        from weft.layouts.reshaping import unsqueeze_out

        return unsqueeze_out(self, dim)

    def remove_zero_bases(self, in_dim: str) -> LinearLayout:
        """Return the layout without the bits of one in-dimension that move nothing."""
        from weft.layouts.reshaping import remove_zero_bases

        return remove_zero_bases(self, in_dim)

    def equals_ignoring_out_sizes(self, other: LinearLayout) -> bool:
        """Return whether both have the same dimensions and vectors, whatever the out sizes."""
        return self.bases == other.bases and list(self.starts) == list(other.starts)

    # -- evaluation ---------------------------------------------------------------------------

    def apply(self, ins: Mapping[str, Any]) -> dict[str, Any]:
        """Return the coordinates of an input, or of many.

        Args: ins: for each in-dimension a value below its size, or a numpy array of such values;
        arrays broadcast.
        Returns: for each out-dimension an int, or an array.
        Raises: LayoutError that names the dimension and the value.
        """
        from weft.layouts.evaluation import apply

        return apply(self, ins)

    def table(self) -> np.ndarray:
        """Return all coordinates, indexed by the in-dimensions in order, then out-dimension."""
        from weft.layouts.evaluation import table

        return table(self)

    def packed_table(self) -> np.ndarray:
        """Return the packed image of every input, the first in-dimension in the lowest bits.

        The array is shared between callers and cannot be written to.
        """
        kept = self._answers.get("packed_table")
        if kept is not None:
            return kept
        from weft.layouts.evaluation import packed_table

        return packed_table(self)

    def matrix(self) -> np.ndarray:
        """Return the layout as a matrix of 0 and 1, a row per output bit, a column per input bit.

        The first dimension's bits come first, lowest bit first.
        """
        import numpy as np

        rows = [[column >> bit & 1 for column in self.columns] for bit in range(self.out_bits)]
        return np.array(rows, np.uint8).reshape(self.out_bits, self.in_bits)
