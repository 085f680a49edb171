"""Split an offset into a uniform scalar, which all elements share, and the rest.

    (splat %n) + (make_range + 5)     →   %n + 5   and   make_range
    A + B                             →   u(A) + u(B)   and   r(A) + r(B)
    A · B                             →   u(A)·u(B)   and   r(A)·r(B) + u(A)·r(B) + r(A)·u(B)

Broadcasts and expanded dimensions are split through. Any other offset has the uniform part 0.
"""

from __future__ import annotations

from msgspec import Struct, field

from weft.ir import arith, tt, types
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.rewriting import defining_op
from weft.passes.amd.canonicalize_pointers.offsets import Offsets, splat_source

__all__ = ["OffsetSplitter"]


class OffsetSplitter(Struct):
    """Splits offsets before an operation.

    Attributes:
        offsets: creates the arithmetic.
        splats: existing splats by their scalar and type, to be reused.
    """

    offsets: Offsets
    splats: dict[tuple[SSAValue, Attribute], SSAValue] = field(default_factory=dict)

    def scalar_of(self, value: SSAValue) -> SSAValue | None:
        """Return the scalar of a splat or constant tensor, else None; record splats for reuse."""
        scalar = splat_source(value)
        if scalar is not None:
            self.splats[scalar, value.type] = value
        return self.offsets.scalar_of(value)

    def split(self, offset: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Split a tensor of offsets.

        Returns: the uniform scalar, and the rest.
        """
        offsets = self.offsets
        scalar = self.scalar_of(offset)
        if scalar is not None:
            return scalar, offsets.constant(0, offset.type)
        op = defining_op(offset)
        if isinstance(op, tt.BroadcastOp | tt.ExpandDimsOp):
            scalar, rest = self.split(op.operands[0])
            new_op = offsets.builder.create(type(op), [rest], [offset.type], op.properties)
            return scalar, new_op.results[0]
        if isinstance(op, arith.AddIOp):
            left, left_rest = self.split(op.operands[0])
            right, right_rest = self.split(op.operands[1])
            return offsets.add(left, right), offsets.add(left_rest, right_rest)
        if isinstance(op, arith.MulIOp):
            return self._split_product(op)
        return offsets.constant(0, types.element(offset.type)), offset

    def _split_product(self, op: arith.MulIOp) -> tuple[SSAValue, SSAValue]:
        build = self.offsets.builder
        left, left_rest = self.split(op.operands[0])
        right, right_rest = self.split(op.operands[1])
        scalar = build.value(arith.MulIOp, [left, right], left.type)
        left_splat = self.offsets.splat(left, left_rest.type)
        right_splat = self.offsets.splat(right, right_rest.type)
        type_ = op.results[0].type
        rests = build.value(arith.MulIOp, [left_rest, right_rest], type_)
        from_left = build.value(arith.MulIOp, [left_splat, right_rest], type_)
        from_right = build.value(arith.MulIOp, [left_rest, right_splat], type_)
        first = build.value(arith.AddIOp, [rests, from_left], type_)
        return scalar, build.value(arith.AddIOp, [first, from_right], type_)
