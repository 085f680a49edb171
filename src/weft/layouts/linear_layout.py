"""LinearLayout: which element of a tensor each register, lane and warp holds, as a map of bits.

A layout answers questions such as "which element does register 3 of lane 5 hold?". The layouts that
GPUs use share one property: each bit of the input flips a fixed set of bits of the output, whatever
the other input bits are. Such a map is linear over GF(2), the field {0, 1} whose addition is XOR.
It is given by one output per input bit, and linear algebra answers questions about it.


Basis vectors
-------------

8 lanes hold a 4x8 tensor. Each lane has 4 registers, which hold neighbours of a row, and two lanes
share a row (the table shows lane:register):

                col 0  1    2    3    4    5    6    7
        row 0   0:0  0:1  0:2  0:3  1:0  1:1  1:2  1:3
        row 1   2:0  2:1  2:2  2:3  3:0  3:1  3:2  3:3
        row 2   4:0  4:1  4:2  4:3  5:0  5:1  5:2  5:3
        row 3   6:0  6:1  6:2  6:3  7:0  7:1  7:2  7:3

The input has five bits, two of the register and three of the lane. Read off where each one alone
leads, with all other bits 0:

        register=1 -> (0, 1)        lane=1 -> (0, 4)
        register=2 -> (0, 2)        lane=2 -> (1, 0)
                                    lane=4 -> (2, 0)

These outputs are the *basis vectors*, or bases. They determine the other 27 inputs: write the input
as a sum of powers of two and XOR their bases. Register 3 is 1 + 2 and lane 5 is 1 + 4, so register
3 of lane 5 holds

        (0, 1) ^ (0, 2) ^ (0, 4) ^ (2, 0)  =  (2, 7)

as the table says. In code, and as `str` prints it:

        layout = LinearLayout.from_bases(
            {"register": [[0, 1], [0, 2]], "lane": [[0, 4], [1, 0], [2, 0]]}, ["dim0", "dim1"]
        )
        layout.apply({"register": 3, "lane": 5})        # {"dim0": 2, "dim1": 7}

A basis of zeros means broadcasting. A fourth lane bit, lane=8 -> (0, 0), makes lane 8 hold what
lane 0 holds, lane 9 what lane 1 holds, and so on.

A basis may have bits of several dimensions. This map from offsets in shared memory to a 4x4 tile is
a swizzle, in which each row permutes its columns by XOR with the row number:

        offset=1 -> (0, 1)      offset        0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
        offset=2 -> (0, 2)      row           0  0  0  0  1  1  1  1  2  2  2  2  3  3  3  3
        offset=4 -> (1, 1)      column        0  1  2  3  1  0  3  2  2  3  0  1  3  2  1  0
        offset=8 -> (2, 2)

The four elements of column 0 lie at offsets 0, 5, 10 and 15, so that in four banks no two of them
share a bank. Sums of integers could not say this with four numbers; XOR can.


Packing
-------

A basis is kept as one int, the first out-dimension in its lowest bits. With dim0 of size 4 and dim1
of size 8, (2, 7) is 2 | 7 << 2 = 30, and XOR of two outputs is one `^`. Bits that are read as other
dimensions stay the same bits, so reshaping the output changes no basis at all. As a matrix over
GF(2), a layout has a packed basis in each column.


Products put layouts side by side
---------------------------------

`A * B` is the direct sum: where both have a dimension, B's bits come above A's, in the input and in
the output. The first layout above is a product of three identities, the fastest first:

        LinearLayout.identity_1d(4, "register", "dim1")     register -> columns 0 to 3
        * LinearLayout.identity_1d(2, "lane", "dim1")       lane bit 0 -> column 4
        * LinearLayout.identity_1d(4, "lane", "dim0")       lane bits 1, 2 -> rows

`divide_left` and `divide_right` take a factor away again, if it is one.


Composition applies one layout after the other
----------------------------------------------

`A.compose(B)` is x -> B(A(x)). As both are linear, it is enough to send A's bases through B. If A
maps register=1 -> (0, 1), and B maps (0, 1) to offset 1, then the result maps register=1 -> 1.


The inverse
-----------

If every output is reached by exactly one input, the inverse says by which. For the swizzle: at
which offset does row 1, column 0 lie? Write the wanted output as a sum of bases,

        (1, 0)  =  (1, 1) ^ (0, 1)  =  base of offset 4  ^  base of offset 1

so the answer is offset 4 ^ 1 = 5. The inverse is linear too: it suffices to do this for the outputs
1, 2, 4 … of each dimension. `weft.layouts.gf2.solve` finds the sums by elimination.


The pseudo-inverse
------------------

If all outputs are reached, some of them by several inputs, there is no inverse, but there are right
inverses R with L(R(y)) = y. For four lanes, two bits of output and one bit too many,

        lane=1 -> 3     lane=2 -> 1     lane=4 -> 2

elimination goes through the bases in order and keeps those that are no sum of earlier ones:

        3 = 0b11    kept
        1 = 0b01    kept
        2 = 0b10    = 3 ^ 1, the sum of earlier ones: lane bit 2 is a free variable

Free variables are set to 0. The outputs are sums of the kept bases: 1 is base of lane 2, and
2 = 3 ^ 1 is the sum of the bases of lane 1 and lane 2. So R(1) = 2 and R(2) = 3, although L(4) is 2
as well. All readers of an element that several lanes hold thus agree on one lane.


Where does B hold what A holds?
-------------------------------

`A.invert_and_compose(B)` is the layout X with B(X(i)) = A(i). It solves B · X = A as above, for
each basis of A. With the registers of the first example as A and a layout of shared memory as B, X
maps (register, lane) to the offset that a store of the register needs. With two layouts of
registers, it says from which register of which lane a conversion fetches each value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from weft.notebook import LAYOUTS

if TYPE_CHECKING:
    # numpy takes longer to load than this package, and only evaluation on arrays needs it: the
    # methods that do import it when they are called.
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]

__all__ = ["LinearLayout"]

P = ParamSpec("P")
T = TypeVar("T")

# Limits of evaluation: inputs of a table; bits of an int64 coordinate; inputs of a table to keep.
_MAX_TABLE_BITS = 28
_MAX_ARRAY_BITS = 62
_MAX_CACHED_TABLE_BITS = 16

_INTERNED: dict[tuple[InDims, OutDims], LinearLayout] = {}
# How to move one dimension's bits to another place in a packed vector: (shift, mask, new shift).
_Move = tuple[int, int, int]


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
        ins = _merge_orders([*self._vectors], [*other._vectors])
        names = _merge_orders([*self.out_shifts], [*other.out_shifts])
        sizes, other_sizes = self.out_dims, other.out_dims
        outs = tuple((name, sizes.get(name, 1) * other_sizes.get(name, 1)) for name in names)
        shifts, _ = out_shifts(outs)
        # A dimension of both has the bits of self lowest; those of `other` move above them.
        moves = [(self.out_shifts[n], sizes[n] - 1, shifts[n]) for n in names if n in sizes]
        other_moves = [
            (other.out_shifts[n], other_sizes[n] - 1, shifts[n] + sizes.get(n, 1).bit_length() - 1)
            for n in names
            if n in other_sizes
        ]
        return LinearLayout(
            tuple(
                (
                    name,
                    _repack(self._vectors.get(name, ()), moves)
                    + _repack(other._vectors.get(name, ()), other_moves),
                )
                for name in ins
            ),
            outs,
        )

    def divide_left(self, factor: LinearLayout) -> LinearLayout | None:
        """Return q with self = factor * q and the dimensions of self; None if there is none.

        The factor owns the low bits: its bases must be the first of each in-dimension, and no
        other basis may touch the low output bits that it spans.
        """
        outs = self._quotient_outs(factor)
        if outs is None:
            return None
        sizes = factor.out_dims
        bases: dict[str, list[list[int]]] = {}
        for name, vectors in self.ins:
            count = len(factor._vectors.get(name, ()))
            bases[name] = []
            for vector in map(self.unpack, vectors[count:]):
                # The high bits of an entry belong to the quotient, the low ones to the factor,
                # whose own bases must be the only ones that have them.
                parts = [
                    divmod(entry, sizes.get(n, 1))
                    for (n, _), entry in zip(outs, vector, strict=True)
                ]
                if any(low for _, low in parts):
                    return None
                bases[name].append([high for high, _ in parts])
        quotient = LinearLayout.from_bases(bases, dict(outs), surjective=False)
        # The bases that were skipped may differ from the factor's: multiply to find out. Layouts
        # are interned, so `is` compares them.
        return quotient if factor._with_dims_of(self) * quotient is self else None

    def divide_right(self, factor: LinearLayout) -> LinearLayout | None:
        """Return q with self = q * factor and the dimensions of self; None if there is none.

        The factor owns the high bits.
        """
        outs = self._quotient_outs(factor)
        if outs is None:
            return None
        bases: dict[str, list[tuple[int, ...]]] = {}
        for name, vectors in self.ins:
            count = len(vectors) - len(factor._vectors.get(name, ()))
            bases[name] = [self.unpack(vector) for vector in vectors[:count]]
            for vector in bases[name]:
                # A bit above the quotient's size belongs to the factor.
                if any(entry >= size for (_, size), entry in zip(outs, vector, strict=True)):
                    return None
        quotient = LinearLayout.from_bases(bases, dict(outs), surjective=False)
        return quotient if quotient * factor._with_dims_of(self) is self else None

    def _quotient_outs(self, factor: LinearLayout) -> OutDims | None:
        """Return the out-dimensions of a quotient, None if the factor is larger than self."""
        factor_sizes, sizes = factor.out_dims, self.out_dims
        if any(sizes.get(name, 0) < size for name, size in factor.outs):
            return None
        for name, vectors in factor.ins:
            if name not in self._vectors or len(self._vectors[name]) < len(vectors):
                return None
        return tuple((name, size // factor_sizes.get(name, 1)) for name, size in self.outs)

    def _with_dims_of(self, whole: LinearLayout) -> LinearLayout:
        """Return self with the dimensions of `whole`, in its order; those it lacks get size 1."""
        ordered = self.transpose_outs([n for n in whole.out_shifts if n in self.out_shifts])
        sizes = ordered.out_dims
        return LinearLayout(
            tuple((name, ordered._vectors.get(name, ())) for name, _ in whole.ins),
            tuple((name, sizes.get(name, 1)) for name, _ in whole.outs),
        )

    def is_trivial_over(self, dims: Sequence[str]) -> bool:
        """Check whether `dims` are in- and out-dimensions that map to themselves only.

        Each must be the identity, and no other in-dimension may reach them.
        """
        own = 0  # the output bits of `dims`
        for dim in dims:
            if dim not in self._vectors or dim not in self.out_shifts:
                return False
            shift, size = self.out_shifts[dim], self.out_dims[dim]
            identity = tuple(1 << (shift + bit) for bit in range(size.bit_length() - 1))
            if self._vectors[dim] != identity:
                return False
            own |= (size - 1) << shift
        return not any(v & own for name, vectors in self.ins if name not in dims for v in vectors)

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
        vectors = self.ins[0][1]
        size = self.outs[0][1]
        count = 0
        while count < len(vectors) and vectors[count] == 1 << count < size:
            count += 1
        # Another basis with bit b would break a run that is longer than 2^b.
        others = 0
        for vector in self.columns[count:]:
            others |= vector & (size - 1)
        lowest = (others & -others).bit_length() - 1 if others else count
        return 1 << min(count, lowest)

    # -- composition and inverses -------------------------------------------------------------

    @_memoized
    def compose(self, outer: LinearLayout) -> LinearLayout:
        """Return x -> outer(self(x)).

        Raises:
            LayoutError: the out-dimensions of self are not the in-dimensions of `outer`, or are
                larger.
        """
        if self.out_shifts.keys() != outer._vectors.keys():
            raise LayoutError(
                "the inner layout's out-dimensions must be the outer one's in-dimensions",
                found=list(self.out_dims),
                accepted=list(outer._vectors),
            )
        columns: list[int] = []  # where `outer` sends each output bit of self
        for name, size in self.outs:
            vectors, bits = outer._vectors[name], size.bit_length() - 1
            if bits > len(vectors):
                raise LayoutError(
                    f"{name} must not be larger than in the outer layout, {1 << len(vectors)}",
                    found=size,
                )
            columns += vectors[:bits]
        # `outer` is linear: the image of a vector is the XOR of the images of its bits.
        image_of_bit = {1 << bit: column for bit, column in enumerate(columns)}
        image_of_bit[0] = 0

        def image(vector: int) -> int:
            total = 0
            while vector:
                low = vector & -vector
                total ^= image_of_bit[low]
                vector ^= low
            return total

        ins: list[tuple[str, tuple[int, ...]]] = []
        for name, vectors in self.ins:
            try:  # most bases have one bit or none, and are looked up
                ins.append((name, tuple([image_of_bit[v] for v in vectors])))
            except KeyError:
                ins.append((name, tuple([image(v) for v in vectors])))
        return LinearLayout(tuple(ins), outer.outs)

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
        identity = tuple(
            (name, tuple([1 << (self.out_shifts[name] + b) for b in range(size.bit_length() - 1)]))
            for name, size in self.outs
        )
        return LinearLayout(identity, self.outs).invert_and_compose(self)

    @_memoized
    def invert_and_compose(self, outer: LinearLayout) -> LinearLayout:
        """Return X with outer(X(i)) = self(i): where `outer` holds what self holds.

        If there are several X, an in-dimension that both layouts map alike is the identity, and
        free variables are 0.

        Raises:
            LayoutError: the out-dimensions differ, or self reaches an output that `outer` does not.
        """
        if self.out_shifts.keys() != outer.out_shifts.keys():
            raise LayoutError(
                "both layouts must have the same out-dimensions",
                found=list(self.out_dims),
                accepted=list(outer.out_dims),
            )
        inner = self._vectors if self.outs == outer.outs else self._packed_like(outer)
        # As in Triton, dimensions that both map alike are kept only where all sizes agree. That
        # may leave the others without a solution; then all are solved for.
        same_sizes = self.out_dims == outer.out_dims
        alike = [n for n, v in outer.ins if same_sizes and inner.get(n) == v]
        solution = outer._solve(inner, alike)
        if solution is None and alike:
            solution = outer._solve(inner, [])
        if solution is None:
            raise LayoutError(
                "the outer layout must reach every output that the inner one reaches",
                found=f"outer has rank {outer.rank} of {outer.out_bits} bits",
            )
        return solution

    def _packed_like(self, outer: LinearLayout) -> dict[str, tuple[int, ...]]:
        """Return the bases of self, packed for the order and sizes of outer's out-dimensions."""
        outer_sizes = outer.out_dims
        for name, size in self.outs:
            if size > outer_sizes[name]:
                raise LayoutError(
                    f"{name} must not be larger than in the outer layout, {outer_sizes[name]}",
                    found=size,
                )
        moves = [(self.out_shifts[n], size - 1, outer.out_shifts[n]) for n, size in self.outs]
        return {name: _repack(vectors, moves) for name, vectors in self.ins}

    def _solve(
        self, targets: Mapping[str, tuple[int, ...]], alike: Sequence[str]
    ) -> LinearLayout | None:
        """Return X with self(X(i)) = targets(i), None if there is none.

        Args:
            targets: packed vectors by in-dimension of X.
            alike: in-dimensions of both on which X is the identity.
        """
        outs = tuple([(name, 1 << len(vectors)) for name, vectors in self.ins])
        shifts, _ = out_shifts(outs)
        # Each target is a sum of bases of self; the bits of X say which. Dimensions that are alike
        # take no part: their bases and targets are left out of the system of equations.
        basis: list[int] = []
        bit_of_basis: list[int] = []  # the output bit of X that each vector of `basis` belongs to
        for name, vectors in self.ins:
            if name not in alike:
                basis += vectors
                bit_of_basis += range(shifts[name], shifts[name] + len(vectors))
        solution = gf2.solve(basis, [v for n, vs in targets.items() if n not in alike for v in vs])
        if solution is None:
            return None
        if alike:  # else bit_of_basis counts 0, 1, 2 …
            solution = [
                sum([1 << bit for i, bit in enumerate(bit_of_basis) if terms >> i & 1])
                for terms in solution
            ]
        solved = iter(solution)
        ins = tuple(
            [
                (name, tuple([1 << (shifts[name] + bit) for bit in range(len(vectors))]))
                if name in alike
                else (name, tuple([next(solved) for _ in vectors]))
                for name, vectors in targets.items()
            ]
        )
        return LinearLayout(ins, outs)

    # -- reordering and reshaping dimensions --------------------------------------------------

    def transpose_ins(self, order: Sequence[str]) -> LinearLayout:
        """Compute the layout with its in-dimensions in this order."""
        _check_order("in", order, self._vectors)
        return LinearLayout(tuple((name, self._vectors[name]) for name in order), self.outs)

    def transpose_outs(self, order: Sequence[str]) -> LinearLayout:
        """Compute the layout with its out-dimensions in this order."""
        _check_order("out", order, self.out_shifts)
        return self._project([*self._vectors], order)

    def reshape_ins(self, dims: Mapping[str, int]) -> LinearLayout:
        """Compute the layout whose input bits are split into these dimensions, the first lowest.

        Raises:
            LayoutError: the sizes do not have as many bits as the input.
        """
        widths = {name: log2(size, name) for name, size in dims.items()}
        if sum(widths.values()) != self.in_bits:
            raise LayoutError(
                f"the new in-dimensions must have {1 << self.in_bits} values in all",
                found=dict(dims),
            )
        columns = iter(self.columns)
        ins = tuple((name, tuple(next(columns) for _ in range(w))) for name, w in widths.items())
        return LinearLayout(ins, self.outs)

    def reshape_outs(self, dims: Mapping[str, int]) -> LinearLayout:
        """Compute the layout whose output bits are split into these dimensions, the first lowest.

        Raises:
            LayoutError: the sizes do not have as many bits as the output.
        """
        if sum(log2(size, name) for name, size in dims.items()) != self.out_bits:
            raise LayoutError(
                f"the new out-dimensions must have {1 << self.out_bits} values in all",
                found=dict(dims),
            )
        return LinearLayout(self.ins, tuple(dims.items()))

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
        return self._project(
            [name for name in self._vectors if name in ins],
            [name for name in self.out_shifts if name in outs],
        )

    def sublayout_is_zero(self, ins: Sequence[str], outs: Sequence[str]) -> bool:
        """Check whether `ins` do not affect `outs`."""
        return not any(self.sublayout(ins, outs).columns)

    def _project(self, ins: Sequence[str], outs: Sequence[str]) -> LinearLayout:
        """Compute the layout with some dimensions, in the given orders."""
        sizes = self.out_dims
        dims = tuple([(name, sizes[name]) for name in outs])
        shifts, _ = out_shifts(dims)
        moves = [(self.out_shifts[name], size - 1, shifts[name]) for name, size in dims]
        return LinearLayout(
            tuple([(name, _repack(self._vectors[name], moves)) for name in ins]), dims
        )

    def resize_in(self, dim: str, size: int) -> LinearLayout:
        """Compute the layout of the first `size` values of an in-dimension.

        Raises:
            LayoutError: there is no such dimension, or it is smaller.
        """
        bits = log2(size, dim)
        vectors = self.images(dim)
        if bits > len(vectors):
            raise LayoutError(f"{dim} can only shrink: its size is {1 << len(vectors)}", found=size)
        return self._with_ins(dim, vectors[:bits])

    def resize_out(self, dim: str, size: int) -> LinearLayout:
        """Compute the layout with a smaller out-dimension: bases beyond its end become 0 there.

        Raises:
            LayoutError: there is no such dimension, or it is smaller.
        """
        self._check_out_dim(dim)
        bits, old_size, shift = log2(size, dim), self.out_dims[dim], self.out_shifts[dim]
        if size > old_size:
            raise LayoutError(f"{dim} can only shrink: its size is {old_size}", found=size)
        old_bits = log2(old_size, dim)
        low = (1 << shift) - 1

        def shrink(vector: int) -> int:
            entry = vector >> shift & (old_size - 1)
            above = vector >> (shift + old_bits)
            entry = entry if entry < size else 0
            return vector & low | entry << shift | above << (shift + bits)

        return LinearLayout(
            tuple((name, tuple(map(shrink, vectors))) for name, vectors in self.ins),
            tuple((name, size if name == dim else other) for name, other in self.outs),
        )

    def rename_in(self, dim: str, name: str) -> LinearLayout:
        """Compute the layout with another name for an in-dimension."""
        self.images(dim)
        if name != dim and name in self._vectors:
            raise LayoutError(f"there is an in-dimension {name} already", found=name)
        ins = tuple((name if n == dim else n, vectors) for n, vectors in self.ins)
        return LinearLayout(ins, self.outs)

    def rename_out(self, dim: str, name: str) -> LinearLayout:
        """Compute the layout with another name for an out-dimension."""
        self._check_out_dim(dim)
        if name != dim and name in self.out_shifts:
            raise LayoutError(f"there is an out-dimension {name} already", found=name)
        outs = tuple((name if n == dim else n, size) for n, size in self.outs)
        return LinearLayout(self.ins, outs)

    def concat_ins(self, other: LinearLayout) -> LinearLayout:
        """Compute the layout with the in-dimensions of both, on the same out-dimensions.

        Raises:
            LayoutError: the layouts share an in-dimension, or have different out-dimensions.
        """
        for name in other._vectors:
            if name in self._vectors:
                raise LayoutError(f"both layouts have the in-dimension {name}", found=name)
        if self.outs != other.outs:
            raise LayoutError(
                "both layouts must have the same out-dimensions and sizes",
                found=other.out_dims,
                accepted=[f"{name} of {size}" for name, size in self.outs],
            )
        return LinearLayout(self.ins + other.ins, self.outs)

    def concat_outs(self, other: LinearLayout) -> LinearLayout:
        """Compute the layout with the out-dimensions of both, from the same in-dimensions.

        Raises:
            LayoutError: the layouts share an out-dimension, or have different in-dimensions.
        """
        for name in other.out_shifts:
            if name in self.out_shifts:
                raise LayoutError(f"both layouts have the out-dimension {name}", found=name)
        if list(self.in_dims.items()) != list(other.in_dims.items()):
            raise LayoutError(
                "both layouts must have the same in-dimensions and sizes",
                found=other.in_dims,
                accepted=[f"{name} of {size}" for name, size in self.in_dims.items()],
            )
        shift = self.out_bits
        ins = tuple(
            (name, tuple(low | high << shift for low, high in zip(lows, highs, strict=True)))
            for (name, lows), (_, highs) in zip(self.ins, other.ins, strict=True)
        )
        return LinearLayout(ins, self.outs + other.outs)

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
        return self._with_ins(in_dim, tuple(v for v in self.images(in_dim) if v))

    def _with_ins(self, in_dim: str, vectors: tuple[int, ...]) -> LinearLayout:
        """Compute the layout with other packed bases for one in-dimension."""
        ins = tuple((n, vectors if n == in_dim else old) for n, old in self.ins)
        return LinearLayout(ins, self.outs)

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
        if ins.keys() != self._vectors.keys():
            unknown = [name for name in ins if name not in self._vectors]
            if unknown:
                raise LayoutError(f"no in-dimension {unknown[0]}", accepted=list(self._vectors))
            missing = [name for name in self._vectors if name not in ins]
            raise LayoutError(
                f"no value for in-dimension {missing[0]}",
                found=list(ins),
                accepted=list(self._vectors),
            )
        image = 0
        for name, vectors in self.ins:
            value = ins[name]
            if not isinstance(value, int):
                return self._apply_arrays(ins)
            if value < 0 or value >> len(vectors):
                raise LayoutError(f"{name} must be in 0..{(1 << len(vectors)) - 1}", found=value)
            while value:
                low = value & -value
                image ^= vectors[low.bit_length() - 1]
                value ^= low
        return dict(zip(self.out_shifts, self.unpack(image), strict=True))

    def _apply_arrays(self, ins: Mapping[str, int | NDArray[np.integer]]) -> dict[str, IntArray]:
        import numpy as np

        if self.out_bits > _MAX_ARRAY_BITS:
            raise LayoutError(
                f"arrays hold coordinates of at most {_MAX_ARRAY_BITS} bits", found=self.out_bits
            )
        image = np.zeros((), np.int64)
        for name, vectors in self.ins:
            value = np.asarray(ins[name])
            if value.dtype.kind not in "iu":
                raise LayoutError(f"{name} must hold integers", found=str(value.dtype))
            if value.size and (value.min() < 0 or int(value.max()) >> len(vectors)):
                outside = value[(value < 0) | (value >> len(vectors) != 0)].flat[0]
                raise LayoutError(
                    f"{name} must be in 0..{(1 << len(vectors)) - 1}",
                    found=int(outside),
                )
            bits = value.astype(np.int64)
            for bit, vector in enumerate(vectors):
                image = image ^ (bits >> bit & 1) * vector
        return dict(zip(self.out_shifts, self._coordinates(image), strict=True))

    def _coordinates(self, packed: IntArray) -> list[IntArray]:
        """Return one array per out-dimension from packed vectors."""
        return [packed >> self.out_shifts[name] & (size - 1) for name, size in self.outs]

    def packed_table(self) -> IntArray:
        """Return the packed output of every input, the first in-dimension in the lowest bits.

        The table is built by doubling: with bases 1, 2 and 7 of three input bits it grows as
        [0], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 7, 6, 5, 4]. It is read-only, as callers share it.
        """
        try:
            return self._packed_table
        except AttributeError:
            return self._compute_packed_table()

    def _compute_packed_table(self) -> IntArray:
        import numpy as np

        if self.in_bits > _MAX_TABLE_BITS or self.out_bits > _MAX_ARRAY_BITS:
            raise LayoutError(
                f"a table has at most 2^{_MAX_TABLE_BITS} inputs and outputs of "
                f"{_MAX_ARRAY_BITS} bits",
                found=f"{self.in_bits} input bits, {self.out_bits} output bits",
            )
        images = np.zeros(1 << self.in_bits, np.int64)
        filled = 1
        for column in self.columns:
            np.bitwise_xor(images[:filled], column, out=images[filled : 2 * filled])
            filled *= 2
        images.flags.writeable = False
        table = images.view()  # numpy refuses to make a view of a read-only array writeable
        if self.in_bits <= _MAX_CACHED_TABLE_BITS:
            object.__setattr__(self, "_packed_table", table)
        return table

    def table(self) -> IntArray:
        """Return the output of every input.

        Returns:
            An array indexed by the in-dimensions in order and then by the out-dimension:
            `table[register, lane, warp, block]` is the coordinates of an element.
        """
        import numpy as np

        # The first in-dimension lies lowest, which is what Fortran order means.
        packed = self.packed_table().reshape(list(self.in_dims.values()), order="F")
        if not self.outs:
            return np.empty((*packed.shape, 0), np.int64)
        return np.stack(self._coordinates(packed), axis=-1)

    def matrix(self) -> NDArray[np.uint8]:
        """Compute the layout as a matrix of 0 and 1, a row per output bit, a column per input bit.

        The first dimension's bits come first, lowest bit first.
        """
        import numpy as np

        rows = [[column >> bit & 1 for column in self.columns] for bit in range(self.out_bits)]
        return np.array(rows, np.uint8).reshape(self.out_bits, self.in_bits)

    # -- text ---------------------------------------------------------------------------------

    def __str__(self) -> str:
        """Return the text that Triton prints."""
        if not self.ins:
            return "\n(empty layout)" + (self._outs_text() if self.outs else "")
        lines = [""]
        for name, vectors in self.ins:
            if not vectors:
                lines.append(f" - {name} is a size 1 dimension")
            for bit, vector in enumerate(vectors):
                bullet = " - " if bit == 0 else "   "
                coordinates = ", ".join(str(c) for c in self.unpack(vector))
                lines.append(f"{bullet}{name}={1 << bit} -> ({coordinates})")
        return "\n".join(lines) + self._outs_text()

    def _outs_text(self) -> str:
        sizes = ", ".join(f"{name} (size {size})" for name, size in self.outs)
        return f"\nwhere out dims are: [{sizes}]"

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


def _repack(vectors: Iterable[int], moves: Sequence[_Move]) -> tuple[int, ...]:
    """Move the bits of each dimension to their place in another packing."""
    return tuple([sum([(v >> start & mask) << to for start, mask, to in moves]) for v in vectors])


def _check_order(kind: str, order: Sequence[str], dims: Iterable[str]) -> None:
    """Check that an order names each dimension once."""
    if sorted(order) != sorted(dims):
        raise LayoutError(
            f"the order must name each {kind}-dimension once", found=list(order), accepted=dims
        )


def _merge_orders(first: list[str], second: list[str]) -> list[str]:
    """Merge two lists of names into one that keeps the order of both.

    Of names that may come next, those of `first` go before those of `second`.

    Raises:
        LayoutError: the lists have two common names in different orders.
    """
    a, b = list(first), list(second)
    merged: list[str] = []
    while a or b:
        if a and (a[0] not in b or a[0] == b[0]):
            name = a.pop(0)
            if b and b[0] == name:
                b.pop(0)
        elif b and b[0] not in a:
            name = b.pop(0)
        else:
            raise LayoutError(
                "the layouts list their dimensions in orders that disagree",
                found=f"{first} and {second}",
            )
        merged.append(name)
    return merged
