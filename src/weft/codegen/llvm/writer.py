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

from msgspec import Struct, field
from xdsl.ir import Attribute

__all__ = ["Phi", "Writer"]


# Instructions whose result depends on their operands alone.
_PURE = (
    "add ", "and ", "bitcast ", "extractelement ", "fadd ", "fmul ", "fsub ", "getelementptr ",
    "icmp ", "insertelement ", "lshr ", "mul ", "or ", "select ", "sext ", "shl ", "sub ",
    "trunc ", "xor ", "zext ",
)  # fmt: skip


class Phi(Struct):
    """A phi instruction whose incoming pairs are added as they become known."""

    name: str
    type: str
    incoming: list[tuple[str, str]] = field(default_factory=list)

    def add(self, value: str, block: str) -> None:
        """Add the value from a predecessor."""
        self.incoming.append((value, block))

    def __str__(self) -> str:
        pairs = ", ".join(f"[ {value}, %{block} ]" for value, block in self.incoming)
        return f"  {self.name} = phi {self.type} {pairs}"


class Writer(Struct):
    """The body of a function, and what it adds to the module: declarations and globals.

    Attributes:
        block: Label of the current block.
        lines: Instructions, labels and phis.
        declarations: Functions that are called.
        globals: Definitions of globals.
        libraries: Functions that are called, by bitcode file.
        prefix: Prefix of the names of values.
        mark: Suffix of labels, unique among the writers of a function.
        first: Label of the first block.
        location: Source location of the instructions that are written next.
        positions: Number of a line, and the location of it and the lines after it.
    """

    block: str = "entry"
    lines: list[str | Phi] = field(default_factory=list)
    declarations: dict[str, None] = field(default_factory=dict)
    globals: dict[str, None] = field(default_factory=dict)
    libraries: dict[str, dict[str, None]] = field(default_factory=dict)
    prefix: str = "%"
    mark: str = ""
    first: str = "body"
    location: Attribute | None = None
    positions: list[tuple[int, Attribute | None]] = field(default_factory=list)
    _known: dict[str, str] = field(default_factory=dict)
    _deferred: list[str | Phi] = field(default_factory=list)
    _deferred_location: Attribute | None = None
    _count: int = 0
    _labels: int = 0

    def at(self, location: Attribute | None) -> Attribute | None:
        """Set the source location of the following instructions, and return the one before."""
        before = self.location
        if location is not before:
            self.location = location
            self.positions.append((len(self.lines), location))
        return before

    def value(self, instruction: str) -> str:
        """Write an instruction with a result, and return the result's name.

        A pure instruction that the block already has is not written again.
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
        """Write a comment that an unsigned number must be less than another, for the simulator.

        It is not an `assume`: LLVM must not exploit the undefined behaviour of such a kernel.
        """
        self.lines.append(f"  ; require {type_} {value} below {size}")

    def phi(self, type_: str) -> Phi:
        """Write a phi at the start of a block, before other instructions."""
        self._count += 1
        phi = Phi(f"{self.prefix}{self._count}", type_)
        self.lines.append(phi)
        return phi

    def label(self, stem: str) -> str:
        """Create a unique label."""
        self._labels += 1
        return f"{stem}{self.mark}.{self._labels}"

    def start(self, label: str) -> None:
        """Begin a block."""
        self._known.clear()
        self.lines.append(f"{label}:")
        self.block = label

    def jump(self, label: str, metadata: str = "") -> None:
        """End the block with a jump; `metadata` follows it: `, !llvm.loop !10`."""
        self._write_deferred()
        self.lines.append(f"  br label %{label}{metadata}")

    def branch(self, condition: str, true: str, false: str, metadata: str = "") -> None:
        """End the block with a conditional branch, with `metadata` as for `jump`."""
        self._write_deferred()
        self.lines.append(f"  br i1 {condition}, label %{true}, label %{false}{metadata}")

    @contextmanager
    def at_end_of_block(self) -> Iterator[None]:
        """Write the following instructions directly before the jump that ends the block."""
        start = len(self.lines)
        yield
        self._deferred += self.lines[start:]
        self._deferred_location = self.location
        del self.lines[start:]

    def _write_deferred(self) -> None:
        if self._deferred:
            location = self.at(self._deferred_location)
            self.lines += self._deferred
            self._deferred.clear()
            self.at(location)

    @contextmanager
    def where(self, condition: str, stem: str) -> Iterator[None]:
        """Write the following instructions under a condition; "" is true.

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

    def call(
        self, result: str, callee: str, *arguments: tuple[str, str], attributes: str = ""
    ) -> str:
        """Call a function, and declare it; return the result, "" for void.

        Args:
            result: LLVM type of the result.
            callee: Name of the function.
            arguments: (type, value) each.
            attributes: Attributes or metadata after the arguments: `, !noalias !3`.
        """
        types = ", ".join(type_ for type_, _ in arguments)
        self.declarations[f"declare {result} @{callee}({types})"] = None
        operands = ", ".join(f"{type_} {value}" for type_, value in arguments)
        if result == "void":
            self.line(f"call void @{callee}({operands}){attributes}")
            return ""
        return self.value(f"call {result} @{callee}({operands}){attributes}")

    def body(self) -> str:
        """Get the function's body as text."""
        return "\n".join(map(str, self.lines))
