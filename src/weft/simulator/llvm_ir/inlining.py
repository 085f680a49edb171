"""Put functions that a kernel calls in the places of their calls, so that one function is left.

entry:                              entry:
  %v1 = call float @f(float %v0)      br label %c1.entry
  ret void                          c1.entry:                   the callee's blocks, its names
define internal float @f(float %x)    %c1.v1 = fadd …           prefixed, its arguments replaced
  %v1 = fadd float %x, %x             br label %c1.after
  ret float %v1                     c1.after:
                                      ret void                  %v1 became %c1.v1

Code generation gives each function one place where it returns, at the end of its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from weft.simulator.llvm_ir.parser import Block, Function, Instruction, split_arguments

__all__ = ["inlined"]

_CALL = re.compile(r"(.*?) ?@([\w.$]+)\((.*)\)")
_NAME = re.compile(r"%[\w.]+")


def inlined(functions: Sequence[Function]) -> Function:
    """Return the last function, which no other calls, with all that it calls in it."""
    *others, kernel = functions
    known = {function.name: function for function in others}
    number = 0
    while (found := _first_call(kernel, known)) is not None:
        number += 1
        kernel = _replaced(kernel, *found, known, f"c{number}.")
    return kernel


def _first_call(
    function: Function, known: Mapping[str, Function]
) -> tuple[int, int, re.Match[str]] | None:
    """Return the block, the position and the text of a call of a known function."""
    for n, block in enumerate(function.blocks):
        for position, one in enumerate(block.instructions):
            if one.word == "call" and (match := _CALL.fullmatch(one.rest)) is not None:
                if match[2] in known:
                    return n, position, match
    return None


def _replaced(
    kernel: Function,
    at: int,
    position: int,
    match: re.Match[str],
    known: Mapping[str, Function],
    prefix: str,
) -> Function:
    callee, block = known[match[2]], kernel.blocks[at]
    given = [part.split()[-1] for part in split_arguments(match[3])]
    names = {name: value for (name, _), value in zip(callee.arguments, given, strict=True)}
    after = f"{prefix}after"
    *body, end = [_renamed(each, names, prefix) for each in callee.blocks]
    (*ahead, ret) = end.instructions
    body.append(Block(end.label, (*ahead, Instruction("", "br", f"label %{after}"))))
    jump = Instruction("", "br", f"label %{prefix}entry")
    first = Block(block.label, (*block.instructions[:position], jump))
    last = Block(after, block.instructions[position + 1 :])
    blocks = (*kernel.blocks[:at], first, *body, last, *kernel.blocks[at + 1 :])
    # Who came from the block that was split comes from its last part now.
    moved = [_from(each, block.label, after) for each in blocks]
    result = block.instructions[position].result
    if result:
        value = ret.rest.split()[-1]
        moved = [_with(each, {result: value}) for each in moved]
    return replace(kernel, blocks=tuple(moved), texts=kernel.texts | callee.texts)


def _renamed(block: Block, names: Mapping[str, str], prefix: str) -> Block:
    """Return a block of a callee with its names made the caller's."""

    def name(found: re.Match[str]) -> str:
        return names.get(found[0], f"%{prefix}{found[0][1:]}")

    instructions = tuple(
        Instruction(
            f"%{prefix}{one.result[1:]}" if one.result else "", one.word, _NAME.sub(name, one.rest)
        )
        for one in block.instructions
    )
    return Block(f"{prefix}{block.label}", instructions)


def _with(block: Block, names: Mapping[str, str]) -> Block:
    """Return a block in which names stand for others."""
    rest = lambda text: _NAME.sub(lambda found: names.get(found[0], found[0]), text)  # noqa: E731
    return Block(
        block.label, tuple(replace(one, rest=rest(one.rest)) for one in block.instructions)
    )


def _from(block: Block, old: str, new: str) -> Block:
    """Return a block whose phis hear of another block."""
    return Block(
        block.label,
        tuple(
            replace(one, rest=re.sub(rf"%{re.escape(old)} \]", f"%{new} ]", one.rest))
            if one.word == "phi"
            else one
            for one in block.instructions
        ),
    )
