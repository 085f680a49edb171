"""Multiply f32 on tensor cores as several products of less precise parts (`tritongpu-F32DotTC`).

Before:  %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : …xf32 * …xf32 -> …xf32
After:   %a0 = arith.truncf %a            a ≈ a0 + a1, both bf16; likewise b
         %a1 = arith.truncf (%a - %a0)
         %s0 = tt.dot %a1, %b0, %zero     the small products first,
         %s1 = tt.dot %a0, %b1, %s0
         %s2 = select (%s1 is nan), %zero, %s1
         %s3 = tt.dot %a0, %b0, %s2       the large one last,
         %d  = arith.addf %s3, %c         and the accumulator to their sum

A part carries the next 8 bits of the mantissa (bf16) or the next 11 (tf32), so three parts hold
all 24 bits of an f32. A product of parts i and j matters less the larger i + j is:

    tf32x3, bf16x3   2 parts   (1,0) (0,1)                      then (0,0)
    bf16x6           3 parts   (1,1) (2,0) (0,2) (1,0) (0,1)    then (0,0)

Where an operand is infinite, its second part is inf - inf, a nan, though the product of the first
parts is right: so nans of the small products count as zero.

Keeps: layouts, and every dot of another precision. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.enums import CmpFPredicate, InputPrecision
from weft.ir.folds import FOLDS
from weft.passes.ledger import (
    Candidate,
    enabled,
    record_decision,
    record_remaining_layouts,
    snapshot_layouts,
)
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["F32DotTc"]

_ROUND_TO_TF32 = "cvt.rna.tf32.f32 $0, $1;"
_SECOND_ORDER = ((1, 0), (0, 1))
_THIRD_ORDER = ((1, 1), (2, 0), (0, 2), *_SECOND_ORDER)


@dataclass(frozen=True, slots=True)
class F32DotTc:
    """Post: no dot of f32 operands asks for bf16x3 or bf16x6, nor for tf32x3 with `emu_tf32`.

    emu_tf32: the chip's tensor cores read tf32, so tf32x3 is made of such products.
    """

    emu_tf32: bool = False

    name: ClassVar[str] = "tritongpu-F32DotTC"

    def run(self, module: ModuleOp) -> None:
        """Split dots in place."""
        before = snapshot_layouts(module)
        schemes = [_BF16X3, _BF16X6] + ([_TF32X3] if self.emu_tf32 else [])
        by_precision = {scheme.asked: scheme for scheme in schemes}

        def split(op: Operation, rewriter: Rewriter) -> bool:
            scheme = by_precision.get(InputPrecision.of(op.properties["inputPrecision"]))
            if scheme is None or not all(_is_f32(value) for value in op.operands[:2]):
                return False
            _Split(self, op, rewriter, scheme).run()
            return True

        apply_greedily(module, RewriteRules(FOLDS, {tt.DotOp: (split,)}, top_down=False))
        record_remaining_layouts(self, module, before, "that of the dot it is part of")


def _is_f32(value: SSAValue) -> bool:
    return types.element(value.type) == types.f32


@dataclass(frozen=True, slots=True)
class _Scheme:
    """What a precision is made of.

    parts: how many an operand is cut into.  products: those before the largest one, in order.
    element: of a part.  used: the precision that the products ask for.
    """

    asked: InputPrecision
    parts: int
    products: tuple[tuple[int, int], ...]
    element: Attribute
    used: InputPrecision


_BF16X3 = _Scheme(InputPrecision.BF16X3, 2, _SECOND_ORDER, types.bf16, InputPrecision.IEEE)
_BF16X6 = _Scheme(InputPrecision.BF16X6, 3, _THIRD_ORDER, types.bf16, InputPrecision.IEEE)
_TF32X3 = _Scheme(InputPrecision.TF32X3, 2, _SECOND_ORDER, types.f32, InputPrecision.TF32)


@dataclass(frozen=True, slots=True)
class _Split:
    """The split of one dot."""

    by: F32DotTc
    op: Operation
    rewriter: Rewriter
    scheme: _Scheme

    def run(self) -> None:
        """Replace the dot by the sum of products."""
        op, scheme = self.op, self.scheme
        a, b, c = op.operands[0], op.operands[1], op.operands[2]
        cut = self._tf32_parts if scheme is _TF32X3 else self._bf16_parts
        left, right = cut(a), cut(b)
        zero = self._zero(c.type)
        total = zero
        for i, j in scheme.products:
            total = self._dot(left[i], right[j], total)
        total = self._dot(left[0], right[0], self._without_nans(total, zero))
        result = self._make(arith.AddFOp, total, c)
        self._note(result)
        self.rewriter.replace(op, (result,))

    def _make(
        self,
        cls: type[Operation],
        *operands: SSAValue,
        type_: Attribute | None = None,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        result_type = operands[0].type if type_ is None else type_
        made = self.rewriter.create(cls, operands, (result_type,), properties, before=self.op)
        return made.results[0]

    def _bf16_parts(self, value: SSAValue) -> list[SSAValue]:
        """Return bf16 parts: the value rounded, then what rounding left, rounded, and so on."""
        small = types.with_element(value.type, types.bf16)
        parts, left = [], value
        for index in range(self.scheme.parts):
            part = self._make(arith.TruncFOp, left, type_=small)
            parts.append(part)
            if index + 1 < self.scheme.parts:
                wide = self._make(arith.ExtFOp, part, type_=value.type)
                left = self._make(arith.SubFOp, left, wide)
        return parts

    def _tf32_parts(self, value: SSAValue) -> list[SSAValue]:
        """Return two f32 parts: the value rounded to tf32, and the rest."""
        properties: dict[str, Attribute] = {
            "asm_string": attributes.string(_ROUND_TO_TF32),
            "constraints": attributes.string("=r,r"),
            "pure": attributes.boolean(True),
            "packed_element": attributes.integer(1, types.i32),
        }
        large = self._make(tt.ElementwiseInlineAsmOp, value, properties=properties)
        return [large, self._make(arith.SubFOp, value, large)]

    def _zero(self, type_: Attribute) -> SSAValue:
        value = attributes.splat(attributes.float_(0.0, types.element(type_)), type_)
        return self.rewriter.constant(value, type_, self.op)

    def _dot(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        properties = {
            "inputPrecision": self.scheme.used.attr(),
            "maxNumImpreciseAcc": self.op.properties["maxNumImpreciseAcc"],
        }
        return self._make(tt.DotOp, a, b, c, type_=c.type, properties=properties)

    def _without_nans(self, value: SSAValue, zero: SSAValue) -> SSAValue:
        bits = types.with_element(value.type, types.i1)
        uno = {"predicate": CmpFPredicate.UNO.attr()}
        is_nan = self._make(arith.CmpFOp, value, value, type_=bits, properties=uno)
        return self._make(arith.SelectOp, is_nan, zero, value, type_=value.type)

    def _note(self, result: SSAValue) -> None:
        if not enabled():
            return
        scheme = self.scheme
        order = ", ".join(f"a{i}·b{j}" for i, j in (*scheme.products, (0, 0)))
        record_decision(
            self.by,
            result,
            f"{len(scheme.products) + 1} products of {scheme.element} parts: {order}",
            f"inputPrecision = {scheme.asked} asks for it; small products are summed first",
            over=[Candidate("one product in f32", "not on tensor cores")],
            facts=[("parts of an operand", str(scheme.parts))],
        )
