"""The class LinearLayout; the package explains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NoReturn, ParamSpec, TypeVar, cast, final, overload

from weft.errors import LayoutError
from weft.layouts import gf2
from weft.layouts.basis_vectors import (
    Bases,
    InDims,
    OutDims,
    log2,
    out_shifts,
    pack,
    unit_vectors,
)
from weft.layouts.linear_layout import dimensions, evaluation, products
from weft.layouts.linear_layout.composition import compose, identity_on, invert_and_compose
from weft.layouts.linear_layout.text import text_of
from weft.notebook import LAYOUTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]

__all__ = ["LinearLayout"]

P = ParamSpec("P")
T = TypeVar("T")

_MAX_CACHED_TABLE_BITS = 16  # inputs of a table that a layout keeps

_INTERNED: dict[tuple[InDims, OutDims], LinearLayout] = {}


def _memoized(method: Callable[P, T]) -> Callable[P, T]:
    """Cache the results of a method. Layouts are interned and never freed, so nothing leaks."""
    return cast("Callable[P, T]", cache(method))


@final
class LinearLayout:
    """A map from named inputs to named outputs that is linear over GF(2).

    Sizes are powers of two. Layouts are immutable and interned: equal layouts are one object, so
    compare them with `is`. Containers that a layout returns are copies or read-only.

    The constructor does not check its arguments; use `from_bases` for input from users.

    Attributes:
        ins: (name, packed bases) of each in-dimension, in order; one basis per bit, lowest first.
        outs: (name, size) of each out-dimension, in order.
        out_shifts: the lowest bit of each out-dimension in a packed vector.
        out_bits: the number of output bits.
    """

    __slots__ = ("_packed_table", "_rank", "_vectors", "ins", "out_bits", "out_shifts", "outs")

    ins: InDims
    outs: OutDims
    out_shifts: Mapping[str, int]
    out_bits: int
    _vectors: dict[str, tuple[int, ...]]  # `ins`, by name
    _rank: int | None  # computed when it is first needed
    _packed_table: IntArray  # unset until it is first needed

    def __new__(cls, ins: InDims, outs: OutDims) -> LinearLayout:
        """Compute the layout with these bases and sizes, the one object that has them."""
        key = ins, outs
        layout = _INTERNED.get(key)
        if layout is not None:
            return layout
        layout = object.__new__(cls)
        shifts, bits = out_shifts(outs)
        set_ins, set_outs, set_shifts, set_bits, set_vectors, set_rank = _SETTERS
        set_ins(layout, ins)
        set_outs(layout, outs)
        set_shifts(layout, shifts)
        set_bits(layout, bits)
        set_vectors(layout, dict(ins))
        set_rank(layout, None)
        return _INTERNED.setdefault(key, layout)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a LinearLayout cannot be changed, and {name} was assigned")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a LinearLayout cannot be changed, and {name} was deleted")

    def __reduce__(self) -> tuple[type[LinearLayout], tuple[InDims, OutDims]]:
        return (LinearLayout, (self.ins, self.outs))

    # -- construction -------------------------------------------------------------------------

    @classmethod
    def empty(cls) -> LinearLayout:
        """Compute the layout without inputs and outputs, the unit of `*`."""
        return cls((), ())

    @classmethod
    def strided_1d(cls, size: int, stride: int, in_dim: str, out_dim: str) -> LinearLayout:
        """Return x -> stride * x for x below `size`; both are powers of two."""
        bits, shift = log2(size, in_dim), log2(stride, "the stride")
        vectors = tuple(1 << (bit + shift) for bit in range(bits))
        return cls(((in_dim, vectors),), ((out_dim, size * stride),))

    @classmethod
    def identity_1d(cls, size: int, in_dim: str, out_dim: str) -> LinearLayout:
        """Return x -> x for x below `size`, a power of two."""
        return cls.strided_1d(size, 1, in_dim, out_dim)

    @classmethod
    def zeros_1d(cls, size: int, in_dim: str, out_dim: str, out_size: int = 1) -> LinearLayout:
        """Return x -> 0 for x below `size`, a power of two: every input holds element 0."""
        vectors = (0,) * log2(size, in_dim)
        return cls(((in_dim, vectors),), ((out_dim, out_size),))

    @classmethod
    def from_bases(
        cls, bases: Bases, outs: Mapping[str, int] | Sequence[str], *, surjective: bool = True
    ) -> LinearLayout:
        """Build a layout from basis vectors.

        Args:
            bases: for each in-dimension the bases of its bits, lowest bit first; a basis has one
                entry per out-dimension.
            outs: sizes of the out-dimensions by name; or their names, which then get the smallest
                sizes that hold all bases.
            surjective: whether to refuse a layout that does not reach every output.

        Raises:
            LayoutError: a basis or size is malformed, or the layout is not surjective and has to
                be.
        """
        layout = cls(*pack(bases, outs))
        if surjective and layout.rank != layout.out_bits:
            raise LayoutError(
                "the layout is not surjective: its bases do not reach every output",
                found=f"rank {layout.rank} of {layout.out_bits} bits\n{layout}",
            )
        return layout

    # -- dimensions and bases -----------------------------------------------------------------

    @property
    def in_dims(self) -> dict[str, int]:
        """The size of each in-dimension, in order."""
        return {name: 1 << len(vectors) for name, vectors in self.ins}

    @property
    def out_dims(self) -> dict[str, int]:
        """The size of each out-dimension, in order."""
        return dict(self.outs)

    @property
    def in_bits(self) -> int:
        """The number of input bits."""
        return sum([len(vectors) for _, vectors in self.ins])

    def in_size(self, in_dim: str) -> int:
        """Return the size of one in-dimension."""
        return 1 << len(self.images(in_dim))

    def out_size(self, out_dim: str) -> int:
        """Return the size of one out-dimension."""
        self._check_out_dim(out_dim)
        return self.out_dims[out_dim]

    @property
    def bases(self) -> dict[str, list[list[int]]]:
        """The bases of each in-dimension, lowest bit first."""
        return {name: [list(self.unpack(v)) for v in vectors] for name, vectors in self.ins}

    def basis(self, in_dim: str, bit: int) -> tuple[int, ...]:
        """Return the basis of one input bit.

        Raises:
            LayoutError: there is no such in-dimension, or it has no such bit.
        """
        vectors = self.images(in_dim)
        if not 0 <= bit < len(vectors):
            raise LayoutError(f"{in_dim} has {len(vectors)} bits", found=bit)
        return self.unpack(vectors[bit])

    def images(self, in_dim: str) -> tuple[int, ...]:
        """Return the packed bases of one in-dimension: the images of its bits, lowest bit first.

        Raises:
            LayoutError: there is no such in-dimension.
        """
        vectors = self._vectors.get(in_dim)
        if vectors is None:
            raise LayoutError(
                f"no in-dimension {in_dim}", found=in_dim, accepted=list(self._vectors)
            )
        return vectors

    @property
    def columns(self) -> list[int]:
        """The packed bases of all input bits, the first in-dimension's first."""
        return [vector for _, vectors in self.ins for vector in vectors]

    def unpack(self, vector: int) -> tuple[int, ...]:
        """Return the coordinate per out-dimension of a packed vector."""
        coordinates: list[int] = []
        for _, size in self.outs:
            coordinates.append(vector & (size - 1))
            vector >>= size.bit_length() - 1
        return tuple(coordinates)

    def _check_out_dim(self, out_dim: str) -> None:
        if out_dim not in self.out_shifts:
            raise LayoutError(
                f"no out-dimension {out_dim}", found=out_dim, accepted=list(self.out_shifts)
            )

    # -- rank ---------------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """The number of independent bases; the layout reaches 2^rank outputs."""
        if self._rank is None:
            # If all unit vectors are among the bases, as they usually are, nothing is to eliminate.
            if not unit_vectors(self.out_bits).difference(*self._vectors.values()):
                rank = self.out_bits
            else:
                rank = gf2.rank(self.columns)
            _SETTERS[-1](self, rank)
            return rank
        return self._rank

    @property
    def is_surjective(self) -> bool:
        """Whether every output is reached."""
        return self.rank == self.out_bits

    @property
    def is_injective(self) -> bool:
        """Whether no output is reached by two inputs."""
        return self.rank == self.in_bits

    @property
    def is_invertible(self) -> bool:
        """Whether every output is reached by exactly one input."""
        return self.is_surjective and self.is_injective

    def free_variable_masks(self) -> dict[str, int]:
        """Find the input bits that only repeat outputs.

        A bit is free if its basis is a sum of the bases of lower bits: flipping it together with
        those leads to the same output again.

        Returns:
            For each in-dimension, a mask of its free bits.
        """
        pivots = set(gf2.independent(self.columns))
        masks: dict[str, int] = {}
        first = 0
        for name, vectors in self.ins:
            masks[name] = sum(1 << b for b in range(len(vectors)) if first + b not in pivots)
            first += len(vectors)
        return masks

    # -- products and division ----------------------------------------------------------------

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        """Return the direct sum; in a dimension of both, the bits of `other` come above.

        Raises:
            LayoutError: the layouts list their common dimensions in different orders.
        """
        return LinearLayout(
            *products.multiply(self._vectors, self.outs, other._vectors, other.outs)
        )

    def divide_left(self, factor: LinearLayout) -> LinearLayout | None:
        """Return q with self = factor * q and the dimensions of self; None if there is none.

        The factor owns the low bits: its bases must be the first of each in-dimension, and no
        other basis may touch the low output bits that it spans.
        """
        quotient = products.divide_left(self._vectors, self.outs, factor._vectors, factor.outs)
        return None if quotient is None else LinearLayout(*quotient)

    def divide_right(self, factor: LinearLayout) -> LinearLayout | None:
        """Return q with self = q * factor and the dimensions of self; None if there is none.

        The factor owns the high bits.
        """
        quotient = products.divide_right(self._vectors, self.outs, factor._vectors, factor.outs)
        return None if quotient is None else LinearLayout(*quotient)

    def is_trivial_over(self, dims: Sequence[str]) -> bool:
        """Check whether `dims` are in- and out-dimensions that map to themselves only.

        Each must be the identity, and no other in-dimension may reach them.
        """
        for dim in dims:
            if dim not in self._vectors or dim not in self.out_shifts:
                return False
        return products.is_trivial_over(self._vectors, self.outs, dims)

    def quotient(self, dims: Sequence[str]) -> LinearLayout | None:
        """Compute the layout without `dims` if it is trivial over them, else None.

        Raises:
            LayoutError: a name is neither an in- nor an out-dimension.
        """
        for dim in dims:
            if dim not in self._vectors and dim not in self.out_shifts:
                raise LayoutError(
                    f"no dimension {dim}",
                    found=dim,
                    accepted=list(dict.fromkeys([*self._vectors, *self.out_shifts])),
                )
        if not self.is_trivial_over(dims):
            return None
        return self.sublayout(
            [name for name, _ in self.ins if name not in dims],
            [name for name, _ in self.outs if name not in dims],
        )

    def num_consecutive(self) -> int:
        """Count how many first inputs map to consecutive first outputs, wherever they start.

        The first bases must be 1, 2, 4 … of the first out-dimension, and no other basis may have
        one of these bits, which would change where the run lies within them.
        """
        if not self.ins or not self.outs:
            return 1
        (_, vectors), *others = self.ins
        _, size = self.outs[0]
        return products.count_consecutive(vectors, size, [v for _, vs in others for v in vs])

    # -- composition and inverses -------------------------------------------------------------

    @_memoized
    def compose(self, outer: LinearLayout) -> LinearLayout:
        """Return x -> outer(self(x)).

        Raises:
            LayoutError: the out-dimensions of self are not the in-dimensions of `outer`, or are
                larger.
        """
        return LinearLayout(compose(self.ins, self.outs, outer._vectors), outer.outs)

    @_memoized
    def invert(self) -> LinearLayout:
        """Return the inverse.

        Raises:
            LayoutError: an output is reached by no input, or by several.
        """
        if not self.is_invertible:
            raise LayoutError(
                "a layout that is not invertible has no inverse: each output must be reached once",
                found=f"rank {self.rank}, {self.in_bits} in bits, {self.out_bits} out bits",
            )
        return self.pseudoinvert()

    @_memoized
    def pseudoinvert(self) -> LinearLayout:
        """Return r with self(r(y)) = y, with the free variables at 0.

        Raises:
            LayoutError: the layout is not surjective.
        """
        return LinearLayout(identity_on(self.outs), self.outs).invert_and_compose(self)

    @_memoized
    def invert_and_compose(self, outer: LinearLayout) -> LinearLayout:
        """Return X with outer(X(i)) = self(i): where `outer` holds what self holds.

        If there are several X, an in-dimension that both layouts map alike is the identity, and
        free variables are 0.

        Raises:
            LayoutError: the out-dimensions differ, or self reaches an output that `outer` does not.
        """
        return LinearLayout(
            *invert_and_compose(self._vectors, self.outs, outer._vectors, outer.outs)
        )

    # -- reordering and reshaping dimensions --------------------------------------------------

    def transpose_ins(self, order: Sequence[str]) -> LinearLayout:
        """Compute the layout with its in-dimensions in this order."""
        dimensions.check_order("in", order, self._vectors)
        return LinearLayout(tuple([(name, self._vectors[name]) for name in order]), self.outs)

    def transpose_outs(self, order: Sequence[str]) -> LinearLayout:
        """Compute the layout with its out-dimensions in this order."""
        dimensions.check_order("out", order, self.out_shifts)
        return LinearLayout(*dimensions.project(self._vectors, self.outs, self._vectors, order))

    def reshape_ins(self, dims: Mapping[str, int]) -> LinearLayout:
        """Compute the layout whose input bits are split into these dimensions, the first lowest.

        Raises:
            LayoutError: the sizes do not have as many bits as the input.
        """
        return LinearLayout(dimensions.reshape_ins(self.ins, dims), self.outs)

    def reshape_outs(self, dims: Mapping[str, int]) -> LinearLayout:
        """Compute the layout whose output bits are split into these dimensions, the first lowest.

        Raises:
            LayoutError: the sizes do not have as many bits as the output.
        """
        return LinearLayout(self.ins, dimensions.reshape_outs(self.outs, dims))

    def flatten_ins(self, name: str | None = None) -> LinearLayout:
        """Compute the layout with a single in-dimension, named as the first one or `name`."""
        if not self.ins:
            return self
        return self.reshape_ins({name or self.ins[0][0]: 1 << self.in_bits})

    def flatten_outs(self, name: str | None = None) -> LinearLayout:
        """Compute the layout with a single out-dimension, named as the first one or `name`."""
        if not self.outs:
            return self
        return self.reshape_outs({name or self.outs[0][0]: 1 << self.out_bits})

    def sublayout(self, ins: Sequence[str], outs: Sequence[str]) -> LinearLayout:
        """Return the part from `ins` to `outs`; sizes and order stay."""
        for name in outs:
            self._check_out_dim(name)
        for name in ins:
            self.images(name)
        in_names = [name for name in self._vectors if name in ins]
        out_names = [name for name in self.out_shifts if name in outs]
        return LinearLayout(*dimensions.project(self._vectors, self.outs, in_names, out_names))

    def sublayout_is_zero(self, ins: Sequence[str], outs: Sequence[str]) -> bool:
        """Check whether `ins` do not affect `outs`."""
        return not any(self.sublayout(ins, outs).columns)

    def resize_in(self, dim: str, size: int) -> LinearLayout:
        """Compute the layout of the first `size` values of an in-dimension.

        Raises:
            LayoutError: there is no such dimension, or it is smaller.
        """
        vectors = dimensions.shrink_in(self.images(dim), dim, size)
        return LinearLayout(dimensions.replace(self.ins, dim, vectors), self.outs)

    def resize_out(self, dim: str, size: int) -> LinearLayout:
        """Compute the layout with a smaller out-dimension: bases beyond its end become 0 there.

        Raises:
            LayoutError: there is no such dimension, or it is smaller.
        """
        self._check_out_dim(dim)
        return LinearLayout(*dimensions.shrink_out(self.ins, self.outs, dim, size))

    def rename_in(self, dim: str, name: str) -> LinearLayout:
        """Compute the layout with another name for an in-dimension."""
        self.images(dim)
        return LinearLayout(dimensions.rename("in", self.ins, dim, name), self.outs)

    def rename_out(self, dim: str, name: str) -> LinearLayout:
        """Compute the layout with another name for an out-dimension."""
        self._check_out_dim(dim)
        return LinearLayout(self.ins, dimensions.rename("out", self.outs, dim, name))

    def concat_ins(self, other: LinearLayout) -> LinearLayout:
        """Compute the layout with the in-dimensions of both, on the same out-dimensions.

        Raises:
            LayoutError: the layouts share an in-dimension, or have different out-dimensions.
        """
        ins = dimensions.join_ins(self.ins, self.outs, other.ins, other.outs)
        return LinearLayout(ins, self.outs)

    def concat_outs(self, other: LinearLayout) -> LinearLayout:
        """Compute the layout with the out-dimensions of both, from the same in-dimensions.

        Raises:
            LayoutError: the layouts share an out-dimension, or have different in-dimensions.
        """
        return LinearLayout(*dimensions.join_outs(self.ins, self.outs, other.ins, other.outs))

    def unsqueeze_in(self, dim: str) -> LinearLayout:
        """Compute the layout without an in-dimension of size 1."""
        if self.in_size(dim) != 1:
            raise LayoutError(f"{dim} must have size 1 to go away", found=self.in_size(dim))
        return LinearLayout(tuple(pair for pair in self.ins if pair[0] != dim), self.outs)

    def unsqueeze_out(self, dim: str) -> LinearLayout:
        """Compute the layout without an out-dimension of size 1."""
        if self.out_size(dim) != 1:
            raise LayoutError(f"{dim} must have size 1 to go away", found=self.out_size(dim))
        return LinearLayout(self.ins, tuple(pair for pair in self.outs if pair[0] != dim))

    def remove_zero_bases(self, in_dim: str) -> LinearLayout:
        """Compute the layout without the bits of one in-dimension whose basis is 0."""
        vectors = tuple([vector for vector in self.images(in_dim) if vector])
        return LinearLayout(dimensions.replace(self.ins, in_dim, vectors), self.outs)

    def equals_ignoring_out_sizes(self, other: LinearLayout) -> bool:
        """Check whether both have the same dimensions and bases, whatever the out sizes."""
        return self.bases == other.bases and list(self.out_shifts) == list(other.out_shifts)

    # -- evaluation ---------------------------------------------------------------------------

    @overload
    def apply(self, ins: Mapping[str, int]) -> dict[str, int]: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def apply(self, ins: Mapping[str, int | NDArray[np.integer]]) -> dict[str, IntArray]: ...
    def apply(
        self, ins: Mapping[str, int] | Mapping[str, int | NDArray[np.integer]]
    ) -> dict[str, int] | dict[str, IntArray]:
        """Return the output of an input, or of many.

        Args:
            ins: for each in-dimension a value below its size, or an array of such values; arrays
                broadcast.

        Returns:
            For each out-dimension an int; or an array if one of the values was an array.

        Raises:
            LayoutError: a dimension is missing or unknown, or a value is out of range.
        """
        return evaluation.apply(self._vectors, self.outs, ins)

    def packed_table(self) -> IntArray:
        """Return the packed output of every input, the first in-dimension in the lowest bits.

        The table is built by doubling: with bases 1, 2 and 7 of three input bits it grows as
        [0], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 7, 6, 5, 4]. It is read-only, as callers share it.
        """
        try:
            return self._packed_table
        except AttributeError:
            table = evaluation.packed_table(self.columns, self.out_bits)
        if self.in_bits <= _MAX_CACHED_TABLE_BITS:
            object.__setattr__(self, "_packed_table", table)
        return table

    def table(self) -> IntArray:
        """Return the output of every input.

        Returns:
            An array indexed by the in-dimensions in order and then by the out-dimension:
            `table[register, lane, warp, block]` is the coordinates of an element.
        """
        return evaluation.table(self.packed_table(), list(self.in_dims.values()), self.outs)

    def matrix(self) -> NDArray[np.uint8]:
        """Compute the layout as a matrix of 0 and 1, a row per output bit, a column per input bit.

        The first dimension's bits come first, lowest bit first.
        """
        return evaluation.matrix(self.columns, self.out_bits)

    # -- text ---------------------------------------------------------------------------------

    def __str__(self) -> str:
        """Return the text that Triton prints."""
        return text_of(self.bases, self.outs)

    __repr__ = __str__

    def _repr_html_(self) -> str:  # pyright: ignore[reportUnusedFunction]
        """Draw the layout in a notebook."""
        return LAYOUTS["layout"](self)


# How `__new__` fills the slots, as `__setattr__` refuses. `object.__setattr__` would do it too, but
# takes three times as long, and layouts are built often.
_SETTERS: tuple[Callable[[LinearLayout, object], None], ...] = tuple(
    getattr(LinearLayout, name).__set__
    for name in ("ins", "outs", "out_shifts", "out_bits", "_vectors", "_rank")
)
