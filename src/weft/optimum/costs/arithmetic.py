"""The work of elementwise operations: an instruction per register of a thread, times warps.

    arith.mulf on 64x64xf32, 4 warps          32 registers · 4 warps = 128 instructions
    the same in a layout that 4 warps repeat  512 instructions

Registers that repeat others are computed once. Addresses are a base of the thread plus constants
(`AFFINE`), which LLVM folds into the accesses: they cost nothing in any layout.
"""

from __future__ import annotations

from weft.ir import arith, math, tt, types
from weft.ir.builtin import Operation
from weft.layouts import Encoding
from weft.layouts.column_action import remove_broadcast
from weft.optimum.costs.work import NOTHING, Work

__all__ = ["AFFINE", "FREE", "arithmetic_work", "distinct_registers"]

_WORD_BITS = 32
_DIVISION_INSTRUCTIONS = 20  # of integers: no GPU has an instruction for it

FREE = frozenset(
    {
        arith.BitcastOp,
        arith.ConstantOp,
        tt.BitcastOp,
        tt.BroadcastOp,
        tt.ExpandDimsOp,
        tt.IntToPtrOp,
        tt.JoinOp,
        tt.PtrToIntOp,
        tt.ReshapeOp,
        tt.SplatOp,
        tt.SplitOp,
        tt.TransOp,
    }
)
"""Operations that rename registers."""

AFFINE = frozenset(
    {
        arith.AddIOp,
        arith.ExtSIOp,
        arith.ExtUIOp,
        arith.MulIOp,
        arith.SubIOp,
        arith.TruncIOp,
        tt.AddPtrOp,
        tt.MakeRangeOp,
    }
)
"""Operations whose result differs by constants between the registers of a thread, if their
operands do."""

_SPECIAL = frozenset(
    {
        arith.DivFOp,
        math.CosOp,
        math.ErfOp,
        math.Exp2Op,
        math.ExpOp,
        math.Log2Op,
        math.LogOp,
        math.RsqrtOp,
        math.SinOp,
        math.SqrtOp,
        math.TanhOp,
        tt.PreciseDivFOp,
        tt.PreciseSqrtOp,
    }
)
_DIVISIONS = frozenset({arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp})


def distinct_registers(encoding: Encoding, shape: tuple[int, ...]) -> int:
    """Count the registers of a thread that hold different elements."""
    layout = encoding.linear(shape)
    return remove_broadcast(layout).apply(layout).in_size("register")


def arithmetic_work(op: Operation, encoding: Encoding) -> Work:
    """Count the work of an elementwise operation.

    Args:
        op: The operation.
        encoding: The layout of its operands and results.
    """
    if type(op) in FREE:
        return NOTHING
    tensor = next(v.type for v in (*op.results, *op.operands) if types.is_tensor(v.type))
    shape = types.shape(tensor)
    warps = encoding.linear(shape).in_size("warp")
    count = distinct_registers(encoding, shape) * warps
    element = types.element(tensor)
    words = 2 if types.is_pointer(element) else -(-types.bit_width(element) // _WORD_BITS)
    if type(op) in _SPECIAL:
        return Work(special=count * words, instructions=count)
    if type(op) in _DIVISIONS:
        words *= _DIVISION_INSTRUCTIONS
    return Work(instructions=count * words)
