"""Parse PTX into statements, and resolve names to registers.

    .reg .b16 h<2>; @p mov.b32 {h0, h1}, $1;
    →  Statement("mov.b32", (RegisterList(h0, h1), Placeholder(1)), guard=(p, True))

Braces open scopes: a name refers to the innermost scope that declares it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from weft.errors import CodegenError
from weft.ptx.types import bits_of, is_type

__all__ = [
    "Literal",
    "Operand",
    "Placeholder",
    "Register",
    "RegisterList",
    "Statement",
    "parse_statements",
]


@dataclass(frozen=True, slots=True)
class Register:
    """A register that the text declares.

    Attributes:
        name: Its name, with a suffix that makes it unique.
        bits: Its width; 1 for a predicate.
        is_negated: Whether an operand reads the complement of the predicate.
    """

    name: str
    bits: int
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Placeholder:
    """An operand of the assembly, `$number`: outputs first, then inputs."""

    number: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as the text writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class RegisterList:
    """Registers in braces, the one with the lowest bits first; None for `_`."""

    parts: tuple[Operand | None, ...]


Operand: TypeAlias = "Register | Placeholder | Literal | RegisterList"


@dataclass(frozen=True, slots=True)
class Statement:
    """One instruction.

    Attributes:
        name: Its name with all modifiers, "add.rn.f32".
        operands: Its operands, the result first.
        guard: A predicate and the value for which the instruction executes; None for always.
        text: The whole statement, for messages.
    """

    name: str
    operands: tuple[Operand, ...]
    guard: tuple[Operand, bool] | None
    text: str


_GPU_HINT = "run the kernel on the GPU that it is for"
_CONTROL_FLOW = frozenset({"bra", "brx", "call", "exit", "ret", "trap"})
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_TOKEN = re.compile(
    r"\s*(?:(?P<open>\{)|(?P<close>\})|(?P<statement>[^;{}]*(?:\{[^{}]*\}[^;{}]*)*);?)"
)
_GUARD = re.compile(r"@(!?)\s*(\S+)\s+(.*)", re.S)
_DECLARATION = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.S)
_NAME = re.compile(r"[A-Za-z_$%][\w$]*")
_NUMBER = re.compile(r"-?(?:0[fFdD][0-9a-fA-F]+|0x[0-9a-fA-F]+U?|\d+U?|\d*\.\d+(?:[eE]-?\d+)?)")
_PLACEHOLDER = re.compile(r"\$(\d+)|\$\{(\d+)(?::\w+)?\}")
_OPERAND = re.compile(r"(\{[^}]*\}|\[[^\]]*\]|[^,])+")


def parse_statements(text: str) -> Iterator[Statement]:
    """Yield the instructions of a text.

    Raises:
        CodegenError: A name is not declared, a statement is malformed, or it needs a GPU.
    """
    text = _COMMENT.sub(" ", text)
    scopes: list[dict[str, Register]] = [{}]
    position, declared = 0, 0
    while position < len(text) and (token := _TOKEN.match(text, position)) is not None:
        position = max(token.end(), position + 1)
        if token["open"]:
            scopes.append({})
        elif token["close"]:
            if len(scopes) == 1:
                raise CodegenError("unmatched closing brace in PTX", found=text)
            scopes.pop()
        elif (line := token["statement"].strip()) != "":
            if (declaration := _DECLARATION.fullmatch(line)) is not None:
                for name in _declared_names(declaration[2]):
                    declared += 1
                    bits = _register_bits(declaration[1], line)
                    scopes[-1][name] = Register(f"{name}.{declared}", bits)
            else:
                yield _parse_statement(line, scopes)


def _register_bits(type_: str, line: str) -> int:
    if not is_type(type_):
        raise CodegenError("not a type of PTX registers", found=line)
    return bits_of(type_)


def _declared_names(names: str) -> Iterator[str]:
    """Yield the names of a declaration; `h<2>` declares h0 and h1."""
    for name in names.split(","):
        stem, has_count, count = name.strip().partition("<")
        if has_count:
            yield from (f"{stem}{n}" for n in range(int(count.rstrip("> "))))
        else:
            yield stem


def _parse_statement(line: str, scopes: list[dict[str, Register]]) -> Statement:
    guard, rest = None, line
    if (match := _GUARD.fullmatch(line)) is not None:
        guard, rest = (_parse_operand(match[2], scopes, line), not match[1]), match[3]
    name, _, operands_text = rest.partition(" ") if " " in rest else rest.partition("\t")
    parts = [part[0].strip() for part in _OPERAND.finditer(operands_text)]
    if name.rstrip().endswith(":") or name.partition(".")[0] in _CONTROL_FLOW:
        raise CodegenError("PTX with branches is not supported", found=line)
    operands = tuple(_parse_operand(part, scopes, line) for part in parts if part)
    return Statement(name.strip(), operands, guard, " ".join(line.split()))


def _parse_operand(text: str, scopes: list[dict[str, Register]], line: str) -> Operand:
    text = text.strip()
    if text.startswith("!"):
        operand = _parse_operand(text[1:], scopes, line)
        if isinstance(operand, Register) and operand.bits == 1:
            return Register(operand.name, 1, is_negated=True)
        raise CodegenError("only a predicate can be negated with !", found=line)
    if text.startswith("{"):
        parts = (part.strip() for part in text[1:-1].split(","))
        return RegisterList(
            tuple(None if part == "_" else _parse_operand(part, scopes, line) for part in parts)
        )
    if (match := _PLACEHOLDER.fullmatch(text)) is not None:
        return Placeholder(int(match[1] or match[2]))
    for scope in reversed(scopes):
        if text in scope:
            return scope[text]
    if _NUMBER.fullmatch(text):
        return Literal(text)
    if text.startswith("["):
        raise CodegenError("PTX that accesses memory is not supported", found=line)
    if text.startswith("%"):
        raise CodegenError("special registers of PTX need a GPU", found=line, hint=_GPU_HINT)
    if _NAME.fullmatch(text):
        raise CodegenError(f"{text} is not declared", found=line, hint=f"add .reg .b32 {text};")
    raise CodegenError("not an operand of PTX", found=line)
