"""What every rule is told: the chip's instructions and the options of the pass."""

from __future__ import annotations

from dataclasses import dataclass

from weft.ir import types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import BlockedEncoding
from weft.passes.registry import Pass
from weft.targets.matrix_units import MatrixUnits

__all__ = ["Asked", "Shape", "blocked_result", "shape_of"]


@dataclass(frozen=True, slots=True)
class Asked:
    """The pass that asks, the chip's units, and the options.

    k_pack: times the elements of an instruction that a lane holds side by side.
    side: m and n of the instruction to take, 0 for the pass's own choice.
    """

    by: Pass
    units: MatrixUnits
    k_pack: int
    side: int


@dataclass(frozen=True, slots=True)
class Shape:
    """The sides of a product: m x k times k x n."""

    m: int
    n: int
    k: int

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


def blocked_result(op: Operation) -> BlockedEncoding | None:
    """Return the layout of a dot's result where no instruction was chosen for it yet."""
    encoding = types.encoding(op.results[0].type)
    return encoding if isinstance(encoding, BlockedEncoding) else None


def shape_of(result: SSAValue, a: SSAValue) -> Shape:
    """Return the sides of a product, given its result and its left operand."""
    m, n = types.shape(result.type)[-2:]
    return Shape(m, n, types.shape(a.type)[-1])
