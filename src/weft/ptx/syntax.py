"""A text of PTX into statements whose names are registers.

    .reg .b16 h<2>; @p mov.b32 {h0, h1}, $1;
    →  Statement("mov.b32", (Several(h0, h1), Given(1)), guard=(p, True))

Braces open scopes: a name belongs to the innermost one that declares it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from weft.errors import CodegenError
from weft.ptx.kinds import bits_of, is_type

__all__ = ["Given", "Literal", "Operand", "Register", "Several", "Statement", "statements"]


@dataclass(frozen=True, slots=True)
class Register:
    """A register that the text declares. name: unlike any other's.  bits: 1 for a predicate."""

    name: str
    bits: int
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """What the text calls `$number`: outputs first, then inputs."""

    number: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as it stands in the text."""

    text: str


@dataclass(frozen=True, slots=True)
class Several:
    """Registers in braces, the one with the lowest bits first; None for `_`."""

    parts: tuple[Operand | None, ...]


Operand: TypeAlias = "Register | Given | Literal | Several"


@dataclass(frozen=True, slots=True)
class Statement:
    """One instruction. guard: a predicate and what it must be, None for always."""

    name: str
    operands: tuple[Operand, ...]
    guard: tuple[Operand, bool] | None
    text: str


_ASK = "run the kernel on the GPU that it is for"
_LEAVING = frozenset({"bra", "brx", "call", "exit", "ret", "trap"})
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_TOKEN = re.compile(
    r"\s*(?:(?P<open>\{)|(?P<close>\})|(?P<statement>[^;{}]*(?:\{[^{}]*\}[^;{}]*)*);?)"
)
_GUARD = re.compile(r"@(!?)\s*(\S+)\s+(.*)", re.S)
_DECLARATION = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.S)
_NAME = re.compile(r"[A-Za-z_$%][\w$]*")
_NUMBER = re.compile(r"-?(?:0[fFdD][0-9a-fA-F]+|0x[0-9a-fA-F]+U?|\d+U?|\d*\.\d+(?:[eE]-?\d+)?)")
_GIVEN = re.compile(r"\$(\d+)|\$\{(\d+)(?::\w+)?\}")
_PART = re.compile(r"(\{[^}]*\}|\[[^\]]*\]|[^,])+")


def statements(text: str) -> Iterator[Statement]:
    """Yield the instructions of a text.

    Raises: CodegenError: a name that is not declared, a label, or what is no statement.
    """
    text = _COMMENT.sub(" ", text)
    scopes: list[dict[str, Register]] = [{}]
    place, made = 0, 0
    while place < len(text) and (found := _TOKEN.match(text, place)) is not None:
        place = max(found.end(), place + 1)
        if found["open"]:
            scopes.append({})
        elif found["close"]:
            if len(scopes) == 1:
                raise CodegenError("a brace closes what is not open", found=text)
            scopes.pop()
        elif (line := found["statement"].strip()) != "":
            if (declared := _DECLARATION.fullmatch(line)) is not None:
                for name in _declared(declared[2]):
                    made += 1
                    scopes[-1][name] = Register(f"{name}.{made}", _width(declared[1], line))
            else:
                yield _statement(line, scopes)


def _width(kind: str, line: str) -> int:
    if not is_type(kind):
        raise CodegenError("not a type that a register of PTX has", found=line)
    return bits_of(kind)


def _declared(names: str) -> Iterator[str]:
    for name in names.split(","):
        head, several, count = name.strip().partition("<")
        if several:
            yield from (f"{head}{n}" for n in range(int(count.rstrip("> "))))
        else:
            yield head


def _statement(line: str, scopes: list[dict[str, Register]]) -> Statement:
    guard, rest = None, line
    if (guarded := _GUARD.fullmatch(line)) is not None:
        guard, rest = (_operand(guarded[2], scopes, line), not guarded[1]), guarded[3]
    name, _, given = rest.partition(" ") if " " in rest else rest.partition("\t")
    parts = [part[0].strip() for part in _PART.finditer(given)]
    if name.rstrip().endswith(":") or name.partition(".")[0] in _LEAVING:
        raise CodegenError("PTX with branches does not run here", found=line)
    operands = tuple(_operand(part, scopes, line) for part in parts if part)
    return Statement(name.strip(), operands, guard, " ".join(line.split()))


def _operand(text: str, scopes: list[dict[str, Register]], line: str) -> Operand:
    text = text.strip()
    if text.startswith("!"):
        found = _operand(text[1:], scopes, line)
        if isinstance(found, Register) and found.bits == 1:
            return Register(found.name, 1, negated=True)
        raise CodegenError("only a predicate is negated so", found=line)
    if text.startswith("{"):
        parts = (part.strip() for part in text[1:-1].split(","))
        return Several(
            tuple(None if part == "_" else _operand(part, scopes, line) for part in parts)
        )
    if (given := _GIVEN.fullmatch(text)) is not None:
        return Given(int(given[1] or given[2]))
    for scope in reversed(scopes):
        if text in scope:
            return scope[text]
    if _NUMBER.fullmatch(text):
        return Literal(text)
    if text.startswith("["):
        raise CodegenError("PTX that reaches memory does not run here", found=line)
    if text.startswith("%"):
        raise CodegenError("special registers belong to a GPU", found=line, hint=_ASK)
    if _NAME.fullmatch(text):
        raise CodegenError(f"{text} is not declared", found=line, hint=f"add .reg .b32 {text};")
    raise CodegenError("not an operand of PTX that is known here", found=line)
