"""Read the LLVM IR text of functions into blocks of instructions.

Only what code generation writes is read; anything else is an error that shows the line.

    %v3 = fadd contract float %v1, %v2    →    Instruction("%v3", "fadd", "contract float %v1, %v2")
    ; require i32 %v4 below 64            →    Instruction("", "require", "i32 %v4 below 64")
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from weft.errors import CodegenError
from weft.simulator.llvm_ir.types import Type, parse_type

__all__ = ["Block", "Function", "Instruction", "read", "split_arguments"]

_DEFINE = re.compile(r"^define [^@]*@([\w.$]+)\((.*)\) ?([^()]*)\{$")
_TEXT = re.compile(r'^(@[\w.]+) = internal constant \[\d+ x i8\] c"(.*)"$')
_ATTRIBUTE = re.compile(r'"([\w.-]+)"="([^"]*)"')
# What a call says of its effects on memory is for LLVM alone, and left out.
_INSTRUCTION = re.compile(
    r"^\s+(?:(%[\w.]+) = |; (?=require ))?(\w+)\s*(.*?)(?: memory\([\w: ]+\))?$"
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line: what it defines ("" for nothing), its word, and the text behind the word."""

    result: str
    word: str
    rest: str


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions under a label; the last one ends the block."""

    label: str
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A kernel: its name, its arguments as (name, type), its blocks, and its text attributes.

    texts: the module's constants that are text, without the zero at their end.
    """

    name: str
    arguments: tuple[tuple[str, Type], ...]
    blocks: tuple[Block, ...]
    attributes: dict[str, str]
    texts: dict[str, str]


def read(text: str) -> list[Function]:
    """Return the functions that a module defines.

    Raises: CodegenError: there is none, or a line is not as code generation writes lines.
    """
    lines = text.splitlines()
    texts = {found[1]: _unquoted(found[2]) for found in map(_TEXT.match, lines) if found}
    starts = [n for n, line in enumerate(lines) if line.startswith("define ")]
    if not starts:
        raise CodegenError("no kernel in the LLVM IR", found="no define")
    return [_function(lines, start, texts) for start in starts]


def _function(lines: list[str], start: int, texts: dict[str, str]) -> Function:
    """Return the function that begins at a line."""
    head = _DEFINE.match(lines[start])
    if head is None:
        raise CodegenError("no kernel in the LLVM IR", found=lines[start])
    name, arguments, described = head.groups()
    blocks: list[Block] = []
    label, body = "entry", []
    for line in lines[start + 1 :]:
        if line == "}":
            break
        if line and not line[0].isspace():
            if body:
                blocks.append(Block(label, tuple(body)))
            label, body = line.rstrip(":"), []
        elif line.strip():
            body.append(_instruction(line))
    blocks.append(Block(label, tuple(body)))
    attributes = dict(_ATTRIBUTE.findall(described))
    return Function(name, _arguments(arguments), tuple(blocks), attributes, texts)


def _unquoted(text: str) -> str:
    """Return what LLVM writes between quotes, up to the zero at its end."""
    raw = re.sub(r"\\([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), text)
    return raw.encode("latin-1").decode().removesuffix("\0")


def _instruction(line: str) -> Instruction:
    found = _INSTRUCTION.match(line)
    if found is None:
        raise CodegenError("not an instruction that the simulator reads", found=line.strip())
    return Instruction(found[1] or "", found[2], found[3])


def _arguments(text: str) -> tuple[tuple[str, Type], ...]:
    found = []
    for part in split_arguments(text):
        type_, rest = parse_type(part)
        found.append((rest.split()[-1], type_))
    return tuple(found)


def split_arguments(text: str) -> list[str]:
    """Split at commas outside of brackets and quotes."""
    parts, depth, start, quoted = [], 0, 0, False
    for index, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "(<{[":
            depth += 1
        elif character in ")>}]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts
