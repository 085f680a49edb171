"""The table of PTX instructions by opcode.

    @instruction("add", "sub")
    def _add(name: InstructionName) -> Semantics: …

The function reads the modifiers and types of a name such as `add.rn.ftz.f32`, and returns the types
of the operands and of the result, and how to compute it. A modifier that it does not read is an
error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from weft.errors import CodegenError, did_you_mean
from weft.ptx.types import is_type
from weft.registry import Registry

__all__ = ["InstructionName", "Semantics", "find_semantics", "instruction"]


@dataclass(frozen=True, slots=True)
class Semantics:
    """What an instruction computes.

    Attributes:
        result: Type of the result.
        sources: Types of the source operands.
        run: Computes the result's numbers from those of the sources.
        allows_wider: Whether a source register may be wider than its type; the upper bits are
            ignored.
    """

    result: str
    sources: tuple[str, ...]
    run: Callable[..., np.ndarray]
    allows_wider: bool = False


class InstructionName:
    """The parts of an instruction's name, of which modifiers are read one by one.

    Attributes:
        text: The name, "add.rn.ftz.f32".
        opcode: Its first part, "add".
        types: The types in it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.opcode, *parts = text.split(".")
        self.types = [part for part in parts if is_type(part)]
        self._unread = [part for part in parts if not is_type(part)]

    def modifier(self, *names: str) -> str:
        """Read the first of some modifiers that the name has; "" if it has none of them."""
        for name in names:
            if name in self._unread:
                self._unread.remove(name)
                return name
        return ""

    def has(self, name: str) -> bool:
        """Read a modifier, and return whether the name has it."""
        return self.modifier(name) != ""

    def only_type(self, *accepted: str) -> str:
        """Find the only type in the name.

        Raises:
            CodegenError: The name has another number of types, or one that is not accepted.
        """
        if len(self.types) != 1 or self.types[0] not in accepted:
            raise self.unsupported()
        return self.types[0]

    def unsupported(self) -> CodegenError:
        """Create the error for a combination of types or modifiers without an implementation."""
        return CodegenError(f"this form of {self.opcode} is not supported", found=self.text)

    def check_all_read(self) -> None:
        """Check that all modifiers have been read.

        Raises:
            CodegenError: One has not.
        """
        if self._unread:
            raise CodegenError(
                f"{self.opcode} with modifier .{self._unread[0]} is not supported", found=self.text
            )


Builder: TypeAlias = Callable[[InstructionName], Semantics]
_BUILDERS = Registry[Builder]("weft.ptx.instructions")


def instruction(*opcodes: str) -> Callable[[Builder], Builder]:
    """Register the function that reads the names with some opcodes."""
    return _BUILDERS.register(*opcodes)


@cache
def find_semantics(text: str) -> Semantics:
    """Find what an instruction computes by its name.

    Raises:
        CodegenError: The instruction, or a part of its name, is not supported.
    """
    name = InstructionName(text)
    build = _BUILDERS.get(name.opcode)
    if build is None:
        raise CodegenError(
            "this PTX instruction is not supported",
            found=text,
            accepted=sorted(_BUILDERS),
            hint=did_you_mean(name.opcode, _BUILDERS),
        )
    semantics = build(name)
    name.check_all_read()
    return semantics
