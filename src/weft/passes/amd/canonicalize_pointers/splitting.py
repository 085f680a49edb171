"""Split an offset into a scalar that all elements share and the rest.

    (splat %n) + (make_range + 5)     →   %n + 5   and   make_range
    A + B                             →   u(A) + u(B)   and   r(A) + r(B)
    A · B                             →   u(A)·u(B)   and   r(A)·r(B) + u(A)·r(B) + r(A)·u(B)

Broadcasts and expanded dimensions are split through; anything else is all rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.ir import arith, tt, types
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.rewriting import defining_op
from weft.passes.amd.canonicalize_pointers.offsets import Offsets, scalar_behind

__all__ = ["Splitter"]


@dataclass(slots=True)
class Splitter:
    """Split offsets before an operation.

    splats: the tensors met that repeat a scalar, by the scalar and their type, to be used again.
    """

    make: Offsets
    splats: dict[tuple[SSAValue, Attribute], SSAValue] = field(default_factory=dict)

    def scalar_of(self, value: SSAValue) -> SSAValue | None:
        """Return the scalar that a tensor repeats, and note the tensor if it is a splat."""
        scalar = scalar_behind(value)
        if scalar is not None:
            self.splats[scalar, value.type] = value
        return self.make.scalar_of(value)

    def split(self, offset: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Return the shared scalar and the rest of a tensor of offsets."""
        make = self.make
        scalar = self.scalar_of(offset)
        if scalar is not None:
            return scalar, make.constant(0, offset.type)
        op = defining_op(offset)
        if isinstance(op, tt.BroadcastOp | tt.ExpandDimsOp):
            scalar, rest = self.split(op.operands[0])
            made = make.builder.create(type(op), [rest], [offset.type], op.properties)
            return scalar, made.results[0]
        if isinstance(op, arith.AddIOp):
            left, left_rest = self.split(op.operands[0])
            right, right_rest = self.split(op.operands[1])
            return make.add(left, right), make.add(left_rest, right_rest)
        if isinstance(op, arith.MulIOp):
            return self._product(op)
        return make.constant(0, types.element(offset.type)), offset

    def _product(self, op: arith.MulIOp) -> tuple[SSAValue, SSAValue]:
        build = self.make.builder
        left, left_rest = self.split(op.operands[0])
        right, right_rest = self.split(op.operands[1])
        scalar = build.value(arith.MulIOp, [left, right], left.type)
        every_left = self.make.splat(left, left_rest.type)
        every_right = self.make.splat(right, right_rest.type)
        type_ = op.results[0].type
        rests = build.value(arith.MulIOp, [left_rest, right_rest], type_)
        from_left = build.value(arith.MulIOp, [every_left, right_rest], type_)
        from_right = build.value(arith.MulIOp, [left_rest, every_right], type_)
        first = build.value(arith.AddIOp, [rests, from_left], type_)
        return scalar, build.value(arith.AddIOp, [first, from_right], type_)
