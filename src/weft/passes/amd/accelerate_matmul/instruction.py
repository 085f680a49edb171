"""Choose the matrix instruction of a dot, and record why others were rejected.

A dot with a 64 x 16 result and K = 64 in f16 on gfx942:

    mfma.f32.32x32x8f16     rejected: a tile has 32 columns, the result has 16
    mfma.f32.16x16x16f16    chosen: 16 ≤ 64, 16 ≤ 16, and 64 is a multiple of 16

The first (m, n) that fits the result decides. Among instructions of that size, the first with k ≤ K
is chosen, else the last. If K is not a multiple of k, the dot is left to the vector unit, because
the instruction would multiply padding.
"""

from __future__ import annotations

from msgspec import Struct

from weft.decisions import Candidate
from weft.passes.amd.accelerate_matmul.context import DotShape
from weft.targets.matrix_units import MatrixInstruction, MatrixUnits

__all__ = ["Choice", "OperandTypes", "choose_mfma", "choose_wmma", "mfma_types", "wmma_types"]

OPEN_FLOATS = ("f8E4M3FN", "f8E5M2")  # the 8-bit floats of the OCP formats
F8F6F4 = "f8f6f4"
_WMMA_SIDE = 16
_INTEGER_BITS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
_BITS = {**_INTEGER_BITS, "bf16": 16, "f16": 16, "f32": 32, "f64": 64}


class OperandTypes(Struct, frozen=True):
    """The element types of an instruction's operands and result.

    Attributes:
        a: type of the left operand, as the chip's rows name it.
        b: type of the right operand.
        d: type of the result; "" if it is not part of the choice.
        reason: why the operands are converted to these types; "" if they are not.
    """

    a: str
    b: str
    d: str = ""
    reason: str = ""


class Choice(Struct, frozen=True):
    """The outcome of a choice.

    Attributes:
        instruction: the chosen instruction; None if none fits.
        reason: the reason, in one sentence.
        candidates: all instructions that were considered, with reasons.
    """

    instruction: MatrixInstruction | None
    reason: str
    candidates: tuple[Candidate, ...]


def mfma_types(units: MatrixUnits, a: str, b: str, *, low_precision: bool) -> OperandTypes:
    """Choose the operand types of an MFMA instruction.

    Args:
        units: the chip's matrix instructions.
        a: element type of the left operand.
        b: element type of the right operand.
        low_precision: whether f32 may be rounded to tf32.
    """
    if low_precision and a == b == "f32" and units.takes("xf32"):
        return OperandTypes("xf32", "xf32", reason="inputPrecision = tf32 maps to xf32")
    if a in OPEN_FLOATS and b in OPEN_FLOATS and not (units.takes(a) and units.takes(b)):
        return OperandTypes("f16", "f16", reason=f"{units.arch} has no {a} x {b}; converted to f16")
    return OperandTypes(a, b)


def choose_mfma(units: MatrixUnits, types: OperandTypes, shape: DotShape, side: int) -> Choice:
    """Choose an MFMA instruction.

    Args:
        units: the chip's matrix instructions.
        types: the operand types, from `mfma_types`.
        shape: the shape of the dot.
        side: required m and n; 0 for the first that fits.
    """
    rows = units.of_types(types.a, types.b)
    if not rows:
        return Choice(None, f"{units.arch} has no MFMA of {types.a} x {types.b}", ())
    candidates: list[Candidate] = []
    fitting: list[MatrixInstruction] = []
    for row in rows:
        reason = _misfit_reason(row, shape, side)
        if reason:
            candidates.append(Candidate(row.label, reason))
        elif not fitting or (row.m, row.n) == (fitting[0].m, fitting[0].n):
            fitting.append(row)
        else:
            candidates.append(
                Candidate(row.label, f"fits, but {fitting[0].m}x{fitting[0].n} comes first")
            )
    if not fitting:
        return Choice(None, f"no tile of {types.a} x {types.b} fits {shape}", tuple(candidates))
    return _deepest(fitting, shape, candidates, divides=True)


