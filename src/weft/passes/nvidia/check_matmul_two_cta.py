"""Check that all MMAs agree on two CTAs, and record it (triton-nvidia-check-matmul-two-cta).

Before:  module {                          After:  module attributes {"ttng.two-ctas" = true} {
           ttng.tc_gen5_mma … {two_ctas}             ttng.tc_gen5_mma … {two_ctas}

Tensor memory is allocated for one CTA or for a pair, so all MMAs of a module have to work the same
way. Without an MMA the attribute is false.

Source: Triton, CheckMatmulTwoCTAs.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.errors import PassError
from weft.ir import attributes, locations, ttng
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk

__all__ = ["CheckMatmulTwoCta"]

_TWO_CTAS = "ttng.two-ctas"


class CheckMatmulTwoCta(Struct, frozen=True):
    """Record whether the MMAs of a module work on pairs of CTAs."""

    name: ClassVar[str] = "triton-nvidia-check-matmul-two-cta"

    def run(self, module: ModuleOp) -> None:
        """Set the attribute of the module.

        Raises:
            PassError: Some MMAs work on pairs of CTAs and others do not.
        """
        first: bool | None = None
        for op in walk(module):
            if not isinstance(op, ttng.TCGen5MMAOp):
                continue
            two_ctas = op.two_ctas is not None
            if first is None:
                first = two_ctas
            if two_ctas != first:
                raise PassError(
                    "inconsistent two_ctas setting across matmuls",
                    location=locations.position(op.location),
                    found=f"two_ctas={str(two_ctas).lower()}",
                    accepted=[f"two_ctas={str(first).lower()}, as the first matmul"],
                )
        module.attributes[_TWO_CTAS] = attributes.boolean(bool(first))
