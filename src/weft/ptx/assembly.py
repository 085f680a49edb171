"""Combine statements and constraints into an object that runs.

Constraints are LLVM's, outputs before inputs; `=` marks an output, the letter its register:

    h 16 bits    r f 32 bits    l d 64 bits    c 8 bits    b a predicate

A digit ties an input to that output. `~{memory}` and other clobbers have no effect here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from weft.errors import CodegenError
from weft.ptx.literals import parse_literal
from weft.ptx.parser import (
    Literal,
    Operand,
    Placeholder,
    Register,
    RegisterList,
    Statement,
    parse_statements,
)
from weft.ptx.registry import Semantics, find_semantics
from weft.ptx.types import UNSIGNED, bits_of, to_bits, to_numbers

__all__ = ["Assembly", "read"]

_CONSTRAINT_BITS = {"b": 1, "c": 8, "h": 16, "r": 32, "f": 32, "l": 64, "d": 64}
_Values: TypeAlias = "dict[Register | Placeholder, np.ndarray]"


@dataclass(frozen=True, slots=True)
class Assembly:
    """Assembly that can run.

    Attributes:
        outputs: Bits of each output register; 1 for a predicate.
        inputs: Bits of each input register.
        steps: The statements, each with what it computes.
    """

    outputs: tuple[int, ...]
    inputs: tuple[int, ...]
    steps: tuple[tuple[Statement, Semantics], ...]

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run the assembly.

        An output that the text does not write, or writes under a predicate only, is 0 elsewhere.

        Args:
            inputs: Bits of each input as unsigned integers; narrower ones are extended.

        Returns:
            Bits of each output as unsigned integers.
        """
        values: _Values = {
            Placeholder(n): np.zeros(1, _register_dtype(bits))
            for n, bits in enumerate(self.outputs)
        }
        first = len(self.outputs)
        values |= {
            Placeholder(first + n): array.astype(_register_dtype(bits), copy=False)
            for n, (array, bits) in enumerate(zip(inputs, self.inputs, strict=True))
        }
        with np.errstate(all="ignore"):
            for statement, semantics in self.steps:
                self._execute(values, statement, semantics)
        return [values[Placeholder(n)] for n in range(first)]

    def bits_of_operand(self, operand: Operand) -> int:
        """Compute the bits of a register or a list of registers."""
        if isinstance(operand, Placeholder):
            return (*self.outputs, *self.inputs)[operand.number]
        if isinstance(operand, RegisterList):
            return sum(self.bits_of_operand(part) for part in operand.parts if part is not None)
        assert isinstance(operand, Register)
        return operand.bits

    def _execute(self, values: _Values, statement: Statement, semantics: Semantics) -> None:
        target, *sources = statement.operands
        numbers = [
            to_numbers(self._read(values, source, type_), type_)
            for source, type_ in zip(sources, semantics.sources, strict=True)
        ]
        bits = to_bits(semantics.run(*numbers), semantics.result)
        bits = self._extend(target, bits, semantics.result)
        mask = None
        if statement.guard is not None:
            predicate, expected = statement.guard
            mask = self._read(values, predicate, "pred") == expected
        self._write(values, target, bits, mask)

    def _extend(self, target: Operand, bits: np.ndarray, type_: str) -> np.ndarray:
        """Sign-extend a signed result to the width of its register."""
        if type_[0] != "s" or isinstance(target, RegisterList):
            return bits
        dtype = _register_dtype(self.bits_of_operand(target))
        return bits.view(f"i{bits.itemsize}").astype(f"i{dtype.itemsize}").view(dtype)

    def _read(self, values: _Values, operand: Operand, type_: str) -> np.ndarray:
        if isinstance(operand, Literal):
            return parse_literal(operand.text, type_)
        if isinstance(operand, RegisterList):
            return self._concatenate(values, operand, bits_of(type_))
        bits = self._read_register(values, operand)
        if isinstance(operand, Register) and operand.is_negated:
            return ~bits
        return bits if type_ == "pred" else bits.astype(UNSIGNED[bits_of(type_)], copy=False)

    def _read_register(self, values: _Values, operand: Operand) -> np.ndarray:
        assert isinstance(operand, Register | Placeholder)
        key = Register(operand.name, operand.bits) if isinstance(operand, Register) else operand
        if key not in values:
            assert isinstance(key, Register)
            raise CodegenError(f"{key.name.rpartition('.')[0]} is read before it is written")
        return values[key]

    def _concatenate(self, values: _Values, registers: RegisterList, bits: int) -> np.ndarray:
        dtype = UNSIGNED[bits]
        total, start = np.zeros(1, dtype), 0
        for part in registers.parts:
            assert part is not None
            total = total | self._read_register(values, part).astype(dtype) << dtype.type(start)
            start += self.bits_of_operand(part)
        return total

    def _write(
        self, values: _Values, target: Operand, bits: np.ndarray, mask: np.ndarray | None
    ) -> None:
        if isinstance(target, RegisterList):
            width = 8 * bits.dtype.itemsize // len(target.parts)
            for n, part in enumerate(target.parts):
                if part is not None:
                    piece = bits >> bits.dtype.type(n * width)
                    self._write(values, part, piece.astype(UNSIGNED[width]), mask)
            return
        assert isinstance(target, Register | Placeholder)
        if bits.dtype != np.bool_:
            bits = bits.astype(_register_dtype(self.bits_of_operand(target)), copy=False)
        if mask is not None:
            bits = np.where(mask, bits, values.get(target, np.zeros(1, bits.dtype)))
        values[target] = bits


