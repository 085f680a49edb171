"""Inline all functions that a kernel calls, so that one function remains.

    entry:                              entry:
      %v1 = call float @f(float %v0)      br label %c1.entry
      ret void                          c1.entry:                   the callee's blocks, names
    define internal float @f(float %x)    %c1.v1 = fadd …           prefixed, arguments replaced
      %v1 = fadd float %x, %x             br label %c1.after
      ret float %v1                     c1.after:
                                          ret void                  uses of %v1 are now of %c1.v1

Code generation ends each function with its only `ret`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from weft.simulator.llvm_ir.parser import BasicBlock, Function, Instruction, split_arguments

__all__ = ["inline_calls"]

_CALL = re.compile(r"(.*?) ?@([\w.$]+)\((.*)\)")
_NAME = re.compile(r"%[\w.]+")


@dataclass(frozen=True, slots=True)
class _CallSite:
    """A call: the number of its basic block, its position in it, the callee and the arguments."""

    block: int
    position: int
    callee: Function
    arguments: str


def inline_calls(functions: Sequence[Function]) -> Function:
    """Inline calls into the last function, the kernel, until it has none."""
    *callees, kernel = functions
    by_name = {function.name: function for function in callees}
    number = 0
    while (site := _find_call(kernel, by_name)) is not None:
        number += 1
        kernel = _inline(kernel, site, f"c{number}.")
    return kernel


def _find_call(function: Function, by_name: Mapping[str, Function]) -> _CallSite | None:
    """Find the first call of one of the module's functions."""
    for number, block in enumerate(function.blocks):
        for position, instruction in enumerate(block.instructions):
            if instruction.opcode != "call":
                continue
            match = _CALL.fullmatch(instruction.rest)
            if match is not None and match[2] in by_name:
                return _CallSite(number, position, by_name[match[2]], match[3])
    return None


def _inline(kernel: Function, site: _CallSite, prefix: str) -> Function:
    """Replace one call by the body of the callee, whose names get a prefix."""
    callee, block = site.callee, kernel.blocks[site.block]
    values = [part.split()[-1] for part in split_arguments(site.arguments)]
    names = {name: value for (name, _), value in zip(callee.arguments, values, strict=True)}
    # The basic block of the call is split: `first` jumps into the body, whose end jumps to `last`.
    after = f"{prefix}after"
    *body, end = [_rename_callee_block(each, names, prefix) for each in callee.blocks]
    (*instructions, ret) = end.instructions
    body.append(BasicBlock(end.label, (*instructions, Instruction("", "br", f"label %{after}"))))
    jump = Instruction("", "br", f"label %{prefix}entry")
    first = BasicBlock(block.label, (*block.instructions[: site.position], jump))
    last = BasicBlock(after, block.instructions[site.position + 1 :])
    blocks = (*kernel.blocks[: site.block], first, *body, last, *kernel.blocks[site.block + 1 :])
    # The successors of the basic block now follow `last`.
    blocks = tuple(_rename_predecessor(each, block.label, after) for each in blocks)
    result = block.instructions[site.position].result
    if result:
        value = ret.rest.split()[-1]
        blocks = tuple(_rename_values(each, {result: value}) for each in blocks)
    return replace(kernel, blocks=blocks, strings=kernel.strings | callee.strings)


def _rename_callee_block(block: BasicBlock, names: Mapping[str, str], prefix: str) -> BasicBlock:
    """Replace arguments by their values, and prefix all other names."""

    def rename(match: re.Match[str]) -> str:
        return names.get(match[0], f"%{prefix}{match[0][1:]}")

    instructions = tuple(
        Instruction(
            f"%{prefix}{each.result[1:]}" if each.result else "",
            each.opcode,
            _NAME.sub(rename, each.rest),
            each.location,
        )
        for each in block.instructions
    )
    return BasicBlock(f"{prefix}{block.label}", instructions)


def _rename_values(block: BasicBlock, names: Mapping[str, str]) -> BasicBlock:
    """Replace names in the operands."""
    instructions = tuple(
        replace(each, rest=_NAME.sub(lambda match: names.get(match[0], match[0]), each.rest))
        for each in block.instructions
    )
    return BasicBlock(block.label, instructions)


def _rename_predecessor(block: BasicBlock, old: str, new: str) -> BasicBlock:
    """Replace the label of a predecessor in phis."""
    instructions = tuple(
        replace(each, rest=re.sub(rf"%{re.escape(old)} \]", f"%{new} ]", each.rest))
        if each.opcode == "phi"
        else each
        for each in block.instructions
    )
    return BasicBlock(block.label, instructions)
