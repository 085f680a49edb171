"""Atomic updates that LLVM IR says by itself: atomicrmw and cmpxchg under a branch.

    br i1 %mask, label %update.1, label %updated.2
    %old = atomicrmw fadd ptr addrspace(1) %p, float %x syncscope("agent") monotonic, align 4

A single float of 16 bits is added as one of a pair, with -0 for its neighbour, which no sum with
-0 changes: chips add pairs by one instruction, and LLVM would make a loop for one alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from weft.codegen.hardware.capabilities.memory import Atomic
from weft.codegen.llvm.word_packing import as_integer, from_integer
from weft.codegen.llvm.writer import Writer

__all__ = ["plain_atomics", "plain_fence"]

_VERBS = {
    "add": "add",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "max": "max",
    "min": "min",
    "umax": "umax",
    "umin": "umin",
    "exch": "xchg",
    "fadd": "fadd",
}
_ORDER = {
    "relaxed": "monotonic",
    "acquire": "acquire",
    "release": "release",
    "acq_rel": "acq_rel",
}
_ORDER_OF_FAILURE = {**_ORDER, "release": "monotonic", "acq_rel": "monotonic"}
_NEGATIVE_ZERO = {"half": "0xH8000", "bfloat": "0xR8000"}


def plain_atomics(
    writer: Writer,
    some: Sequence[Atomic],
    values: Sequence[Sequence[str]],
    scopes: Mapping[str, str],
    *,
    in_pairs: bool,
) -> list[str]:
    """Write atomic updates; see `Hardware.atomics`.

    Args:
        writer: Where to write.
        some: Updates with the same predicate.
        values: Operands of each update.
        scopes: LLVM's syncscope of each of Triton's scopes, followed by a space.
        in_pairs: Whether the chip adds floats of 16 bits in pairs.
    """
    write = _Updates(writer, scopes, in_pairs)
    predicate, element = some[0].predicate, some[0].element
    if not predicate:
        return write.each(some, values)
    before = writer.block
    with writer.where(predicate, "update"):
        old = write.each(some, values)
        inside = writer.block
    phis = [writer.phi(element) for _ in old]
    for phi, value in zip(phis, old, strict=True):
        phi.add(_zero(element), before)
        phi.add(value, inside)
    return [phi.name for phi in phis]


def _zero(element: str) -> str:
    return "0" if element.startswith("i") else "0.0"


class _Updates(Struct, frozen=True):
    """Write updates one after the other; fields as of `plain_atomics`."""

    writer: Writer
    scopes: Mapping[str, str]
    in_pairs: bool

    def each(self, some: Sequence[Atomic], values: Sequence[Sequence[str]]) -> list[str]:
        """Write all updates; return the old values in their order."""
        pairs = zip(some, values, strict=True)
        return [old for one, operands in pairs for old in self._update(one, operands)]

    def _update(self, one: Atomic, values: Sequence[str]) -> list[str]:
        if one.operation == "cas":
            return [self._swap(one, *values)]
        if one.operation == "fadd" and one.bits == 16 and self.in_pairs:
            return self._pair(one, values)
        return [self._combine(one, one.element, one.address, values[0])]

    def _combine(self, one: Atomic, type_: str, address: str, value: str) -> str:
        bytes_ = 4 if type_.startswith("<") else one.bits // 8
        return self.writer.value(
            f"atomicrmw {_VERBS[one.operation]} ptr addrspace(1) {address}, {type_} {value} "
            f"{self.scopes[one.scope]}{_ORDER[one.order]}, align {bytes_}"
        )

    def _swap(self, one: Atomic, expected: str, new: str) -> str:
        w, kind = self.writer, f"i{one.bits}"
        expected, new = (as_integer(w, one.element, one.bits, value) for value in (expected, new))
        result = w.value(
            f"cmpxchg ptr addrspace(1) {one.address}, {kind} {expected}, {kind} {new} "
            f"{self.scopes[one.scope]}{_ORDER[one.order]} {_ORDER_OF_FAILURE[one.order]}, "
            f"align {one.bits // 8}"
        )
        old = w.value(f"extractvalue {{ {kind}, i1 }} {result}, 0")
        return from_integer(w, one.element, one.bits, old)

    def _pair(self, one: Atomic, values: Sequence[str]) -> list[str]:
        """Add two floats of 16 bits, or one and -0."""
        w, vector = self.writer, f"<2 x {one.element}>"
        if one.count > 1:
            whole = w.value(f"insertelement {vector} poison, {one.element} {values[0]}, i32 0")
            whole = w.value(f"insertelement {vector} {whole}, {one.element} {values[1]}, i32 1")
            old = self._combine(one, vector, one.address, whole)
            return [w.value(f"extractelement {vector} {old}, i32 {n}") for n in range(2)]
        place = w.value(f"ptrtoint ptr addrspace(1) {one.address} to i64")
        half = w.value(f"trunc i64 {place} to i32")
        half = w.value(f"lshr i32 {half}, 1")
        half = w.value(f"and i32 {half}, 1")
        start = w.value(f"and i64 {place}, -4")
        start = w.value(f"inttoptr i64 {start} to ptr addrspace(1)")
        zero = _NEGATIVE_ZERO[one.element]
        neutral = f"<{one.element} {zero}, {one.element} {zero}>"
        whole = w.value(f"insertelement {vector} {neutral}, {one.element} {values[0]}, i32 {half}")
        old = self._combine(one, vector, start, whole)
        return [w.value(f"extractelement {vector} {old}, i32 {half}")]


def plain_fence(writer: Writer, order: str, scope: str, scopes: Mapping[str, str]) -> None:
    """Write a fence; arguments as of `Hardware.fence` and of `plain_atomics`."""
    writer.line(f"fence {scopes[scope]}{order}")
