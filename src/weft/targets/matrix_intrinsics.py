"""Read how AMD's matrix intrinsics are called in LLVM IR: part of matrix_units.toml.

    [calls]
    wmma_half = { arguments = ["a", "b", "c", "i1 0"], overloaded = ["c", "a"], source = "llvm" }

Arguments are the operands a, b and c, constants such as "i1 0", or placeholders that code
generation fills in:

    i32 $spread, i32 $block     cbsz and abid of MFMA: log2 of the blocks that share a block of A,
                                and which of them
    i32 $a_format               number of the operand's small float, by the rows of `formats`
    i32 $a_part, i32 $a_scale   byte of the scale register to use, and the register

An overloaded intrinsic's name ends in the types of the arguments under `overloaded`.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from weft.errors import WeftError
from weft.targets.schema import Sources, check_choice, read_rows, read_sourced_row, read_value

__all__ = ["OPERANDS", "MatrixCall", "SmallFloat", "read_calls", "read_formats"]

OPERANDS: tuple[str, ...] = ("a", "b", "c")
_PLACEHOLDERS = tuple(
    f"i32 ${name}"
    for name in (
        "spread", "block", "a_format", "b_format", "a_part", "b_part", "a_scale", "b_scale"
    )
)  # fmt: skip
_CONSTANTS = ("i1 0", "i1 1", "i16 0", "i32 0")


class MatrixCall(Struct, frozen=True):
    """How an intrinsic is called.

    Attributes:
        arguments: Its arguments in order.
        overloaded: Arguments whose types are suffixes of the intrinsic's name, in order.
    """

    arguments: tuple[str, ...]
    overloaded: tuple[str, ...]


class SmallFloat(Struct, frozen=True):
    """A small float that scaled instructions accept.

    Attributes:
        name: As tt.dot_scaled writes it, "e4m3".
        number: Value of the instruction's format argument.
        bits: Bits of one element.
        source: Source of the row.
    """

    name: str
    number: int
    bits: int
    source: str


def read_calls(file: str, value: object, sources: Sources) -> Mapping[str, MatrixCall]:
    """Read the table of calls by name.

    Raises:
        WeftError: The value is not a table, or a call is malformed.
    """
    if not isinstance(value, dict):
        raise WeftError(f"{file}: calls must be a table", found=repr(value))
    calls: dict[str, MatrixCall] = {}
    for name, each in value.items():
        where = f"{file}: call {name}"
        row = read_sourced_row(where, each, ("arguments", "overloaded"), sources)
        arguments = read_value(where, "tuple[str, ...]", row["arguments"])
        overloaded = read_value(where, "tuple[str, ...]", row["overloaded"])
        for argument in arguments:
            check_choice(
                f"{where}: unknown argument {argument}",
                argument,
                OPERANDS + _CONSTANTS + _PLACEHOLDERS,
            )
        for argument in overloaded:
            check_choice(f"{where}: {argument} is not an operand", argument, OPERANDS)
        calls[name] = MatrixCall(arguments, overloaded)
    return calls


def read_formats(file: str, value: object, sources: Sources) -> tuple[SmallFloat, ...]:
    """Read the small floats that scaled instructions accept.

    Raises:
        WeftError: A row is malformed; the message names it.
    """
    return read_rows(file, "formats", ("format", "name"), SmallFloat, value, sources)
