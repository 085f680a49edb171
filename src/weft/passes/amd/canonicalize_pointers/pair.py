"""A pointer as a base and an offset, and what is known of the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.ir import tt, types
from weft.ir.builtin import Attribute, SSAValue
from weft.passes.amd.canonicalize_pointers.offsets import Offsets

__all__ = ["Pair"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A pointer, or a tensor of pointers, as `base + offset`.

    base: a scalar pointer.  offset: an integer, or a tensor of them in the pointers' shape and
    layout, in elements.  small: whether all of the base's array lies within 2 GiB, so that 32 bits
    hold every offset (`tt.pointer_range = 32`).  narrow: whether 32 bits of a wider offset do.
    attributes: those of a pointer made from the two.
    """

    base: SSAValue
    offset: SSAValue
    small: bool
    narrow: bool = False
    attributes: Mapping[str, Attribute] = field(default_factory=dict)

    @property
    def values(self) -> tuple[SSAValue, SSAValue]:
        """The two values that stand for the pointer."""
        return self.base, self.offset

    def moved(self, base: SSAValue, offset: SSAValue) -> Pair:
        """Return a pair of which the same is known."""
        return Pair(base, offset, self.small, self.narrow, self.attributes)

    def pointer(self, make: Offsets) -> SSAValue:
        """Return the pointer, or the tensor of pointers, made before the place of `make`."""
        base, offset = self.base, self.offset
        if types.is_tensor(offset.type):
            if self.narrow:
                offset = make.cast(offset, types.i32)
            base = make.splat(base, offset.type)
        made = make.builder.create(
            tt.AddPtrOp, [base, offset], [base.type], attributes=self.attributes
        )
        return made.results[0]
