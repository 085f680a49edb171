"""Which matrix instruction a product is done with, and why not with another one.

A product of 64 x 16 results over K = 64 in f16 on gfx942:

    mfma.f32.32x32x8f16     no: 32 columns in a tile, 16 there are
    mfma.f32.16x16x16f16    yes: 16 ≤ 64, 16 ≤ 16, and 64 is a multiple of 16

The first pair of sides that fits decides; of instructions with these sides the first is taken whose
k is at most K, else the last. A K that is no multiple of its k would multiply zeros, and the
product is left to the vector unit.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.decisions import Candidate
from weft.passes.amd.accelerate_matmul.asked import Shape
from weft.targets.matrix_units import MatrixInstruction, MatrixUnits

__all__ = ["Choice", "Types", "choose_mfma", "choose_wmma", "mfma_types", "wmma_types"]

OPEN_FLOATS = ("f8E4M3FN", "f8E5M2")  # the 8-bit floats of the Open Compute Project
F8F6F4 = "f8f6f4"
_WMMA_SIDE = 16
_BITS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "bf16": 16, "f16": 16}
_BITS |= {"f32": 32, "f64": 64}


@dataclass(frozen=True, slots=True)
class Types:
    """The element types that an instruction reads, and whether the operands are converted first."""

    a: str
    b: str
    d: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """An instruction, or None, with all that were weighed and the reason in one sentence."""

    instruction: MatrixInstruction | None
    why: str
    weighed: tuple[Candidate, ...]


def mfma_types(units: MatrixUnits, a: str, b: str, *, low_precision: bool) -> Types:
    """Return the types of operands as the rows name them.

    Args: low_precision: whether f32 may be read with fewer bits (tf32).
    """
    if low_precision and a == b == "f32" and units.takes("xf32"):
        return Types("xf32", "xf32", why="tf32 asked for, read as xf32")
    if a in OPEN_FLOATS and b in OPEN_FLOATS and not (units.takes(a) and units.takes(b)):
        return Types("f16", "f16", why=f"{units.arch} has no {a} x {b}; done in f16")
    return Types(a, b)


def choose_mfma(units: MatrixUnits, types: Types, shape: Shape, side: int) -> Choice:
    """Choose an MFMA instruction.

    Args: types: as `mfma_types` gives them.  side: m and n to take, 0 for the first that fits.
    """
    rows = units.of_types(types.a, types.b)
    if not rows:
        return Choice(None, f"{units.arch} has no MFMA of {types.a} x {types.b}", ())
    weighed: list[Candidate] = []
    taken: list[MatrixInstruction] = []
    for row in rows:
        reason = _misfit(row, shape, side)
        if reason:
            weighed.append(Candidate(row.label, reason))
        elif not taken or (row.m, row.n) == (taken[0].m, taken[0].n):
            taken.append(row)
        else:
            weighed.append(Candidate(row.label, f"fits, but {taken[0].m}x{taken[0].n} comes first"))
    if not taken:
        return Choice(None, f"no tile of {types.a} x {types.b} fits {shape}", tuple(weighed))
    return _deepest(taken, shape, weighed, divides=True)


def _misfit(row: MatrixInstruction, shape: Shape, side: int) -> str:
    """Say why a tile does not fit, "" where it does."""
    if side:
        wrong = (row.m, row.n) != (side, side)
        return f"matrix_instr_nonkdim = {side} asks for {side}x{side}" if wrong else ""
    if row.m > shape.m:
        return f"too large: {row.m} rows in a tile, {shape.m} there are"
    if row.n > shape.n:
        return f"too large: {row.n} columns in a tile, {shape.n} there are"
    return ""


def _deepest(
    taken: list[MatrixInstruction], shape: Shape, weighed: list[Candidate], *, divides: bool
) -> Choice:
    """Choose by k among instructions of equal sides."""
    row = next((row for row in taken if shape.k >= row.k), taken[-1])
    for other in taken:
        if other is not row:
            reason = f"K = {shape.k} is less than its {other.k}"
            weighed.append(
                Candidate(other.label, reason if other.k > shape.k else f"less deep than {row.k}")
            )
    if divides and shape.k % row.k:
        reason = f"K = {shape.k} is no multiple of its {row.k}"
        return Choice(None, f"{row.label}: {reason}", (*weighed, Candidate(row.label, reason)))
    why = f"the first tile that fits {shape}"
    return Choice(row, why, (Candidate(row.label, "chosen"), *weighed))


def wmma_types(units: MatrixUnits, a: str, b: str, d: str) -> Types | None:
    """Return the operand and result types of the WMMA instruction that takes the least converting.

    A conversion of operands or accumulator to as many bits or more costs 1; to fewer, or between
    integers and floats, it is not done.
    """
    best, least = None, 4
    for row in units.matrix:
        if row.scaled or not row.selectable:
            continue
        steps = [_cost(a, row.a), _cost(b, row.b), _cost(d, row.d), _cost(d, row.d)]
        cost = 5 if None in steps else sum(step or 0 for step in steps)
        if cost <= least and (best is None or cost < least):
            best, least = row, cost
    return None if best is None else Types(best.a, best.b, best.d)


def _cost(given: str, wanted: str) -> int | None:
    if given == wanted:
        return 0
    if (given[0] == "i") != (wanted[0] == "i"):
        return None
    return 1 if bits_of(given) <= bits_of(wanted) else None


def bits_of(name: str) -> int:
    """Return the bits of an element type by its name."""
    return _BITS.get(name, 8)


def choose_wmma(units: MatrixUnits, types: Types, shape: Shape) -> Choice:
    """Choose a WMMA instruction; its tile must fit, its k need not divide K.

    One that takes scales does a single row or column, too: its lanes then hold the same.
    """
    rows = [row for row in units.of_types(types.a, types.b) if row.d == types.d]
    if any(row.scaled for row in rows):
        m, n = (_WMMA_SIDE if side == 1 else side for side in (shape.m, shape.n))
        shape = Shape(m, n, shape.k)
    weighed = [Candidate(row.label, reason) for row in rows if (reason := _misfit(row, shape, 0))]
    taken = [row for row in rows if not _misfit(row, shape, 0)]
    if not taken:
        return Choice(None, f"no tile of {types.a} x {types.b} fits {shape}", tuple(weighed))
    return _deepest(taken, shape, weighed, divides=False)
