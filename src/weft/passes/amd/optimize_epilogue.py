"""Store a dot's result in the layout of its instruction (tritonamdgpu-optimize-epilogue).

Before:  %1 = ttg.convert_layout %0 : #mma -> #blocked  After:  %1 = arith.truncf %0 : #mma
         %2 = arith.truncf %1 : #blocked                        %2 = ttg.convert_layout %ptr : #mma
         tt.store %ptr, %2, %mask : #blocked                    %3 = ttg.convert_layout %mask : #mma
                                                                tt.store %2, %1, %3 : #mma

The result is not converted through shared memory; pointers and mask are converted to its layout
instead. Unary elementwise operations with one use may be between the conversion and the store.

A lane of a transposed MFMA result holds 4 contiguous elements of a row, so 16-bit results are
stored with 64 bits per lane. Chips with an instruction that swaps halves of the lanes store 128
bits: in every 16 columns of a 32x32 tile, columns 4..7 and 8..11 are swapped

    lanes 0-31:   0..3   8..11            0..3   4..7
    lanes 32-63:  4..7  12..15      →     8..11 12..15

and likewise for pairs of 16x16 tiles in one warp. Needs layouts. Keeps the stored values.
Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from xdsl.rewriter import Rewriter as IRRewriter

from weft.ir import arith, math, tt, ttg, types
from weft.ir.attributes import number
from weft.ir.builtin import Attribute, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.locations import location_of
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    Encoding,
    LinearEncoding,
    LinearLayout,
    NvidiaMmaEncoding,
)
from weft.layouts.inference import linear_encoding
from weft.passes.ledger import Candidate, enabled, record_decision, source_position
from weft.passes.registry import Pass
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["OptimizeEpilogue", "wide_store_layout"]

_UNARY = (
    *(arith.ExtFOp, arith.ExtSIOp, arith.ExtUIOp, arith.FPToSIOp, arith.FPToUIOp, arith.NegFOp),
    *(arith.SIToFPOp, arith.TruncFOp, arith.TruncIOp, arith.UIToFPOp),
    *(math.AbsFOp, math.AbsIOp, math.CeilOp, math.CosOp, math.SinOp, math.ErfOp, math.ExpOp),
    *(math.Exp2Op, math.ExpM1Op, math.FloorOp, math.LogOp, math.Log10Op, math.Log1pOp),
    *(math.Log2Op, math.RsqrtOp, math.SqrtOp, math.TanhOp),
    *(tt.IntToPtrOp, tt.PtrToIntOp, tt.BitcastOp, tt.FpToFpOp),
)
_SWAPPING = (4,)  # MFMA versions of chips with v_permlane16_swap and v_permlane32_swap
_GROUP_BIT = 2  # columns 4..7 are 1 << 2 away from columns 0..3


class OptimizeEpilogue(Struct, frozen=True):
    """Remove the conversion between a dot's result and its only user, a store."""

    name: ClassVar[str] = "tritonamdgpu-optimize-epilogue"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the stores of a module."""

        def pattern(op: Operation, rewriter: Rewriter) -> bool:
            return _store_directly(op, rewriter, self)

        rules = RewriteRules(FOLDS, {tt.StoreOp: (pattern,)}, top_down=False, merge_blocks=True)
        apply_greedily(module, rules)


def _store_directly(op: Operation, rewriter: Rewriter, pass_: Pass) -> bool:
    assert isinstance(op, tt.StoreOp)
    ptr, value, mask = op.ptr, op.value, op.mask
    if not all(isinstance(types.encoding(value.type), BlockedEncoding) for value in (ptr, value)):
        return False
    chain = _chain(value)
    if chain is None:
        return False
    source = chain[0].operands[0]
    layout = types.encoding(source.type)
    if not isinstance(layout, AmdMfmaEncoding | AmdWmmaEncoding | NvidiaMmaEncoding):
        return False
    converted = [_convert(ptr, layout, op, rewriter)]
    last = _in_layout(chain[1:], source, layout, rewriter)
    if mask is not None:
        converted.append(_convert(mask, layout, op, rewriter))
    _record(pass_, op, [*converted, *(link.results[0] for link in chain[1:])], layout)
    wide = wide_store_layout(last.type)
    operands = [converted[0], last, *converted[1:]]
    if wide is not None:
        operands = [_convert(value, wide, op, rewriter) for value in operands]
        _record_wide(pass_, op, operands, layout, wide)
    properties = {key: op.properties[key] for key in ("cache", "evict")}
    rewriter.create(tt.StoreOp, operands, (), properties, before=op)
    rewriter.erase(op)
    return True


def _chain(value: SSAValue) -> list[Operation] | None:
    """Find the layout conversion of a stored value, and the operations after it.

    Returns: the operations in program order, the conversion first; None if there is no conversion
        or an intermediate value has another use.
    """
    chain: list[Operation] = []
    while True:
        if not isinstance(value, OpResult) or not value.has_one_use():
            return None
        producer = value.op
        chain.append(producer)
        if isinstance(producer, ttg.ConvertLayoutOp):
            return chain[::-1]
        if not _is_unary(producer):
            return None
        value = producer.operands[0]


def _is_unary(op: Operation) -> bool:
    """Check whether an operation is elementwise with one operand."""
    if isinstance(op, tt.ExternElementwiseOp):
        return len(op.operands) == 1 and bool(number(op.properties["pure"]))
    return isinstance(op, _UNARY)


def _convert(value: SSAValue, layout: Encoding, op: Operation, rewriter: Rewriter) -> SSAValue:
    type_ = types.with_encoding(value.type, layout)
    location = location_of(value)
    conversion = rewriter.create(
        ttg.ConvertLayoutOp, (value,), (type_,), before=op, location=location
    )
    return conversion.results[0]


def _in_layout(
    chain: list[Operation], value: SSAValue, layout: Encoding, rewriter: Rewriter
) -> SSAValue:
    """Change the layout of a chain of operations, starting from a value in that layout."""
    for op in chain:
        rewriter.set_operand(op, 0, value)
        value = op.results[0]
        IRRewriter.replace_value_with_new_type(value, types.with_encoding(value.type, layout))
        value = op.results[0]
    return value


def wide_store_layout(type_: Attribute) -> LinearEncoding | None:
    """Return the layout with 8 contiguous elements per lane, reached by one lane swap.

    Args:
        type_: the type of the stored tensor.
    Returns: the layout; None if the tensor is not a transposed 2-D MFMA result of 16-bit floats, or
        if the columns to swap are in different warps.
    """
    layout = types.encoding(type_)
    shape, element = types.shape(type_), types.element(type_)
    if not isinstance(layout, AmdMfmaEncoding) or layout.version not in _SWAPPING:
        return None
    if len(shape) != 2 or element not in (types.f16, types.bf16) or not layout.is_transposed:
        return None
    sides = layout.instr_shape[:2]
    if sides == (32, 32):
        other = 3
    elif sides == (16, 16) and shape[1] >= 32 and layout.warps_per_cta[1] == 1:
        other = 4
    else:
        return None
    layout_in_registers = layout.linear(shape)
    rows, columns = ([1 << bit for bit in range(size.bit_length() - 1)] for size in shape)
    if other >= len(columns):
        return None
    columns[_GROUP_BIT], columns[other] = columns[other], columns[_GROUP_BIT]
    bases = {"dim0": [(row, 0) for row in rows], "dim1": [(0, column) for column in columns]}
    swap = LinearLayout.from_bases(bases, ["dim0", "dim1"])
    return linear_encoding(layout_in_registers.compose(swap))


def _record(pass_: Pass, op: tt.StoreOp, values: list[SSAValue], layout: Encoding) -> None:
    if not enabled():
        return
    anchor = f"tt.store at {_location(op)}"
    reason = "stored in the layout of the matrix instruction, without shared memory"
    candidates = (
        Candidate(str(layout), "chosen: pointers and mask are computed in it"),
        Candidate(
            str(types.encoding(op.ptr.type)),
            "rejected: the result is converted through shared memory",
        ),
    )
    for value in values:
        record_decision(pass_, value, str(layout), reason, candidates=candidates, anchor=anchor)


def _record_wide(
    pass_: Pass, op: tt.StoreOp, values: list[SSAValue], layout: Encoding, wide: Encoding
) -> None:
    if not enabled():
        return
    candidates = (
        Candidate(str(wide), "8 contiguous elements per lane: 128-bit stores"),
        Candidate(str(layout), "4 contiguous elements per lane: 64-bit stores"),
    )
    for value in values:
        reason = "halves of the lanes are swapped for 128-bit stores"
        record_decision(
            pass_,
            value,
            str(wide),
            reason,
            candidates=candidates,
            anchor=f"tt.store at {_location(op)}",
        )


def _location(op: tt.StoreOp) -> str:
    return source_position(op.value) or "an unknown location"
