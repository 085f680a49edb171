"""Statements and constraints into something that runs.

Constraints are LLVM's, outputs before inputs: `=` an output, then a letter for its register.

    h 16 bits    r f 32 bits    l d 64 bits    c 8 bits    b a predicate

A digit is an input in the register of that output. `~{memory}` and the like say nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from weft.errors import CodegenError
from weft.ptx.kinds import WHOLE, bits_of, numbers, raw
from weft.ptx.literals import literal
from weft.ptx.registry import Meaning, meaning_of
from weft.ptx.syntax import Given, Literal, Operand, Register, Several, Statement, statements

__all__ = ["Assembly", "read"]

_BITS = {"b": 1, "c": 8, "h": 16, "r": 32, "f": 32, "l": 64, "d": 64}
_Values = dict[object, np.ndarray]


@dataclass(frozen=True, slots=True)
class Assembly:
    """A text that can run. outputs, inputs: the bits of each register; 1 for a predicate."""

    outputs: tuple[int, ...]
    inputs: tuple[int, ...]
    steps: tuple[tuple[Statement, Meaning], ...]

    def run(self, given: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the outputs' bits for the inputs' bits, unsigned numbers as wide as they are.

        Inputs are made as wide as their registers. An output that the text never writes, or writes
        under a predicate only, is 0 elsewhere.
        """
        values: _Values = {
            Given(n): np.zeros(1, _dtype(bits)) for n, bits in enumerate(self.outputs)
        }
        first = len(self.outputs)
        values |= {
            Given(first + n): array.astype(_dtype(bits), copy=False)
            for n, (array, bits) in enumerate(zip(given, self.inputs, strict=True))
        }
        with np.errstate(all="ignore"):
            for statement, meaning in self.steps:
                self._step(values, statement, meaning)
        return [values[Given(n)] for n in range(first)]

    def _bits(self, operand: Operand) -> int:
        if isinstance(operand, Given):
            return (*self.outputs, *self.inputs)[operand.number]
        if isinstance(operand, Several):
            return sum(self._bits(part) if part is not None else 0 for part in operand.parts)
        assert isinstance(operand, Register)
        return operand.bits

    def _step(self, values: _Values, statement: Statement, meaning: Meaning) -> None:
        target, *sources = statement.operands
        read_in = [
            numbers(self._read(values, source, kind), kind)
            for source, kind in zip(sources, meaning.sources, strict=True)
        ]
        result = self._extended(target, raw(meaning.run(*read_in), meaning.result), meaning.result)
        mask = None
        if statement.guard is not None:
            predicate, wanted = statement.guard
            mask = self._read(values, predicate, "pred") == wanted
        self._write(values, target, result, mask)

    def _extended(self, target: Operand, result: np.ndarray, kind: str) -> np.ndarray:
        """Return a signed result as wide as its register, its sign in the bits above."""
        if kind[0] != "s" or isinstance(target, Several):
            return result
        whole = _dtype(self._bits(target))
        return result.view(f"i{result.itemsize}").astype(f"i{whole.itemsize}").view(whole)

    def _read(self, values: _Values, operand: Operand, kind: str) -> np.ndarray:
        if isinstance(operand, Literal):
            return literal(operand.text, kind)
        if isinstance(operand, Several):
            return self._joined(values, operand, bits_of(kind))
        found = self._held(values, operand)
        if isinstance(operand, Register) and operand.negated:
            return ~found
        return found if kind == "pred" else found.astype(WHOLE[bits_of(kind)], copy=False)

    def _held(self, values: _Values, operand: Operand) -> np.ndarray:
        key = Register(operand.name, operand.bits) if isinstance(operand, Register) else operand
        if key not in values:
            assert isinstance(key, Register)
            raise CodegenError(f"{key.name.rpartition('.')[0]} is read before it is written")
        return values[key]

    def _joined(self, values: _Values, several: Several, bits: int) -> np.ndarray:
        whole, at = np.zeros(1, WHOLE[bits]), 0
        for part in several.parts:
            assert part is not None
            whole = whole | self._held(values, part).astype(WHOLE[bits]) << WHOLE[bits].type(at)
            at += self._bits(part)
        return whole

    def _write(
        self, values: _Values, target: Operand, result: np.ndarray, mask: np.ndarray | None
    ) -> None:
        if isinstance(target, Several):
            at = 0
            each = 8 * result.dtype.itemsize // len(target.parts)
            for part in target.parts:
                if part is not None:
                    piece = result >> result.dtype.type(at)
                    self._write(values, part, piece.astype(WHOLE[each]), mask)
                at += each
            return
        if result.dtype != np.bool_:
            result = result.astype(_dtype(self._bits(target)), copy=False)
        if mask is not None:
            result = np.where(mask, result, values.get(target, np.zeros(1, result.dtype)))
        values[target] = result


def _dtype(bits: int) -> np.dtype:
    return np.dtype(np.bool_) if bits == 1 else WHOLE[bits]


@lru_cache(maxsize=256)
def read(text: str, constraints: str) -> Assembly:
    """Return a text with its constraints as what runs.

    Raises: CodegenError: an instruction, a form of one, or a constraint that is not known here;
            operands that do not fit.
    """
    outputs, inputs = _registers(constraints)
    steps = tuple((one, meaning_of(one.name)) for one in statements(text.replace("$$", "%")))
    assembly = Assembly(outputs, inputs, steps)
    for statement, meaning in steps:
        _check(assembly, statement, meaning)
    return assembly


def _registers(constraints: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    outputs: list[int] = []
    inputs: list[int] = []
    for part in filter(None, (part.strip() for part in constraints.split(","))):
        letter = part.lstrip("=&")
        if part.startswith("~"):
            continue
        if letter.isdigit() and int(letter) < len(outputs):
            inputs.append(outputs[int(letter)])
        elif letter in _BITS:
            (outputs if part.startswith("=") else inputs).append(_BITS[letter])
        else:
            raise CodegenError(
                "not a constraint of PTX",
                found=part,
                accepted=sorted(_BITS),
                hint="assembly of another chip runs on that chip",
            )
    return tuple(outputs), tuple(inputs)


def _check(assembly: Assembly, statement: Statement, meaning: Meaning) -> None:
    """Compare what an instruction takes with what it is given.

    Raises: CodegenError: the number of operands, or the width of one, is another.
    """
    kinds = (meaning.result, *meaning.sources)
    if len(statement.operands) != len(kinds):
        raise CodegenError(f"{statement.name} takes {len(kinds)} operands", found=statement.text)
    total = len(assembly.outputs) + len(assembly.inputs)
    for operand, kind in zip(statement.operands, kinds, strict=True):
        if isinstance(operand, Literal):
            literal(operand.text, kind)
            continue
        parts = operand.parts if isinstance(operand, Several) else (operand,)
        if any(isinstance(part, Given) and part.number >= total for part in parts):
            raise CodegenError("an operand that the constraints do not have", found=statement.text)
        has, needs = assembly._bits(operand), bits_of(kind)
        fits = has >= needs > 1 if meaning.is_loose else has == needs
        if not fits and not (isinstance(operand, Several) and None in parts):
            raise CodegenError(
                f"a register of {has} bits where {statement.name} has one of {needs}",
                found=statement.text,
            )
