"""Compare two IR texts op by op, up to the names of values and aliases.

Both texts are as MLIR prints them (`Triton.canonical` brings any text into that form). Ops are
matched by name; each pair is compared in its types, attributes and operands. An operand is
identified by its defining op and result number. An op counts once, for the first of these causes:

    name       an op that has no partner
    type       a type in the op differs: result, operand or encoding
    attribute  a property, attribute, successor or literal differs
    operand    the same op on another value
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

_ALIAS = re.compile(r"^(#[a-z_]+\d*) = (.*)$", re.MULTILINE)
_ALIAS_USE = re.compile(r"#[a-z_]+\d*\b(?![.\w])")
# A partition of ttg.warp_specialize counts as an op, which defines its arguments.
_OP = re.compile(
    r'^\s*(?:(%[\w$.:, %-]+?) = )?"?(partition\d+|[a-z_]+(?:\.[a-z_0-9]+)*)"?(?=[\s("<{]|$)'
)
_VALUE = re.compile(r"%[A-Za-z0-9_$.-]+(?:#\d+)?")
_ARGUMENT = re.compile(r"(%[A-Za-z0-9_$.-]+)(?=: | = )")
_SCALAR_TYPE = re.compile(r"\b(?:[usi]?i\d+|bf16|f\d+\w*|index|none)\b")
_TYPE_HEAD = re.compile(r"(?:\btensor|\bvector|!tt\w*\.\w+)<")


@dataclass(slots=True, eq=False)
class Op:
    """One op of a text.

    Attributes:
        name: The name with its dialect.
        line: The line as printed.
        depth: The number of regions around the op.
        text: The line after the name, and the labels and ends of its regions.
        defines: The names of its results and of the block arguments of its regions.
        uses: The names of its operands.
        operands: (index of the defining op, index into its `defines`) of each operand.
        types: The types in `text`.
        attributes: The rest of `text`.
    """

    name: str
    line: str
    depth: int
    text: str
    defines: list[str] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)
    operands: list[tuple[int, int]] = field(default_factory=list)
    types: tuple[str, ...] = ()
    attributes: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """One op that differs: the cause, and the lines of the expected and the actual op."""

    cause: str
    expected: str
    actual: str

    def __str__(self) -> str:
        return (
            f"{self.cause}\n    expected {self.expected or '—'}\n    actual   {self.actual or '—'}"
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """The ops that differ, and the number of ops of the longer text."""

    total: int
    differences: tuple[Difference, ...]

    @property
    def identical(self) -> int:
        return self.total - len(self.differences)

    @property
    def by_cause(self) -> Counter[str]:
        return Counter(difference.cause for difference in self.differences)

    def __bool__(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        lines = [f"{self.identical} of {self.total} identical"]
        lines += [f"  {count} differ in {cause}" for cause, count in self.by_cause.most_common()]
        return "\n".join([*lines, *(str(difference) for difference in self.differences)])


def expand_aliases(text: str) -> str:
    """Replace every `#alias` by its definition and drop the definitions."""
    known: dict[str, str] = {}

    def expand(part: str) -> str:
        return _ALIAS_USE.sub(lambda use: known.get(use[0], use[0]), part)

    for name, value in _ALIAS.findall(text):
        known[name] = expand(value)
    return expand(_ALIAS.sub("", text)).strip()


def _types(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the outermost types in `text`."""
    position = 0
    while position < len(text):
        head, scalar = _TYPE_HEAD.search(text, position), _SCALAR_TYPE.search(text, position)
        if head and (not scalar or head.start() <= scalar.start()):
            depth, end = 1, head.end()
            while depth and end < len(text):
                depth += {"<": 1, ">": -1}.get(text[end], 0)
                end += 1
            yield head.start(), end
        elif scalar:
            end = scalar.end()
            yield scalar.span()
        else:
            return
        position = end


