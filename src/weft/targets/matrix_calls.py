"""How the intrinsics of AMD's matrix instructions are called in LLVM IR: rows, strictly read.

    [calls]
    wmma_half = { arguments = ["a", "b", "c", "i1 0"], overloaded = ["c", "a"], source = "llvm" }

a, b and c are the operands; "i1 0" is a constant; "i32 $a_scale" is what code generation fills in:

    $spread, $block     log2 of the blocks that share one block of the first operand, and which
    $a_format           the number of a small float, by the rows of `formats`
    $a_part, $a_scale   which part of a register of scales, and the register

An overloaded intrinsic's name ends in the types of the arguments that are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weft.errors import WeftError
from weft.targets.rows import Sources, check_among, read_list, read_row, read_value, sourced_row

__all__ = ["OPERANDS", "MatrixCall", "SmallFloat", "read_calls", "read_formats"]

OPERANDS: tuple[str, ...] = ("a", "b", "c")
_FILLED = tuple(
    f"i32 ${name}"
    for name in (
        "spread", "block", "a_format", "b_format", "a_part", "b_part", "a_scale", "b_scale"
    )
)  # fmt: skip
_CONSTANTS = ("i1 0", "i1 1", "i16 0", "i32 0")


@dataclass(frozen=True, slots=True)
class MatrixCall:
    """The arguments of an intrinsic in their order, and those that its name tells the types of."""

    arguments: tuple[str, ...]
    overloaded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SmallFloat:
    """A small float that scaled instructions take.

    Fields: name: as tt.dot_scaled writes it.  number: as the instruction is told.  bits: of one.
    """

    name: str
    number: int
    bits: int
    source: str


def read_calls(file: str, found: object, sources: Sources) -> Mapping[str, MatrixCall]:
    """Return the calls of a file by name.

    Raises: WeftError: no table, or with the call and what is wrong in it.
    """
    if not isinstance(found, dict):
        raise WeftError(f"{file}: calls must be a table", found=repr(found))
    calls = {}
    for name, told in found.items():
        where = f"{file}: call {name}"
        row = sourced_row(where, told, ("arguments", "overloaded"), sources)
        arguments, overloaded = (
            read_value(where, "tuple[str, ...]", row[key]) for key in ("arguments", "overloaded")
        )
        for argument in arguments:
            check_among(f"{where}: unknown argument", argument, OPERANDS + _CONSTANTS + _FILLED)
        for argument in overloaded:
            check_among(f"{where}: no operand", argument, OPERANDS)
        calls[name] = MatrixCall(arguments, overloaded)
    return calls


def read_formats(file: str, found: object, sources: Sources) -> tuple[SmallFloat, ...]:
    """Return the small floats of a file.

    Raises: WeftError with the row and what is wrong in it.
    """
    rows = read_list(f"{file}: formats", found)
    return tuple(read_row(file, ("format", "name"), SmallFloat, row, sources) for row in rows)
