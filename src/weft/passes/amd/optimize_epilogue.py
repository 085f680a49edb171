"""Store a dot's result as the matrix instruction leaves it (tritonamdgpu-optimize-epilogue).

Before:  %1 = ttg.convert_layout %0 : #mma -> #blocked  After:  %1 = arith.truncf %0 : #mma
         %2 = arith.truncf %1 : #blocked                        %2 = ttg.convert_layout %ptr : #mma
         tt.store %ptr, %2, %mask : #blocked                    %3 = ttg.convert_layout %mask : #mma
                                                                tt.store %2, %1, %3 : #mma

The result need not go through shared memory: pointers and mask are computed in its layout instead.
Between the conversion and the store there may be operations on one tensor, element by element, that
nobody else reads.

A lane of a transposed MFMA result has 4 neighbours of a row, and 4 results of 16 bits make a store
of 64 bits. Chips that exchange halves of their lanes in one instruction store 128 bits: of every 16
columns of a 32x32 tile, columns 4..7 and 8..11 change places

    lanes 0-31:   0..3   8..11            0..3   4..7
    lanes 32-63:  4..7  12..15      →     8..11 12..15

and the same for pairs of 16x16 tiles in one warp. Needs layouts; keeps what is stored.
Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.rewriter import Rewriter as Types

from weft.ir import arith, math, tt, ttg, types
from weft.ir.attributes import number
from weft.ir.builtin import Attribute, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.folds import FOLDS
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
_SWAPPING = (4,)  # versions of MFMA whose chips have v_permlane16_swap and v_permlane32_swap
_GROUP_BIT = 2  # columns 4..7 of a lane are 1 << 2 apart from its first ones


@dataclass(frozen=True, slots=True)
class OptimizeEpilogue:
    """Post: no store waits for a dot's result to be converted, if nobody else reads it."""

    name: ClassVar[str] = "tritonamdgpu-optimize-epilogue"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the stores of a module."""

        def pattern(op: Operation, rewriter: Rewriter) -> bool:
            return _store_directly(op, rewriter, self)

        rules = RewriteRules(FOLDS, {tt.StoreOp: (pattern,)}, top_down=False, merge_blocks=True)
        apply_greedily(module, rules)


def _store_directly(op: Operation, rewriter: Rewriter, by: Pass) -> bool:
    assert isinstance(op, tt.StoreOp)
    ptr, value, mask = op.ptr, op.value, op.mask
    if not all(isinstance(types.encoding(one.type), BlockedEncoding) for one in (ptr, value)):
        return False
    chain = _chain(value)
    if chain is None:
        return False
    source = chain[0].operands[0]
    layout = types.encoding(source.type)
    if not isinstance(layout, AmdMfmaEncoding | AmdWmmaEncoding | NvidiaMmaEncoding):
        return False
    moved = [_converted(ptr, layout, op, rewriter)]
    last = _in_layout(chain[1:], source, layout, rewriter)
    if mask is not None:
        moved.append(_converted(mask, layout, op, rewriter))
    _tell(by, op, [*moved, *(one.results[0] for one in chain[1:])], layout)
    wide = wide_store_layout(last.type)
    operands = [moved[0], last, *moved[1:]]
    if wide is not None:
        operands = [_converted(one, wide, op, rewriter) for one in operands]
        _tell_wide(by, op, operands, layout, wide)
    properties = {key: op.properties[key] for key in ("cache", "evict")}
    rewriter.create(tt.StoreOp, operands, (), properties, before=op)
    rewriter.erase(op)
    return True


def _chain(value: SSAValue) -> list[Operation] | None:
    """Return the conversion that a stored value comes from and what is done to it, in order.

    None where it comes from no conversion, or where others read it on the way.
    """
    chain: list[Operation] = []
    while True:
        if not isinstance(value, OpResult) or not value.has_one_use():
            return None
        made = value.op
        chain.append(made)
        if isinstance(made, ttg.ConvertLayoutOp):
            return chain[::-1]
        if not _unary(made):
            return None
        value = made.operands[0]


def _unary(op: Operation) -> bool:
    """Tell whether an operation works on one tensor, element by element."""
    if isinstance(op, tt.ExternElementwiseOp):
        return len(op.operands) == 1 and bool(number(op.properties["pure"]))
    return isinstance(op, _UNARY)


def _converted(value: SSAValue, layout: Encoding, op: Operation, rewriter: Rewriter) -> SSAValue:
    type_ = types.with_encoding(value.type, layout)
    return rewriter.create(ttg.ConvertLayoutOp, (value,), (type_,), before=op).results[0]


def _in_layout(
    chain: list[Operation], value: SSAValue, layout: Encoding, rewriter: Rewriter
) -> SSAValue:
    """Let operations read a value in another layout, and give their results that layout."""
    for op in chain:
        rewriter.set_operand(op, 0, value)
        value = op.results[0]
        Types.replace_value_with_new_type(value, types.with_encoding(value.type, layout))
        value = op.results[0]
    return value


def wide_store_layout(type_: Attribute) -> LinearEncoding | None:
    """Return the layout in which lanes hold 8 neighbours of a row, a swap of lanes away.

    None where the result is no transposed MFMA result of 16-bit floats and two dimensions, or where
    the columns to swap are not in one warp.
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
    held = layout.linear(shape)
    rows, columns = ([1 << bit for bit in range(size.bit_length() - 1)] for size in shape)
    if other >= len(columns):
        return None
    columns[_GROUP_BIT], columns[other] = columns[other], columns[_GROUP_BIT]
    bases = {"dim0": [(row, 0) for row in rows], "dim1": [(0, column) for column in columns]}
    swap = LinearLayout.from_bases(bases, ["dim0", "dim1"])
    return linear_encoding(held.compose(swap))


def _tell(by: Pass, op: tt.StoreOp, values: list[SSAValue], layout: Encoding) -> None:
    if not enabled():
        return
    anchor = f"tt.store at {_place(op)}"
    why = "stored in the layout that the matrix instruction leaves: no trip through shared memory"
    over = (
        Candidate(str(layout), "chosen: pointers and mask are computed in it"),
        Candidate(str(types.encoding(op.ptr.type)), "the result would go through shared memory"),
    )
    for value in values:
        record_decision(by, value, str(layout), why, over=over, anchor=anchor)


def _tell_wide(
    by: Pass, op: tt.StoreOp, values: list[SSAValue], layout: Encoding, wide: Encoding
) -> None:
    if not enabled():
        return
    over = (
        Candidate(str(wide), "8 neighbours of a row in a lane: 128 bits in one store"),
        Candidate(str(layout), "4 neighbours of a row in a lane: 64 bits in one store"),
    )
    for value in values:
        why = "halves of lanes are swapped, to store 128 bits at once"
        record_decision(by, value, str(wide), why, over=over, anchor=f"tt.store at {_place(op)}")


def _place(op: tt.StoreOp) -> str:
    return source_position(op.value) or "an unknown place"