def _split_types(text: str) -> tuple[tuple[str, ...], str]:
    """Split `text` into its types and the text with % for each value and ~ for each type."""
    spans = list(_types(text))
    rest, position = [], 0
    for start, end in spans:
        rest.append(text[position:start])
        position = end
    rest.append(text[position:])
    return tuple(text[start:end] for start, end in spans), _VALUE.sub("%", "~".join(rest))


def _names(results: str | None) -> list[str]:
    """List the names that `%0, %1:2` defines: %0, %1#0, %1#1."""
    names: list[str] = []
    for part in (results or "").split(","):
        name, _, count = part.strip().partition(":")
        if count:
            names += [f"{name}#{index}" for index in range(int(count))]
        elif name:
            names.append(name)
    return names


def read(text: str) -> list[Op]:
    """Read the ops of an IR text in textual order.

    Raises:
        ValueError: A line is neither an op nor a block label nor the end of a region.
    """
    ops: list[Op] = []
    opened: list[Op] = []
    for raw in expand_aliases(text).splitlines():
        line = raw.strip()
        if not line:
            continue
        depth = len(opened)
        if line.startswith(("}", "^")):
            owner = opened.pop() if line.startswith("}") else opened[-1]
            owner.text += f" {line}"
            owner.uses += [v for v in _VALUE.findall(line) if f"{v}: " not in line]
            owner.defines += _ARGUMENT.findall(line)
            if line.endswith("{"):
                opened.append(owner)
            continue
        match = _OP.match(line)
        if not match:
            raise ValueError(f"no op in the line {line!r}")
        op = Op(match[2], line, depth, line[match.end() :])
        arguments = _ARGUMENT.findall(op.text) if line.endswith(("{", "{}")) else []
        op.defines = _names(match[1]) + arguments
        op.uses = [v for v in _VALUE.findall(op.text) if v not in arguments]
        ops.append(op)
        if line.endswith(("{", "({")):
            opened.append(op)
    _resolve(ops)
    return ops


def _resolve(ops: list[Op]) -> None:
    """Resolve the operand names of ops to (op, value), and split types from attributes."""
    where: dict[str, tuple[int, int]] = {}
    pending: list[tuple[Op, int]] = []
    for index, op in enumerate(ops):
        op.types, op.attributes = _split_types(op.text)
        where |= {name: (index, position) for position, name in enumerate(op.defines)}
        op.operands = [where.get(name, (-1, 0)) for name in op.uses]
        pending += [(op, slot) for slot, operand in enumerate(op.operands) if operand[0] < 0]
    for op, slot in pending:
        op.operands[slot] = where.get(op.uses[slot], (-1, 0))


def compare(expected: str, actual: str) -> Comparison:
    """Compare two canonical IR texts."""
    left, right = read(expected), read(actual)
    matcher = SequenceMatcher(
        None, [(op.depth, op.name) for op in left], [(op.depth, op.name) for op in right], False
    )
    partner: dict[int, int] = {-1: -1}
    differences: list[Difference] = []
    pairs: list[tuple[int, int]] = []
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        if tag == "equal":
            pairs += zip(range(a, a_end), range(b, b_end), strict=True)
            continue
        for offset in range(max(a_end - a, b_end - b)):
            before = left[a + offset].line if a + offset < a_end else ""
            after = right[b + offset].line if b + offset < b_end else ""
            differences.append(Difference("name", before, after))
            if before and after:  # their users do not differ in an operand
                partner[a + offset] = b + offset
    partner |= dict(pairs)
    for a, b in pairs:
        if cause := _cause(left[a], right[b], partner):
            differences.append(Difference(cause, left[a].line, right[b].line))
    return Comparison(max(len(left), len(right)), tuple(differences))


def _cause(expected: Op, actual: Op, partner: dict[int, int]) -> str | None:
    """Find the first cause by which a pair of ops differs, None if they are identical."""
    if expected.types != actual.types:
        return "type"
    if expected.attributes != actual.attributes:
        return "attribute"
    renumbered = [(partner.get(op), value) for op, value in expected.operands]
    return None if renumbered == actual.operands else "operand"
