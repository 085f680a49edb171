"""Compute f32 dots on tensor cores as several dots of operands with fewer bits.

Before:  %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : …xf32 * …xf32 -> …xf32
After:   %a0 = arith.truncf %a            a ≈ a0 + a1, both bf16; likewise b
         %a1 = arith.truncf (%a - %a0)
         %s0 = tt.dot %a1, %b0, %zero     the small terms first,
         %s1 = tt.dot %a0, %b1, %s0
         %s2 = select (%s1 is nan), %zero, %s1
         %s3 = tt.dot %a0, %b0, %s2       the large one last,
         %d  = arith.addf %s3, %c         and the accumulator to their sum

Each part of an operand has the next 8 bits (bf16) or 11 bits (tf32) of the mantissa, so three bf16
parts hold all 24 bits of an f32. The term of parts i and j is smaller the larger i + j is; the
smallest terms are omitted:

    tf32x3, bf16x3   2 parts   (1,0) (0,1)                      then (0,0)
    bf16x6           3 parts   (1,1) (2,0) (0,2) (1,0) (0,1)    then (0,0)

If an operand is infinite, its second part is inf - inf = NaN although the term of the first parts
is correct. So NaN in the sum of the small terms is replaced by zero.

Preserves layouts, and dots of other precisions.
Source: measured on Triton 3.7.1 (`tritongpu-F32DotTC`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

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


class F32DotTc(Struct, frozen=True):
    """Replaces f32 dots with inputPrecision bf16x3 and bf16x6, and tf32x3 if `emu_tf32` is set.

    Attributes:
        emu_tf32: Decompose tf32x3, because the target's tensor cores support tf32.
    """

    emu_tf32: bool = False

    name: ClassVar[str] = "tritongpu-F32DotTC"

    def run(self, module: ModuleOp) -> None:
        """Decompose dots in place."""
        before = snapshot_layouts(module)
        schemes = [_BF16X3, _BF16X6] + ([_TF32X3] if self.emu_tf32 else [])
        by_precision = {scheme.precision: scheme for scheme in schemes}

        def decompose(op: Operation, rewriter: Rewriter) -> bool:
            scheme = by_precision.get(InputPrecision.of(op.properties["inputPrecision"]))
            if scheme is None or not all(_is_f32(value) for value in op.operands[:2]):
                return False
            _Decomposition(self, op, rewriter, scheme).run()
            return True

        apply_greedily(module, RewriteRules(FOLDS, {tt.DotOp: (decompose,)}, top_down=False))
        record_remaining_layouts(self, module, before, "the layout of the decomposed dot")


def _is_f32(value: SSAValue) -> bool:
    return types.element(value.type) == types.f32


class _Scheme(Struct, frozen=True):
    """How to compute a dot of one precision.

    Attributes:
        precision: The precision of the decomposed dot.
        parts: The number of parts of each operand.
        small_terms: (part of a, part of b) of the terms before the largest, in order.
        element: The element type of a part.
        part_precision: The precision of the dots of parts.
    """

    precision: InputPrecision
    parts: int
    small_terms: tuple[tuple[int, int], ...]
    element: Attribute
    part_precision: InputPrecision


_BF16X3 = _Scheme(InputPrecision.BF16X3, 2, _SECOND_ORDER, types.bf16, InputPrecision.IEEE)
_BF16X6 = _Scheme(InputPrecision.BF16X6, 3, _THIRD_ORDER, types.bf16, InputPrecision.IEEE)
_TF32X3 = _Scheme(InputPrecision.TF32X3, 2, _SECOND_ORDER, types.f32, InputPrecision.TF32)


class _Decomposition(Struct, frozen=True):
    """The decomposition of one dot."""

    by: F32DotTc
    op: Operation
    rewriter: Rewriter
    scheme: _Scheme

    def run(self) -> None:
        """Replace the dot by the sum of its terms."""
        op, scheme = self.op, self.scheme
        a, b, c = op.operands[0], op.operands[1], op.operands[2]
        split = self._tf32_parts if scheme is _TF32X3 else self._bf16_parts
        a_parts, b_parts = split(a), split(b)
        zero = self._zero(c.type)
        total = zero
        for i, j in scheme.small_terms:
            total = self._dot(a_parts[i], b_parts[j], total)
        total = self._dot(a_parts[0], b_parts[0], self._replace_nan(total, zero))
        result = self._create(arith.AddFOp, total, c)
        self._record(result)
        self.rewriter.replace(op, (result,))

    def _create(
        self,
        cls: type[Operation],
        *operands: SSAValue,
        type_: Attribute | None = None,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        result_type = operands[0].type if type_ is None else type_
        op = self.rewriter.create(cls, operands, (result_type,), properties, before=self.op)
        return op.results[0]

    def _bf16_parts(self, value: SSAValue) -> list[SSAValue]:
        """Split a value into bf16 parts: each is the rounded remainder of the previous ones."""
        part_type = types.with_element(value.type, types.bf16)
        parts: list[SSAValue] = []
        remainder = value
        for index in range(self.scheme.parts):
            part = self._create(arith.TruncFOp, remainder, type_=part_type)
            parts.append(part)
            if index + 1 < self.scheme.parts:
                wide = self._create(arith.ExtFOp, part, type_=value.type)
                remainder = self._create(arith.SubFOp, remainder, wide)
        return parts

    def _tf32_parts(self, value: SSAValue) -> list[SSAValue]:
        """Split a value into two f32 parts: the value rounded to tf32, and the remainder."""
        properties: dict[str, Attribute] = {
            "asm_string": attributes.string(_ROUND_TO_TF32),
            "constraints": attributes.string("=r,r"),
            "pure": attributes.boolean(True),
            "packed_element": attributes.integer(1, types.i32),
        }
        large = self._create(tt.ElementwiseInlineAsmOp, value, properties=properties)
        return [large, self._create(arith.SubFOp, value, large)]

    def _zero(self, type_: Attribute) -> SSAValue:
        value = attributes.splat(attributes.float_(0.0, types.element(type_)), type_)
        return self.rewriter.constant(value, type_, self.op)

    def _dot(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        properties = {
            "inputPrecision": self.scheme.part_precision.attr(),
            "maxNumImpreciseAcc": self.op.properties["maxNumImpreciseAcc"],
        }
        return self._create(tt.DotOp, a, b, c, type_=c.type, properties=properties)

    def _replace_nan(self, value: SSAValue, zero: SSAValue) -> SSAValue:
        condition = types.with_element(value.type, types.i1)
        uno = {"predicate": CmpFPredicate.UNO.attr()}
        is_nan = self._create(arith.CmpFOp, value, value, type_=condition, properties=uno)
        return self._create(arith.SelectOp, is_nan, zero, value, type_=value.type)

    def _record(self, result: SSAValue) -> None:
        if not enabled():
            return
        scheme = self.scheme
        order = ", ".join(f"a{i}·b{j}" for i, j in (*scheme.small_terms, (0, 0)))
        record_decision(
            self.by,
            result,
            f"{len(scheme.small_terms) + 1} dots of {scheme.element} parts: {order}",
            f"requested by inputPrecision = {scheme.precision}; small terms are summed first",
            candidates=[Candidate("one dot in f32", "not on tensor cores")],
            facts=[("parts of an operand", str(scheme.parts))],
        )
