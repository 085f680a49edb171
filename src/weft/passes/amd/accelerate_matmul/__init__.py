"""Lower dots to AMD's matrix instructions (tritonamdgpu-accelerate-matmul).

Before:  %d = tt.dot %a, %b, %c : tensor<128x64xf16, #dot_op<0, #blocked>> * … -> #blocked
After:   %0 = ttg.convert_layout %c : … -> #mma
         %1 = ttg.convert_layout %a : … -> #dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
         %2 = ttg.convert_layout %b : … -> #dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
         %3 = tt.dot %1, %2, %0
         %d = ttg.convert_layout %3 : … -> #blocked

Each chip lists its rules in the order in which they are tried (targets/chips/*/matrix_units.toml):

    scaled_mfma, scaled_wmma    tt.dot_scaled by an instruction that takes scales
    decompose_scaled_upcast     tt.dot_scaled by a scaled conversion to 16 bits, then tt.dot
    decompose_scaled            tt.dot_scaled by a conversion and a multiplication, then tt.dot
    mfma, wmma                  tt.dot by a matrix instruction
    scaled_to_mfma              tt.dot_scaled with one scale, converted to 16 bits

The remaining dots are computed by the vector unit (`fma`). Needs a layout on every tensor. Keeps
every value.
Source: measured with Triton 3.7.1, for every shape, pair of types and option.
"""

from __future__ import annotations

import importlib
from typing import ClassVar

from msgspec import Struct

from weft.errors import PassError, UnknownPassError
from weft.ir import locations, tt, types
from weft.ir.attributes import number
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.folds import FOLDS
from weft.ir.rewriting import walk
from weft.layouts import NvidiaMmaEncoding
from weft.passes.amd.accelerate_matmul.context import Context, blocked_result
from weft.passes.amd.accelerate_matmul.mixed import promote_mixed
from weft.passes.ledger import record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import Pattern, PatternTable, RewriteRules, apply_greedily
from weft.targets.matrix_units import matrix_units

__all__ = ["AccelerateMatmul"]

_RULES: dict[str, tuple[type[Operation], str]] = {
    "scaled_mfma": (tt.DotScaledOp, "scaled_mfma:rule"),
    "scaled_wmma": (tt.DotScaledOp, "scaled_wmma:rule"),
    "decompose_scaled_upcast": (tt.DotScaledOp, "decompose:rule"),
    "decompose_scaled": (tt.DotScaledOp, "decompose:plain_rule"),
    "mfma": (tt.DotOp, "mfma:rule"),
    "scaled_to_mfma": (tt.DotScaledOp, "scaled_to_mfma:rule"),
    "wmma": (tt.DotOp, "wmma:rule"),
}
"""By rule: the operation that it rewrites, and "module:function", loaded if a kernel has dots."""

_VECTOR = "fma:rule"  # for dots that no matrix instruction supports

K_PACKS = (1, 2)


class AccelerateMatmul(Struct, frozen=True):
    """Give every dot that a matrix instruction supports the layout of that instruction.

    Attributes:
        arch_generation_name: the chip, such as "gfx942".
        kPack: number of instructions whose operand elements a lane holds contiguously along K.
        matrix_instruction_size: m and n of the MFMA instructions to use; 0 to choose by shape.
    """

    arch_generation_name: str
    kPack: int = 1
    matrix_instruction_size: int = 0

    name: ClassVar[str] = "tritonamdgpu-accelerate-matmul"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the dots of a module.

        Raises:
            UnknownTargetError: the chip is unknown.
            UnknownPassError: an option has a value that the chip does not support.
            PassError: a dot that the chip cannot compute, or layouts of another chip.
        """
        context, before = self._context(), snapshot_layouts(module)
        _check_hardware(module, context)
        patterns: PatternTable = {}
        for name in context.units.dot_rules if any(True for _ in _dots(module)) else ():
            cls, where = _RULES[name]
            patterns[cls] = (*patterns.get(cls, ()), _rule(where, context))
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))
        if any(blocked_result(op) for op in _dots(module) if isinstance(op, tt.DotOp)):
            vector: PatternTable = {tt.DotOp: (_rule(_VECTOR, context),)}
            apply_greedily(module, RewriteRules(FOLDS, vector, top_down=False, merge_blocks=True))
        promote_mixed(_dots(module), context)
        record_remaining_layouts(
            self, module, before, "created for a dot, in the layout of its user"
        )

    def _context(self) -> Context:
        units = matrix_units(self.arch_generation_name)
        side = self.matrix_instruction_size
        if units.family == "mfma" and side not in (0, *units.sides()):
            raise UnknownPassError(
                f"pass {self.name}: {units.arch} has no matrix instruction of {side}x{side}",
                found=f"matrix-instruction-size={side}",
                accepted=["0 (by shape)", *map(str, units.sides())],
            )
        if self.kPack not in K_PACKS:
            raise UnknownPassError(
                f"pass {self.name}: kPack must be 1 or 2",
                found=f"kPack={self.kPack}",
                accepted=[str(value) for value in K_PACKS],
            )
        return Context(self, units, self.kPack, side)


def _rule(where: str, context: Context) -> Pattern:
    """Create the pattern of a rule for a chip and options."""
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)(context)


def _dots(module: ModuleOp) -> list[Operation]:
    return [op for op in walk(module) if isinstance(op, tt.DotOp | tt.DotScaledOp)]


def _check_hardware(module: ModuleOp, context: Context) -> None:
    """Check that layouts are for this chip.

    Raises: PassError: another number of threads per warp, or a layout of NVIDIA's instructions.
    """
    lanes = number(module.attributes.get("ttg.threads-per-warp"))
    if lanes is not None and lanes != context.units.lanes:
        raise PassError(
            f"{context.units.arch} has {context.units.lanes} threads per warp",
            found=f'"ttg.threads-per-warp" = {lanes}',
            accepted=[str(context.units.lanes)],
            hint="compile for the chip of these layouts",
        )
    for op in _dots(module):
        encoding = types.encoding(op.results[0].type)
        if isinstance(encoding, NvidiaMmaEncoding):
            raise PassError(
                f"{op.name} has the layout of an instruction that {context.units.arch} lacks",
                location=locations.position(op.location),
                found=str(encoding),
                accepted=["#ttg.blocked", f"#ttg.amd_{context.units.family}"],
            )
