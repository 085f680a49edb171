"""A fat pointer: a pointer as a base and an offset."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from weft.ir import tt, types
from weft.ir.builtin import Attribute, SSAValue
from weft.passes.amd.canonicalize_pointers.offsets import Offsets

__all__ = ["FatPointer"]


class FatPointer(Struct, frozen=True):
    """A pointer, or a tensor of pointers, as `base + offset`.

    Attributes:
        base: a scalar pointer.
        offset: offset in elements, an integer or a tensor in the pointers' shape and layout.
        is_small: whether the array of the base is within 2 GiB (`tt.pointer_range = 32`), so that
            every offset fits in 32 bits.
        is_narrow: whether the value of a 64-bit offset fits in 32 bits.
        attributes: attributes of the `tt.addptr` that is created from it.
    """

    base: SSAValue
    offset: SSAValue
    is_small: bool
    is_narrow: bool = False
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])

    @property
    def values(self) -> tuple[SSAValue, SSAValue]:
        """The base and the offset."""
        return self.base, self.offset

    def with_values(self, base: SSAValue, offset: SSAValue) -> FatPointer:
        """Return a fat pointer with other values and the same properties."""
        return FatPointer(base, offset, self.is_small, self.is_narrow, self.attributes)

    def pointer(self, offsets: Offsets) -> SSAValue:
        """Create the pointer, or the tensor of pointers, at the insertion point of `offsets`."""
        base, offset = self.base, self.offset
        if types.is_tensor(offset.type):
            if self.is_narrow:
                offset = offsets.cast(offset, types.i32)
            base = offsets.splat(base, offset.type)
        new_op = offsets.builder.create(
            tt.AddPtrOp, [base, offset], [base.type], attributes=self.attributes
        )
        return new_op.results[0]
