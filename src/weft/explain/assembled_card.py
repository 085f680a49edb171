"""Build the card of a kernel with what its machine code adds: registers, and a block's time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from weft.compiler.machine_code import (
    assemble_cubin,
    count_registers,
    disassemble_cubin,
    emit_llvm,
    lower_ttgir,
)
from weft.compiler.options import CompileOptions
from weft.errors import UnknownTargetError, WeftError
from weft.explain.card import build_card
from weft.explain.card_block_time import predict_block_time
from weft.explain.card_model import Card, RegisterUse
from weft.explain.inventory import launch_attributes
from weft.targets.instruction_timing import instruction_timing

__all__ = ["assemble_card"]


def assemble_card(module: ModuleOp, options: CompileOptions) -> Card:
    """Compile a module to machine code, and build its card.

    Args:
        module: Final TTGIR, or a dump of any stage with layouts.
        options: The compile options.

    Returns:
        The card; without registers if the module cannot be compiled to machine code, and without
        the time of a block if it cannot be predicted.

    Raises:
        UnknownTargetError: The module is for a target that weft does not know.
    """
    chip = launch_attributes(module).target
    if _has_timing(chip):
        return _timed_card(module, options)
    use = None
    with suppress(WeftError):
        use = RegisterUse(*count_registers(lower_ttgir(module, options)))
    return build_card(module, use)


def _has_timing(chip: str) -> bool:
    try:
        instruction_timing(chip)
    except UnknownTargetError:
        return False
    return True


def _timed_card(module: ModuleOp, options: CompileOptions) -> Card:
    """Build the card of a kernel for a chip whose instructions have timings."""
    try:
        llvm = lower_ttgir(module, options)
        cubin = assemble_cubin(llvm)
    except WeftError:
        return build_card(module)
    card = build_card(module, RegisterUse(cubin.registers, cubin.spill_stores))
    try:
        sass = disassemble_cubin(cubin.image)
        time = predict_block_time(module, emit_llvm(llvm, "ptx").decode(), sass)
    except WeftError as error:
        return replace(card, block_time_unknown=error.message)
    return replace(card, block_time=time)
