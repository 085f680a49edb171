"""Parse the LLVM IR text of a module into functions and instructions.

The parser accepts what code generation prints; any other line is an error that shows it.

    %v3 = fadd contract float %v1, %v2    →    Instruction("%v3", "fadd", "contract float %v1, %v2")
    ; require i32 %v4 below 64            →    Instruction("", "require", "i32 %v4 below 64")

A comment `; loc("kernel.py":12:8)` at the end of a line is the instruction's source location.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from weft.errors import CodegenError, Location
from weft.simulator.llvm_ir.types import Type, parse_type

__all__ = ["BasicBlock", "Function", "Instruction", "parse", "split_arguments"]

_LOCATION_COMMENT = " ; loc("
_DEFINE = re.compile(r"^define [^@]*@([\w.$]+)\((.*)\) ?([^()]*)\{$")
_STRING = re.compile(r'^(@[\w.]+) = internal constant \[\d+ x i8\] c"(.*)"$')
_ATTRIBUTE = re.compile(r'"([\w.-]+)"="([^"]*)"')
# memory(…) at the end of a call states its effects to LLVM; the simulator ignores it.
_INSTRUCTION = re.compile(
    r"^\s+(?:(%[\w.]+) = |; (?=require ))?(\w+)\s*(.*?)(?: memory\([\w: ]+\))?$"
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line.

    Attributes:
        result: Name of the value that it defines, "" if there is none.
        opcode: The opcode, "fadd".
        rest: Text after the opcode.
        location: Source location, if known.
    """

    result: str
    opcode: str
    rest: str
    location: Location | None = None

    @property
    def text(self) -> str:
        """The line."""
        return f"{self.result} = {self.opcode} {self.rest}".removeprefix(" = ")


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """A basic block.

    Attributes:
        label: Its label.
        instructions: The instructions, the terminator last.
    """

    label: str
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function.

    Attributes:
        name: Its name.
        arguments: Name and type of each argument.
        blocks: The basic blocks, the entry first.
        attributes: String attributes by key.
        strings: The module's string constants by name, without the final zero.
    """

    name: str
    arguments: tuple[tuple[str, Type], ...]
    blocks: tuple[BasicBlock, ...]
    attributes: dict[str, str]
    strings: dict[str, str]


def parse(text: str) -> list[Function]:
    """Parse the functions that a module defines.

    Raises:
        CodegenError: There is none, or a line is malformed.
    """
    lines = text.splitlines()
    strings = {match[1]: _unescape(match[2]) for match in map(_STRING.match, lines) if match}
    starts = [n for n, line in enumerate(lines) if line.startswith("define ")]
    if not starts:
        raise CodegenError("no kernel in the LLVM IR", found="no define")
    return [_parse_function(lines, start, strings) for start in starts]


def _parse_function(lines: list[str], start: int, strings: dict[str, str]) -> Function:
    """Parse the function whose `define` is on a line."""
    head = _DEFINE.match(lines[start])
    if head is None:
        raise CodegenError("no kernel in the LLVM IR", found=lines[start])
    name, arguments, attributes = head.groups()
    blocks: list[BasicBlock] = []
    label: str = "entry"
    body: list[Instruction] = []
    for line in lines[start + 1 :]:
        if line == "}":
            break
        if line and not line[0].isspace():
            if body:
                blocks.append(BasicBlock(label, tuple(body)))
            label, body = line.rstrip(":"), []
        elif line.strip():
            body.append(_parse_instruction(line))
    blocks.append(BasicBlock(label, tuple(body)))
    return Function(
        name,
        _parse_parameters(arguments),
        tuple(blocks),
        dict(_ATTRIBUTE.findall(attributes)),
        strings,
    )


def _unescape(text: str) -> str:
    """Decode the text of a string constant, without the zero at its end."""
    raw = re.sub(r"\\([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), text)
    return raw.encode("latin-1").decode().removesuffix("\0")


def _parse_instruction(line: str) -> Instruction:
    text, is_located, comment = line.partition(_LOCATION_COMMENT)
    match = _INSTRUCTION.match(text)
    if match is None:
        raise CodegenError("the simulator cannot read this instruction", found=line.strip())
    location = _parse_location(comment) if is_located else None
    return Instruction(match[1] or "", match[2], match[3], location)


@lru_cache(maxsize=4096)
def _parse_location(text: str) -> Location:
    """Parse the end of a comment, `"kernel.py":12:8)`."""
    file, line, column = text.rstrip(")").rsplit(":", 2)
    return Location(file.strip('"'), int(line), int(column))


def _parse_parameters(text: str) -> tuple[tuple[str, Type], ...]:
    parameters: list[tuple[str, Type]] = []
    for part in split_arguments(text):
        type_, rest = parse_type(part)
        parameters.append((rest.split()[-1], type_))
    return tuple(parameters)


def split_arguments(text: str) -> list[str]:
    """Split at commas outside of brackets and quotes."""
    parts: list[str] = []
    depth = start = 0
    in_quotes = False
    for index, character in enumerate(text):
        if character == '"':
            in_quotes = not in_quotes
        elif in_quotes:
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
