"""Build the card of a kernel with the registers of its machine code."""

from __future__ import annotations

from contextlib import suppress

from xdsl.dialects.builtin import ModuleOp

from weft.compiler.machine_code import count_registers, lower_ttgir
from weft.compiler.options import CompileOptions
from weft.errors import WeftError
from weft.explain.card import build_card
from weft.explain.card_model import Card, RegisterUse

__all__ = ["assemble_card"]


def assemble_card(module: ModuleOp, options: CompileOptions) -> Card:
    """Compile a module to machine code for its registers, and build its card.

    Args:
        module: Final TTGIR, or a dump of any stage with layouts.
        options: The compile options.

    Returns:
        The card; without registers if the module cannot be compiled to machine code.

    Raises:
        UnknownTargetError: The module is for a target that weft does not know.
    """
    use = None
    with suppress(WeftError):
        use = RegisterUse(*count_registers(lower_ttgir(module, options)))
    return build_card(module, use)
