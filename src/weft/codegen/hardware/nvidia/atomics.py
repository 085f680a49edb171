"""Atomic updates as inline PTX, for predicates, scopes and vectors that LLVM IR does not have.

    @$4 atom.global.gpu.acq_rel.add.f32 $0, [$2], $3;         $1 is tied to $0: masked lanes keep it
    atom.global.gpu.relaxed.add.noftz.v4.f16x2 {$0, …}, [$4], {$5, …};       eight halves

The qualifiers are in Triton's order, for which people search in PTX; cas has its order before its
scope. Two floats of 16 bits are updated as a pair. If the result has no users, ptxas emits a
reduction (red), which returns nothing.
Source: PTX ISA 9.0, atom.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.hardware.capabilities.memory import Atomic
from weft.codegen.llvm.word_packing import as_integer, from_integer, pack_words, unpack_words
from weft.codegen.llvm.writer import Writer

__all__ = ["ptx_atomic", "ptx_count"]

_INTEGER = {
    "add": ("add", "u"),
    "and": ("and", "b"),
    "or": ("or", "b"),
    "xor": ("xor", "b"),
    "max": ("max", "s"),
    "min": ("min", "s"),
    "umax": ("max", "u"),
    "umin": ("min", "u"),
    "exch": ("exch", "b"),
    "cas": ("cas", "b"),
}
_FLOAT = {
    "half": "noftz.f16",
    "bfloat": "noftz.bf16",
    "float": "f32",
    "double": "f64",
}
_CONSTRAINT = {16: "h", 32: "r", 64: "l"}


def _words(one: Atomic) -> tuple[str, int, int]:
    """Return the instruction's operation and type, its operands, and the bits of each."""
    if one.operation != "fadd":
        verb, kind = _INTEGER[one.operation]
        return f"{verb}.{kind}{one.bits}", 1, one.bits
    type_ = _FLOAT[one.element]
    packed = 2 if one.bits == 16 and one.count > 1 else 1
    count = one.count // packed
    flags, _, kind = type_.rpartition(".")
    parts = ["add", flags, f"v{count}" if count > 1 else "", kind + ("x2" if packed > 1 else "")]
    return ".".join(part for part in parts if part), count, one.bits * packed


def _operands(numbers: range) -> str:
    names = ", ".join(f"${number}" for number in numbers)
    return names if len(numbers) == 1 else f"{{{names}}}"


def ptx_atomic(writer: Writer, one: Atomic, values: Sequence[str]) -> list[str]:
    """Write an atomic update; see `Hardware.atomics`."""
    verb, count, bits = _words(one)
    is_swap = one.operation == "cas"
    if is_swap:
        words = [as_integer(writer, one.element, bits, value) for value in values]
    else:
        words = pack_words(writer, one.element, one.bits, values, bits)
    letter = _CONSTRAINT[bits]
    outs, operands = [f"={letter}"] * count, []
    if one.predicate:
        outs += [str(n) for n in range(count)]
        operands += [f"i{bits} 0"] * count
    place = len(outs)
    operands.append(f"ptr addrspace(1) {one.address}")
    operands += [f"i{bits} {word}" for word in words]
    constraints = [*outs, "l", *[letter] * len(words)]
    guard = ""
    if one.predicate:
        guard = f"@${len(constraints)} "
        constraints.append("b")
        operands.append(f"i1 {one.predicate}")
    first = place + 1
    if is_swap:
        sources = f"${first}, ${first + 1}"
    else:
        sources = _operands(range(first, first + count))
    qualifiers = (one.order, one.scope) if is_swap else (one.scope, one.order)
    text = (
        f"{guard}atom.global.{'.'.join(qualifiers)}.{verb} "
        f"{_operands(range(count))}, [${place}], {sources};"
    )
    result = f"i{bits}" if count == 1 else f"{{ {', '.join([f'i{bits}'] * count)} }}"
    old = writer.value(
        f'call {result} asm sideeffect "{text}", '
        f'"{",".join([*constraints, "~{memory}"])}"({", ".join(operands)})'
    )
    results = [old]
    if count > 1:
        results = [writer.value(f"extractvalue {result} {old}, {n}") for n in range(count)]
    if is_swap:
        return [from_integer(writer, one.element, bits, results[0])]
    return unpack_words(writer, one.element, one.bits, results, bits)


def ptx_count(writer: Writer, address: str, predicate: str) -> None:
    """Write the addition of one to an i32 in shared memory."""
    text = "atom.relaxed.cta.shared.add.u32 $0, [$1], 1;"
    constraints, operands = "=r,r", f"ptr addrspace(3) {address}"
    if predicate:
        text, constraints = f"@$2 {text}", f"{constraints},b"
        operands = f"{operands}, i1 {predicate}"
    writer.value(f'call i32 asm sideeffect "{text}", "{constraints},~{{memory}}"({operands})')