def _register_dtype(bits: int) -> np.dtype:
    return np.dtype(np.bool_) if bits == 1 else UNSIGNED[bits]


@lru_cache(maxsize=256)
def read(text: str, constraints: str) -> Assembly:
    """Parse assembly with its constraints.

    Raises:
        CodegenError: An instruction or a constraint is not supported, or operands do not match
            the instruction.
    """
    outputs, inputs = _parse_constraints(constraints)
    statements = parse_statements(text.replace("$$", "%"))
    steps = tuple((statement, find_semantics(statement.name)) for statement in statements)
    assembly = Assembly(outputs, inputs, steps)
    for statement, semantics in steps:
        _check_operands(assembly, statement, semantics)
    return assembly


def _parse_constraints(constraints: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Compute the bits of each output and of each input.

    Raises:
        CodegenError: A constraint is not one of PTX.
    """
    outputs: list[int] = []
    inputs: list[int] = []
    for part in filter(None, (part.strip() for part in constraints.split(","))):
        letter = part.lstrip("=&")
        if part.startswith("~"):
            continue
        if letter.isdigit() and int(letter) < len(outputs):
            inputs.append(outputs[int(letter)])
        elif letter in _CONSTRAINT_BITS:
            (outputs if part.startswith("=") else inputs).append(_CONSTRAINT_BITS[letter])
        else:
            raise CodegenError(
                "not a constraint of PTX",
                found=part,
                accepted=sorted(_CONSTRAINT_BITS),
                hint="run kernels with other assembly on their GPU",
            )
    return tuple(outputs), tuple(inputs)


def _check_operands(assembly: Assembly, statement: Statement, semantics: Semantics) -> None:
    """Check the number and the widths of an instruction's operands.

    Raises:
        CodegenError: One is wrong.
    """
    types = (semantics.result, *semantics.sources)
    if len(statement.operands) != len(types):
        raise CodegenError(f"{statement.name} takes {len(types)} operands", found=statement.text)
    total = len(assembly.outputs) + len(assembly.inputs)
    for operand, type_ in zip(statement.operands, types, strict=True):
        if isinstance(operand, Literal):
            parse_literal(operand.text, type_)
            continue
        parts = operand.parts if isinstance(operand, RegisterList) else (operand,)
        if any(isinstance(part, Placeholder) and part.number >= total for part in parts):
            raise CodegenError("an operand without a constraint", found=statement.text)
        if None in parts:
            continue
        bits, expected = assembly.bits_of_operand(operand), bits_of(type_)
        matches = bits >= expected > 1 if semantics.allows_wider else bits == expected
        if not matches:
            raise CodegenError(
                f"{statement.name} takes a register of {expected} bits, not of {bits}",
                found=statement.text,
            )
