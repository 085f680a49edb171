r"""Tables of what the simulator can call: intrinsics by name, inline assembly by its text.

The modules of this package register what they simulate:

    @array_intrinsic("llvm.amdgcn.exp2.f32")    a function from arrays to the result's array
    @intrinsic(r"llvm\.nvvm\.(ld|st)matrix.*")  a function from a call to a step
    @assembly(r"cp\.async\.wait_group (.);")    the same for a line of inline assembly

A pattern must match a whole name or line, and no two patterns may match the same one. A name
without its last part covers all types: `llvm.fma` is used for `llvm.fma.f32` and the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from weft.errors import CodegenError
from weft.registry import Registry
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Operand, Type

__all__ = [
    "ArrayFunction",
    "Call",
    "Operands",
    "array_intrinsic",
    "assembly",
    "find_assembly",
    "find_intrinsic",
    "intrinsic",
]

Operands: TypeAlias = "tuple[tuple[Operand, Type], ...]"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an intrinsic or of inline assembly.

    Attributes:
        result: Name of the result, "" if there is none.
        match: Match of the callee's name, or of the line of assembly.
        operands: The arguments and their types.
        outputs: Number of output operands of assembly, which are numbered before the arguments.
        result_type: Type of the result of assembly, "float".
    """

    result: str
    match: re.Match[str]
    operands: Operands
    outputs: int = 0
    result_type: str = ""

    @property
    def arguments(self) -> list[Operand]:
        """The arguments without their types."""
        return [operand for operand, _ in self.operands]

    def argument(self, number: int | str) -> Operand:
        """Find the argument that assembly names `$number`."""
        return self.operands[int(number) - self.outputs][0]


Builder: TypeAlias = Callable[[Call], Step]
Pattern: TypeAlias = "tuple[re.Pattern[str], Builder]"
Entry: TypeAlias = "tuple[re.Match[str], Builder]"
ArrayFunction: TypeAlias = "Callable[..., np.ndarray | None]"
"""Computes the result of an intrinsic from the block and one array per argument."""
F = TypeVar("F", bound=ArrayFunction)

_ANYTHING = re.compile(r".*")
_ARRAY_INTRINSICS = Registry[Builder]("weft.simulator")
_INTRINSICS = Registry[Pattern]("weft.simulator")
_ASSEMBLY = Registry[Pattern]("weft.simulator")


def array_intrinsic(*names: str) -> Callable[[F], F]:
    """Register a function from the block and the arguments' arrays to the result's array."""

    def register(function: F) -> F:
        def build(call: Call) -> Step:
            def step(block: Block) -> None:
                value = function(block, *(block.get(argument) for argument in call.arguments))
                if call.result:
                    assert value is not None
                    block.set(call.result, value)

            return step

        for name in names:
            _ARRAY_INTRINSICS.add(name, build)
        return function

    return register


def intrinsic(pattern: str) -> Callable[[Builder], Builder]:
    """Register how calls of the intrinsics that a pattern matches become steps."""
    return _register(_INTRINSICS, pattern)


def assembly(pattern: str) -> Callable[[Builder], Builder]:
    """Register how the lines of assembly that a pattern matches become steps."""
    return _register(_ASSEMBLY, pattern)


def _register(patterns: Registry[Pattern], pattern: str) -> Callable[[Builder], Builder]:
    def register(builder: Builder) -> Builder:
        patterns.add(pattern, (re.compile(pattern), builder))
        return builder

    return register


def find_intrinsic(name: str) -> Entry:
    """Find the builder of an intrinsic.

    Raises:
        CodegenError: The simulator does not support it.
    """
    untyped = name.rpartition(".")[0] if name.startswith("llvm.") else name
    builder = _ARRAY_INTRINSICS.get(name) or _ARRAY_INTRINSICS.get(untyped)
    if builder is not None:
        match = _ANYTHING.fullmatch(name)
        assert match is not None
        return match, builder
    entry = _find(_INTRINSICS, name)
    if entry is None:
        raise CodegenError(f"the simulator does not support {name}", found=name)
    return entry


def find_assembly(text: str) -> Entry | None:
    """Find the builder of a line of assembly, None for one that code generation never writes."""
    return _find(_ASSEMBLY, text)


def _find(patterns: Registry[Pattern], text: str) -> Entry | None:
    entries = [
        (match, build) for pattern, build in patterns.values() if (match := pattern.fullmatch(text))
    ]
    assert len(entries) <= 1, f"two patterns match {text}"
    return entries[0] if entries else None
