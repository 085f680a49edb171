"""The tables of what the simulator can call: intrinsics by name, inline assembly by its text.

The modules of this package register what they simulate:

    @value("llvm.amdgcn.exp2.f32")          an array per argument → the array of the result
    @intrinsic(r"llvm[.]nvvm[.](ld|st)matrix[.].*")     a call → a step, where that is not enough
    @assembly(r"cp[.]async[.]wait_group (.);")          a line of assembly → a step

A pattern must match the whole of a name or line. Two patterns that match one are an error of ours.
A name without its last part stands for all types: `llvm.fma` for `llvm.fma.f32` and the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from weft.errors import CodegenError
from weft.registry import Registry
from weft.simulator.block import Operand, Step
from weft.simulator.llvm_ir.types import Type

__all__ = ["Call", "Operands", "assembly", "find_assembly", "find_intrinsic", "intrinsic", "value"]

Operands: TypeAlias = "tuple[tuple[Operand, Type], ...]"


@dataclass(frozen=True, slots=True)
class Call:
    """One call in the text.

    result: the name of what it gives, "" for nothing.  match: of the callee's name, or of the line
    of assembly.  operands: the arguments and their types.  outputs: how many operands of assembly
    are results; they are numbered before the arguments.  returns: what assembly gives, "float".
    """

    result: str
    match: re.Match[str]
    operands: Operands
    outputs: int = 0
    returns: str = ""

    @property
    def arguments(self) -> list[Operand]:
        """The arguments without their types."""
        return [operand for operand, _ in self.operands]

    def numbered(self, number: int | str) -> Operand:
        """Return the argument that assembly calls `$number`."""
        return self.operands[int(number) - self.outputs][0]


Build: TypeAlias = Callable[[Call], Step]
Row: TypeAlias = Callable[..., Any]
F = TypeVar("F", bound=Callable[..., Any])

_WHOLE = re.compile(r".*")
Pattern: TypeAlias = tuple[re.Pattern[str], Build]

_VALUES = Registry[Build]("weft.simulator")
_INTRINSICS = Registry[Pattern]("weft.simulator")
_ASSEMBLY = Registry[Pattern]("weft.simulator")


def value(*names: str) -> Callable[[F], F]:
    """Register a function from the block and the arguments' arrays to the result's array."""

    def add(row: F) -> F:
        def build(call: Call) -> Step:
            def step(block: Any) -> None:
                found = row(block, *(block.get(argument) for argument in call.arguments))
                if call.result:
                    block.set(call.result, found)

            return step

        for name in names:
            _VALUES.add(name, build)
        return row

    return add


def intrinsic(pattern: str) -> Callable[[F], F]:
    """Register how a call of intrinsics whose names match becomes a step."""
    return _adder(_INTRINSICS, pattern)


def assembly(pattern: str) -> Callable[[F], F]:
    """Register how lines of assembly that match become a step."""
    return _adder(_ASSEMBLY, pattern)


def _adder(patterns: Registry[Pattern], pattern: str) -> Callable[[F], F]:
    def add(build: F) -> F:
        patterns.add(pattern, (re.compile(pattern), build))
        return build

    return add


def find_intrinsic(name: str) -> tuple[re.Match[str], Build]:
    """Return what simulates an intrinsic.

    Raises: CodegenError: nothing does.
    """
    for known in (name, name.rpartition(".")[0] if name.startswith("llvm.") else name):
        build, whole = _VALUES.get(known), _WHOLE.fullmatch(name)
        if build is not None and whole is not None:
            return whole, build
    found = _only(_INTRINSICS, name)
    if found is None:
        raise CodegenError(f"the simulator has no {name}", found=name)
    return found


def find_assembly(text: str) -> tuple[re.Match[str], Build] | None:
    """Return what simulates a line of assembly, None for one that weft does not write itself."""
    return _only(_ASSEMBLY, text)


def _only(patterns: Registry[Pattern], text: str) -> tuple[re.Match[str], Build] | None:
    found = [
        (match, build) for pattern, build in patterns.values() if (match := pattern.fullmatch(text))
    ]
    assert len(found) <= 1, f"{text} is simulated twice"
    return found[0] if found else None
