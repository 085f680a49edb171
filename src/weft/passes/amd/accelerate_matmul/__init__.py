"""Do matrix products with the matrix instructions of AMD's chips (tritonamdgpu-accelerate-matmul).

Before:  %d = tt.dot %a, %b, %c : tensor<128x64xf16, #dot_op<0, #blocked>> * … -> #blocked
After:   %0 = ttg.convert_layout %c : … -> #mma
         %1 = ttg.convert_layout %a : … -> #dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
         %2 = ttg.convert_layout %b : … -> #dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
         %3 = tt.dot %1, %2, %0
         %d = ttg.convert_layout %3 : … -> #blocked

Each chip names its rules, in the order in which they are tried (targets/chips/*/matrix_units.toml):

    scaled_mfma, scaled_wmma    block-scaled products with an instruction that takes scales
    decompose_scaled_upcast     … by converting with scale to 16 bits at once, then tt.dot
    decompose_scaled            … by converting, multiplying with the scales, then tt.dot
    mfma, wmma                  tt.dot with a matrix instruction
    scaled_to_mfma              block-scaled products of one scale, in 16 bits

What is left goes to the vector unit (`fma`). Needs layouts on every tensor; keeps every value.
Source: measured on Triton 3.7.1, for every shape, pair of types and option.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import ClassVar

from weft.errors import PassError, UnknownPassError
from weft.ir import locations, tt, types
from weft.ir.attributes import number
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.folds import FOLDS
from weft.ir.rewriting import walk
from weft.layouts import NvidiaMmaEncoding
from weft.passes.amd.accelerate_matmul.asked import Asked, blocked_result
from weft.passes.amd.accelerate_matmul.mixed import promote_mixed
from weft.passes.ledger import record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import Pattern, Rules, apply
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
"""What a rule of a chip's row rewrites, and where it is: it is loaded for kernels with dots."""

_VECTOR = "fma:rule"
"""What is left to lanes that multiply one by one."""

K_PACKS = (1, 2)


@dataclass(frozen=True, slots=True)
class AccelerateMatmul:
    """Post: every dot that a matrix instruction of the chip can do has its layout.

    arch_generation_name: the chip.  matrix_instruction_size: m and n of MFMA instructions to take,
    0 for those that fit.  kPack: instructions whose operands a lane holds side by side.
    """

    arch_generation_name: str
    kPack: int = 1
    matrix_instruction_size: int = 0

    name: ClassVar[str] = "tritonamdgpu-accelerate-matmul"

    def run(self, module: ModuleOp) -> None:
        """Lay out the dots of a module.

        Raises: UnknownTargetError: no such chip.  UnknownPassError: an option that the chip has
        no instruction for.  PassError: a dot that nothing on the chip can do, or layouts that are
        for another chip.
        """
        asked, before = self._asked(), snapshot_layouts(module)
        _check_hardware(module, asked)
        patterns: dict[type[Operation], tuple[Pattern, ...]] = {}
        for name in asked.units.dot_rules if any(True for _ in _dots(module)) else ():
            cls, where = _RULES[name]
            patterns[cls] = (*patterns.get(cls, ()), _rule(where, asked))
        apply(module, Rules(FOLDS, patterns, top_down=False, merge_blocks=True))
        if any(blocked_result(op) for op in _dots(module) if isinstance(op, tt.DotOp)):
            vector: dict[type[Operation], tuple[Pattern, ...]] = {
                tt.DotOp: (_rule(_VECTOR, asked),)
            }
            apply(module, Rules(FOLDS, vector, top_down=False, merge_blocks=True))
        promote_mixed(_dots(module), asked)
        record_remaining_layouts(
            self, module, before, "made for a dot, in the layout of what reads it"
        )

    def _asked(self) -> Asked:
        units = matrix_units(self.arch_generation_name)
        side = self.matrix_instruction_size
        if units.family == "mfma" and side not in (0, *units.sides()):
            raise UnknownPassError(
                f"pass {self.name}: {units.arch} has no matrix instruction of {side}x{side}",
                found=f"matrix-instruction-size={side}",
                accepted=["0 (what fits)", *map(str, units.sides())],
            )
        if self.kPack not in K_PACKS:
            raise UnknownPassError(
                f"pass {self.name}: a lane holds the operands of 1 or 2 instructions side by side",
                found=f"kPack={self.kPack}",
                accepted=[str(one) for one in K_PACKS],
            )
        return Asked(self, units, self.kPack, side)


def _rule(where: str, asked: Asked) -> Pattern:
    """Return the pattern that a rule makes of what is asked for."""
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)(asked)


def _dots(module: ModuleOp) -> list[Operation]:
    return [op for op in walk(module) if isinstance(op, tt.DotOp | tt.DotScaledOp)]


def _check_hardware(module: ModuleOp, asked: Asked) -> None:
    """Raise PassError where layouts are for other waves, or for NVIDIA's instructions."""
    lanes = number(module.attributes.get("ttg.threads-per-warp"))
    if lanes is not None and lanes != asked.units.lanes:
        raise PassError(
            f"{asked.units.arch} has waves of {asked.units.lanes} lanes",
            found=f'"ttg.threads-per-warp" = {lanes}',
            accepted=[str(asked.units.lanes)],
            hint="compile for the chip that the layouts were made for",
        )
    for op in _dots(module):
        encoding = types.encoding(op.results[0].type)
        if isinstance(encoding, NvidiaMmaEncoding):
            raise PassError(
                f"{op.name} has the layout of an instruction that {asked.units.arch} lacks",
                location=locations.position(op.location),
                found=str(encoding),
                accepted=["#ttg.blocked", f"#ttg.amd_{asked.units.family}"],
            )
