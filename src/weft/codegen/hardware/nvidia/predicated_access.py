"""Loads and stores of global memory in PTX, with a predicate.

LLVM has no predicated load, and a branch for each would split the code into many blocks. So a
masked access is inline PTX, with results tied to the values that lanes with a false mask keep:

    @$1 ld.global.v2.b32 {$0, $…}, [$…];

Eviction priorities of L2 are passed as a cache policy, a value of 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.hardware.capabilities.memory import Access
from weft.codegen.hardware.common.llvm_access import is_plain, plain_load, plain_store
from weft.codegen.llvm.word_packing import pack_words, unpack_words
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError

__all__ = ["ptx_load", "ptx_store"]

_CACHES = {
    "load": {"none": "", "ca": ".ca", "cg": ".cg", "cv": ".cv"},
    "store": {"none": "", "wb": ".wb", "cg": ".cg", "cs": ".cs", "wt": ".wt"},
}
_EVICT = ("evict_first", "evict_last")
_CONSTRAINT = {16: "h", 32: "r", 64: "l"}


def ptx_load(writer: Writer, access: Access, other: Sequence[str]) -> list[str]:
    """Read a vector of neighbours; where the predicate is false, return `other`.

    Raises:
        CodegenError: Hints that PTX does not have together, or at a load.
    """
    if is_plain(access):
        return plain_load(writer, access)
    bits = _word_bits(access)
    old_words = _registers(
        writer, pack_words(writer, access.element, access.bits, other, bits), bits
    )
    count, register_bits = len(old_words), max(bits, 16)
    kind = ".volatile" if access.volatile else ""
    modifier = "" if access.volatile else _modifier(access, "load")
    guard, policy, operands, constraints = _address(
        writer, access, 2 * count, old_words, register_bits
    )
    text = (
        f"{guard}ld{kind}.global{modifier}{_vector(count)}.b{bits} "
        f"{_braces(range(count))}, [${2 * count}]{policy};"
    )
    result = (
        f"i{register_bits}" if count == 1 else f"{{ {', '.join([f'i{register_bits}'] * count)} }}"
    )
    outs = [f"={_CONSTRAINT[register_bits]}"] * count + [str(n) for n in range(count)]
    loaded = writer.value(
        f'call {result} asm sideeffect "{text}", '
        f'"{",".join([*outs, *constraints])}"({", ".join(operands)})'
    )
    results = [loaded]
    if count > 1:
        results = [writer.value(f"extractvalue {result} {loaded}, {n}") for n in range(count)]
    if register_bits != bits:
        results = [writer.value(f"trunc i{register_bits} {word} to i{bits}") for word in results]
    return unpack_words(writer, access.element, access.bits, results, bits)


def ptx_store(writer: Writer, access: Access, values: Sequence[str]) -> None:
    """Write a vector of neighbours where the predicate is true.

    Raises:
        CodegenError: Hints that PTX does not have together, or at a store.
    """
    if is_plain(access):
        plain_store(writer, access, values)
        return
    bits = _word_bits(access)
    words = _registers(writer, pack_words(writer, access.element, access.bits, values, bits), bits)
    count, register_bits = len(words), max(bits, 16)
    modifier = _modifier(access, "store")
    guard, policy, operands, constraints = _address(writer, access, count, words, register_bits)
    text = (
        f"{guard}st.global{modifier}{_vector(count)}.b{bits} [${count}], "
        f"{_braces(range(count))}{policy};"
    )
    letters = [_CONSTRAINT[register_bits]] * count
    writer.line(
        f'call void asm sideeffect "{text}", '
        f'"{",".join([*letters, *constraints])}"({", ".join(operands)})'
    )


def _word_bits(access: Access) -> int:
    """Get the bits of the words in which an access is done."""
    return 64 if access.bits == 64 else min(32, access.count * access.bits)


def _registers(writer: Writer, words: Sequence[str], bits: int) -> list[str]:
    """Extend words to register widths of PTX: a byte to 16 bits."""
    if bits >= 16:
        return list(words)
    return [writer.value(f"zext i{bits} {word} to i16") for word in words]


def _vector(count: int) -> str:
    return f".v{count}" if count > 1 else ""


def _braces(numbers: range) -> str:
    names = ", ".join(f"${n}" for n in numbers)
    return f"{{{names}}}" if len(numbers) > 1 else names


def _modifier(access: Access, kind: str) -> str:
    """Get the PTX cache modifier of a "load" or "store".

    Raises:
        CodegenError: A cache modifier that such an instruction does not have, or one and an
            eviction policy; PTX knows one or the other.
    """
    modifiers = _CACHES[kind]
    if access.cache not in modifiers:
        raise CodegenError(
            f"a {kind} has no cache modifier {access.cache}", found=access.cache, accepted=modifiers
        )
    if access.evict not in _EVICT:
        return modifiers[access.cache]
    if access.cache != "none":
        raise CodegenError(
            "an access has a cache modifier or an eviction policy",
            found=f"cache_modifier {access.cache}, eviction_policy {access.evict}",
            accepted=["one of the two"],
        )
    return f".L1::{access.evict}.L2::cache_hint"


def _policy(writer: Writer, access: Access) -> str:
    """Create the L2 cache policy of an access; "" for the default."""
    if access.evict not in _EVICT or access.volatile:
        return ""
    text = f"createpolicy.fractional.L2::{access.evict}.b64 $0, 1.0;"
    return writer.value(f'call i64 asm "{text}", "=l"()')


def _address(
    writer: Writer, access: Access, position: int, words: Sequence[str], bits: int
) -> tuple[str, str, list[str], list[str]]:
    """Return an access's guard, what follows its operands, its arguments, and their constraints.

    Args:
        writer: Where to write.
        access: The access.
        position: The operand number of the address; the words' arguments come before.
        words: The words that are moved, for a store or as initial values.
        bits: Bits of an element.
    """
    operands = [f"i{bits} {word}" for word in words]
    operands.append(f"ptr addrspace(1) {access.address}")
    constraints, guard, policy = ["l"], "", ""
    if access.predicate:
        operands.append(f"i1 {access.predicate}")
        constraints.append("b")
        guard = f"@${position + 1} "
    if hint := _policy(writer, access):
        policy = f", ${position + len(constraints)}"
        operands.append(f"i64 {hint}")
        constraints.append("l")
    return guard, policy, operands, constraints
