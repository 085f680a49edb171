"""The context of a rule: the chip's matrix instructions and the options of the pass."""

from __future__ import annotations

from msgspec import Struct

from weft.ir import types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import BlockedEncoding
from weft.passes.registry import Pass
from weft.targets.matrix_units import MatrixUnits

__all__ = ["Context", "DotShape", "blocked_result", "dot_shape"]


class Context(Struct, frozen=True):
    """The chip and the options for which a rule rewrites dots.

    Attributes:
        pass_: the pass, for decision records.
        units: the chip's matrix instructions.
        k_pack: number of instructions whose operand elements a lane holds contiguously along K.
        instruction_size: m and n of the instruction to use; 0 to choose by shape.
    """

    pass_: Pass
    units: MatrixUnits
    k_pack: int
    instruction_size: int


class DotShape(Struct, frozen=True):
    """The shape of a dot: m x k times k x n."""

    m: int
    n: int
    k: int

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


def blocked_result(op: Operation) -> BlockedEncoding | None:
    """Return the blocked layout of a dot's result; None if an instruction was chosen already."""
    encoding = types.encoding(op.results[0].type)
    return encoding if isinstance(encoding, BlockedEncoding) else None


def dot_shape(result: SSAValue, a: SSAValue) -> DotShape:
    """Return the shape of a dot from its result and its left operand."""
    m, n = types.shape(result.type)[-2:]
    return DotShape(m, n, types.shape(a.type)[-1])
