"""Instructions of the target inside a kernel."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack):
    """Run `asm` on each `pack` elements of the blocks `args`; return as many of type `dtype`.

    `constraints` is LLVM's: outputs ("=r") before inputs ("r"), one per 32-bit register. `dtype`
    may be a tuple of types, for as many results. `is_pure` says that an unused result may be
    dropped.
    """
