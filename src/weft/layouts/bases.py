"""The state of a LinearLayout: its basis basis_vectors, how they are given and how they are read.

A layout is known once the images of its basis inputs are: of register 1, 2, 4 …, lane 1, 2, 4 … The
image of any other input is the XOR of the images of its bits. For the 4x4 layout

     - register=1 -> (0, 1)          register 3 of lane 2 holds
     - lane=1 -> (1, 1)              (0, 1) ^ (0, 2) ^ (2, 2)
       lane=2 -> (2, 2)
    where out dims are: [dim0 (size 4), dim1 (size 4)]

An image is packed into one int, the first out dimension in the lowest bits, so that adding is `^`,
reshaping the output is re-reading the same ints, and elimination works on rows of bits. Layouts are
immutable and interned: equal means identical.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from weft.errors import LayoutError
from weft.layouts import basis_vectors, gf2

__all__ = ["BasisVectors", "same_names"]

Self = TypeVar("Self", bound="BasisVectors")

Ins = tuple[tuple[str, tuple[int, ...]], ...]
Outs = tuple[tuple[str, int], ...]
_MOST_KEPT = 4096


class _Interned(type):
    """Hand out one layout per class, images and sizes; these two are the key, as they are given."""

    def __init__(cls, *args: Any) -> None:
        super().__init__(*args)
        cls.made: dict[tuple[Any, Any], Any] = {}
        # What was built from a dictionary lately, by its address: see `from_bases`.
        cls.kept: dict[int, tuple[Any, ...]] = {}

    def __call__(cls, ins: Ins, outs: Outs) -> Any:
        """Build a layout, or return the one that was."""
        key = ins, outs
        found = cls.made.get(key)
        if found is None:
            found = cls.made[key] = super().__call__(ins, outs)
        return found


class BasisVectors(metaclass=_Interned):
    """Map named input bits to named output bits; see the module for the idea.

    Attributes: ins: (name, packed images of its bits) per input dimension.
    outs: (name, size) per output dimension, the first in the lowest bits of an image.
    out_bits: their bits in all.  starts: the lowest bit of each output dimension.
    """

    __slots__ = ("_answers", "_images", "_rank", "ins", "out_bits", "outs", "starts")

    def __init__(self, ins: Ins, outs: Outs) -> None:
        self.ins = ins
        self.outs = outs
        self._images = dict(ins)
        self._rank: int | None = None
        self._answers: dict[Any, Any] = {}  # of operations that were asked before
        self.starts, self.out_bits = basis_vectors.starts(outs)

    def _key(self) -> tuple[Any, ...]:
        return (self.ins, self.outs)

    # -- construction -------------------------------------------------------------------------

    @classmethod
    def empty(cls: type[Self]) -> Self:
        """Return the layout without inputs or outputs, the unit of `*`."""
        return cls((), ())

    @classmethod
    def strided_1d(cls: type[Self], size: int, stride: int, in_dim: str, out_dim: str) -> Self:
        """Return x -> stride * x for x below `size`; both are powers of two."""
        bits, shift = basis_vectors.log2(size, in_dim), basis_vectors.log2(stride, "the stride")
        images = tuple(1 << (bit + shift) for bit in range(bits))
        return cls(((in_dim, images),), ((out_dim, size * stride),))

    @classmethod
    def identity_1d(cls: type[Self], size: int, in_dim: str, out_dim: str) -> Self:
        """Return x -> x for x below `size`, a power of two."""
        return cls.strided_1d(size, 1, in_dim, out_dim)

    @classmethod
    def zeros_1d(cls: type[Self], size: int, in_dim: str, out_dim: str, out_size: int = 1) -> Self:
        """Return x -> 0 for x below `size`: every input holds the same element."""
        images = (0,) * basis_vectors.log2(size, in_dim)
        return cls(((in_dim, images),), ((out_dim, out_size),))

    @classmethod
    def from_bases(
        cls: type[Self],
        bases: Mapping[str, Iterable[Sequence[int]]],
        outs: Mapping[str, int] | Sequence[str],
        *,
        surjective: bool = True,
    ) -> Self:
        """Build a layout from basis basis_vectors.

        Args: bases: for each in-dimension, one vector over the out-dimensions per bit.
        outs: sizes by name, or names, whose sizes are then the least that hold all basis_vectors.
        surjective: whether to refuse a layout that leaves outputs out.
        Raises: LayoutError that names the dimension and the value.
        """
        kept = cls.kept.get(id(bases))
        if kept is not None:  # another dictionary may live there by now, or it may have changed
            given, sizes, order, whole, made = kept
            try:
                same = given == bases and sizes == outs and order == (*bases, *outs)
            except ValueError:  # numpy's arrays do not compare to one truth
                same = False
            if same and (whole or not surjective):
                return made
        ins, out_dims = basis_vectors.packed(bases, outs)
        known = len(cls.made)
        made = cls(ins, out_dims)
        if surjective and made.rank != made.out_bits:
            raise _left_out(made)
        if len(cls.made) == known:  # asked before, so it may well be asked again
            cls._keep(bases, outs, made)
        return made

    @classmethod
    def _keep(cls, bases: Any, outs: Any, made: Any) -> None:
        """Remember what was built from a dictionary, beside a copy of what it held."""
        if len(cls.kept) >= _MOST_KEPT:
            cls.kept.clear()
        copied = basis_vectors.copied(bases)
        if copied is not None and type(outs) in (dict, list, tuple):
            sizes = outs if type(outs) is tuple else outs.copy()
            whole = made.rank == made.out_bits
            cls.kept[id(bases)] = (copied, sizes, (*bases, *outs), whole, made)

    # -- reading ------------------------------------------------------------------------------

    @property
    def in_dims(self) -> dict[str, int]:
        """Return the size of each in-dimension, in order."""
        return {name: 1 << len(images) for name, images in self.ins}

    @property
    def out_dims(self) -> dict[str, int]:
        """Return the size of each out-dimension, in order."""
        return dict(self.outs)

    @property
    def in_bits(self) -> int:
        """Return the number of input bits."""
        return sum([len(images) for _, images in self.ins])

    @property
    def bases(self) -> dict[str, list[list[int]]]:
        """Return the basis basis_vectors of each in-dimension, lowest bit first."""
        return {name: [list(self.unpack(v)) for v in images] for name, images in self.ins}

    def images(self, in_dim: str) -> tuple[int, ...]:
        """Return the packed images of the bits of one in-dimension."""
        found = self._images.get(in_dim)
        if found is None:
            raise LayoutError(
                f"no in-dimension {in_dim}", found=in_dim, accepted=list(self._images)
            )
        return found

    def basis(self, in_dim: str, bit: int) -> tuple[int, ...]:
        """Return the coordinates of the image of one input bit."""
        images = self.images(in_dim)
        if not 0 <= bit < len(images):
            raise LayoutError(f"{in_dim} has {len(images)} bits", found=bit)
        return self.unpack(images[bit])

    def in_size(self, in_dim: str) -> int:
        """Return the size of one in-dimension."""
        return 1 << len(self.images(in_dim))

    def out_size(self, out_dim: str) -> int:
        """Return the size of one out-dimension."""
        if out_dim not in self.starts:
            raise LayoutError(
                f"no out-dimension {out_dim}", found=out_dim, accepted=list(self.starts)
            )
        return self.out_dims[out_dim]

    @property
    def columns(self) -> list[int]:
        """Return the packed images of all input bits, the first in-dimension's first."""
        return [image for _, images in self.ins for image in images]

    def unpack(self, image: int) -> tuple[int, ...]:
        """Return the coordinate per out-dimension of a packed image."""
        out = []
        for _, size in self.outs:
            out.append(image & (size - 1))
            image >>= size.bit_length() - 1
        return tuple(out)

    @property
    def rank(self) -> int:
        """Return how many of the basis basis_vectors are independent."""
        if self._rank is None:
            groups = self._images.values()
            if not basis_vectors.units(self.out_bits).difference(*groups):
                self._rank = self.out_bits
            else:
                self._rank = gf2.rank(self.columns)
        return self._rank

    @property
    def is_surjective(self) -> bool:
        """Return whether every output is reached."""
        return self.rank == self.out_bits

    @property
    def is_injective(self) -> bool:
        """Return whether no output is reached twice."""
        return self.rank == self.in_bits

    @property
    def is_invertible(self) -> bool:
        """Return whether each output is reached exactly once."""
        return self.is_surjective and self.is_injective

    def free_variable_masks(self) -> dict[str, int]:
        """Return for each in-dimension the bits that the image does not need.

        A free bit's image is the sum of images of lower bits; flipping it together with those
        reaches the same element again.
        """
        kept = set(gf2.pivots(gf2.transpose(self.columns, self.out_bits), self.in_bits))
        masks: dict[str, int] = {}
        at = 0
        for name, images in self.ins:
            masks[name] = sum(1 << b for b in range(len(images)) if at + b not in kept)
            at += len(images)
        return masks

    def __str__(self) -> str:
        if not self.ins:
            return "\n(empty layout)" + (self._outs_text() if self.outs else "")
        lines = [""]
        for name, images in self.ins:
            if not images:
                lines.append(f" - {name} is a size 1 dimension")
            for bit, image in enumerate(images):
                bullet = " - " if bit == 0 else "   "
                coordinates = ", ".join(str(c) for c in self.unpack(image))
                lines.append(f"{bullet}{name}={1 << bit} -> ({coordinates})")
        return "\n".join(lines) + self._outs_text()

    def _outs_text(self) -> str:
        sizes = ", ".join(f"{name} (size {size})" for name, size in self.outs)
        return f"\nwhere out dims are: [{sizes}]"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._key())


def same_names(kind: str, order: Sequence[str], known: Mapping[str, Any]) -> None:
    """Check that an order names each of the known dimensions once."""
    if sorted(order) != sorted(known):
        raise LayoutError(
            f"the order must name each {kind}-dimension once", found=list(order), accepted=known
        )


def _left_out(made: BasisVectors) -> LayoutError:
    return LayoutError(
        "the bases must reach every output, and some outputs are left out",
        found=f"rank {made.rank} of {made.out_bits} bits\n{made}",
    )