def _misfit_reason(row: MatrixInstruction, shape: DotShape, side: int) -> str:
    """Return why an instruction's tile does not fit a dot; "" if it fits."""
    if side:
        wrong = (row.m, row.n) != (side, side)
        return f"matrix_instr_nonkdim = {side} requires {side}x{side}" if wrong else ""
    if row.m > shape.m:
        return f"too large: its tile has {row.m} rows, the result {shape.m}"
    if row.n > shape.n:
        return f"too large: its tile has {row.n} columns, the result {shape.n}"
    return ""


def _deepest(
    fitting: list[MatrixInstruction], shape: DotShape, candidates: list[Candidate], *, divides: bool
) -> Choice:
    """Choose by k among instructions of equal m and n.

    Args:
        fitting: the instructions, largest k first.
        shape: the shape of the dot.
        candidates: the rejected instructions; those of this choice are appended.
        divides: whether K must be a multiple of k.
    """
    # The largest k needs the fewest instructions, but one beyond K would multiply padding.
    row = next((row for row in fitting if shape.k >= row.k), fitting[-1])
    for other in fitting:
        if other is not row:
            reason = f"K = {shape.k} is less than its k = {other.k}"
            candidates.append(
                Candidate(other.label, reason if other.k > shape.k else f"smaller k than {row.k}")
            )
    if divides and shape.k % row.k:
        reason = f"K = {shape.k} is not a multiple of its k = {row.k}"
        return Choice(None, f"{row.label}: {reason}", (*candidates, Candidate(row.label, reason)))
    reason = f"the first tile that fits {shape}"
    return Choice(row, reason, (Candidate(row.label, "chosen"), *candidates))


def wmma_types(units: MatrixUnits, a: str, b: str, d: str) -> OperandTypes | None:
    """Find the WMMA instruction that needs the fewest conversions, and return its types.

    A conversion of an operand or the accumulator to as many bits or more costs 1. A narrowing
    conversion, or one between integers and floats, is not allowed.

    Returns: the types; None if no instruction is reachable.
    """
    best, least = None, 4
    for row in units.matrix:
        if row.scaled or not row.selectable:
            continue
        # The accumulator is converted twice, before the instruction and after it.
        steps = [_cost(a, row.a), _cost(b, row.b), _cost(d, row.d), _cost(d, row.d)]
        cost = 5 if None in steps else sum(step or 0 for step in steps)
        if cost <= least and (best is None or cost < least):
            best, least = row, cost
    return None if best is None else OperandTypes(best.a, best.b, best.d)


def _cost(source: str, target: str) -> int | None:
    if source == target:
        return 0
    if (source[0] == "i") != (target[0] == "i"):
        return None
    return 1 if bits_of(source) <= bits_of(target) else None


def bits_of(name: str) -> int:
    """Return the number of bits of an element type."""
    return _BITS.get(name, 8)


def choose_wmma(units: MatrixUnits, types: OperandTypes, shape: DotShape) -> Choice:
    """Choose a WMMA instruction. Its tile must fit the result; k need not divide K.

    A scaled instruction also supports a single row or column, which its lanes replicate.
    """
    rows = [row for row in units.of_types(types.a, types.b) if row.d == types.d]
    if any(row.scaled for row in rows):
        m, n = (_WMMA_SIDE if side == 1 else side for side in (shape.m, shape.n))
        shape = DotShape(m, n, shape.k)
    candidates = [
        Candidate(row.label, reason) for row in rows if (reason := _misfit_reason(row, shape, 0))
    ]
    fitting = [row for row in rows if not _misfit_reason(row, shape, 0)]
    if not fitting:
        return Choice(None, f"no tile of {types.a} x {types.b} fits {shape}", tuple(candidates))
    return _deepest(fitting, shape, candidates, divides=False)
