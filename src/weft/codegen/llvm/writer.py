"""Write LLVM IR as text: one function at a time, then the module around them.

    w = Writer()
    total = w.value("add i32 %a, 1")          #   %1 = add i32 %a, 1
    total                                     # "%1"
    w.line("store float 0.0, ptr %p")         #   store float 0.0, ptr %p

A value is its name or a literal: text that can be an operand. The lowering knows its type, so a
name carries nothing else, and an instruction is one f-string. That makes a million instructions per
second possible.

A phi is written before its incoming values are known, and completed later:

    i = w.phi("i32"); i.add("0", "entry")     #   %2 = phi i32 [ 0, %entry ], [ %3, %body ]
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["Phi", "Writer"]


# Instructions whose result depends on their operands alone.
_PURE = (
    "add ", "and ", "bitcast ", "extractelement ", "fadd ", "fmul ", "fsub ", "getelementptr ",
    "icmp ", "insertelement ", "lshr ", "mul ", "or ", "select ", "sext ", "shl ", "sub ",
    "trunc ", "xor ", "zext ",
)  # fmt: skip


@dataclass(slots=True)
class Phi:
    """A phi instruction whose incoming pairs are added as they become known."""

    name: str
    type: str
    incoming: list[tuple[str, str]] = field(default_factory=list)

    def add(self, value: str, block: str) -> None:
        """Add the value that arrives from a block."""
        self.incoming.append((value, block))

    def __str__(self) -> str:
        pairs = ", ".join(f"[ {value}, %{block} ]" for value, block in self.incoming)
        return f"  {self.name} = phi {self.type} {pairs}"


@dataclass(slots=True)
class Writer:
    """The body of a function, and what it needs of the module: declarations and globals.

    Attributes:
        block: The label of the block that lines go into.
        prefix: What the names of values start with.
        libraries: The functions that are called of files of bitcode.
        mark: What its labels have that those of other writers of the function have not.
        first: The label of the first block.
    """

    block: str = "entry"
    lines: list[str | Phi] = field(default_factory=list)
    declarations: dict[str, None] = field(default_factory=dict)
    globals: dict[str, None] = field(default_factory=dict)
    libraries: dict[str, dict[str, None]] = field(default_factory=dict)
    prefix: str = "%"
    mark: str = ""
    first: str = "body"
    _known: dict[str, str] = field(default_factory=dict)
    _count: int = 0
    _labels: int = 0

    def value(self, instruction: str) -> str:
        """Write an instruction with a result, and return the result's name.

        What stands in the block already, and depends on its operands alone, is not written again.
        """
        result = self._known.get(instruction)
        if result is not None:
            return result
        self._count += 1
        name = f"{self.prefix}{self._count}"
        self.lines.append(f"  {name} = {instruction}")
        if instruction.startswith(_PURE):
            self._known[instruction] = name
        return name

    def line(self, instruction: str) -> None:
        """Write an instruction without a result."""
        self.lines.append(f"  {instruction}")

    def require_below(self, type_: str, value: str, size: int) -> None:
        """Write for the simulator that an unsigned number is less than another one.

        It is a comment: a kernel that breaks the rule is not one that LLVM may do anything with.
        """
        self.lines.append(f"  ; require {type_} {value} below {size}")

    def phi(self, type_: str) -> Phi:
        """Write a phi at the start of a block; no other instruction may be there yet."""
        self._count += 1
        phi = Phi(f"{self.prefix}{self._count}", type_)
        self.lines.append(phi)
        return phi

    def label(self, stem: str) -> str:
        """Return a label that no block has yet."""
        self._labels += 1
        return f"{stem}{self.mark}.{self._labels}"

    def start(self, label: str) -> None:
        """Begin a block."""
        self._known.clear()
        self.lines.append(f"{label}:")
        self.block = label

    def jump(self, label: str) -> None:
        """End the block with a jump."""
        self.lines.append(f"  br label %{label}")

    def branch(self, condition: str, true: str, false: str) -> None:
        """End the block with a choice between two others."""
        self.lines.append(f"  br i1 {condition}, label %{true}, label %{false}")

    @contextmanager
    def where(self, condition: str, stem: str) -> Iterator[None]:
        """Write what follows for the threads where an i1 holds; "" stands for all of them.

        with w.where(owner, "share"):     →    br i1 %owner, label %share.1, label %after.2
            w.line("store …")                share.1:
                                               store …
                                               br label %after.2
                                             after.2:
        """
        if not condition:
            yield
            return
        inside, after = self.label(stem), self.label("after")
        self.branch(condition, inside, after)
        self.start(inside)
        yield
        self.jump(after)
        self.start(after)

    def call(self, result: str, callee: str, *arguments: tuple[str, str]) -> str:
        """Call a function that is declared by the call; return its result, "" of a void one.

        Args:
            result: LLVM type of the result.
            callee: Name of the function.
            arguments: (type, value) each.
        """
        return self.call_told(result, callee, "", *arguments)

    def call_told(self, result: str, callee: str, told: str, *arguments: tuple[str, str]) -> str:
        """Call a function of which `told` is said: `, !noalias !3`, ` memory(none)`."""
        types = ", ".join(type_ for type_, _ in arguments)
        self.declarations[f"declare {result} @{callee}({types})"] = None
        operands = ", ".join(f"{type_} {value}" for type_, value in arguments)
        if result == "void":
            self.line(f"call void @{callee}({operands}){told}")
            return ""
        return self.value(f"call {result} @{callee}({operands}){told}")

    def body(self) -> str:
        """Return the function's body as text."""
        return "\n".join(map(str, self.lines))
