"""Inline assembly."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack):
    """Execute inline assembly on groups of `pack` elements of the blocks `args`.

    Args:
        asm: The instructions, with LLVM's operands `$0`, `$1`, …
        constraints: LLVM's constraints, one per 32-bit register: outputs ("=r"), then inputs ("r").
        args: The operands, broadcast to one shape.
        dtype: The element type of the result, or a tuple of types for a tuple of results.
        is_pure: The assembly has no side effects, so an unused result may be removed.
        pack: The number of elements that one execution processes.
    """
