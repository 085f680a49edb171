"""Atomic updates that LLVM IR says by itself: atomicrmw and cmpxchg under a branch.

    br i1 %mask, label %update.1, label %updated.2
    %old = atomicrmw fadd ptr addrspace(1) %p, float %x syncscope("agent") monotonic, align 4

A single float of 16 bits is added as one of a pair, with -0 for its neighbour, which no sum with
-0 changes: chips add pairs by one instruction, and LLVM would make a loop for one alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.codegen.hardware.protocol import Atomic
from weft.codegen.hardware.words import as_integer, from_integer
from weft.codegen.llvm_types import suffix
from weft.codegen.writer import Writer
from weft.targets import Target

__all__ = ["most_added", "plain_atomic", "plain_fence"]

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


def most_added(target: Target, element: str) -> int:
    """Return how many floats of an LLVM type one instruction adds to memory, 0 for none."""
    name = suffix(element)
    widths = (known.partition("x") for known in target.atomic_adds)
    return next((int(most) for kind, _, most in widths if kind == name), 0)


def plain_atomic(
    writer: Writer, one: Atomic, values: Sequence[str], scopes: Mapping[str, str]
) -> list[str]:
    """Write an atomic update; see `Hardware.atomic`.

    Args: scopes: what LLVM IR says for each of Triton's scopes, with a space behind.
    """
    if not one.predicate:
        return _update(writer, one, values, scopes)
    before, inside, after = writer.block, writer.label("update"), writer.label("updated")
    writer.branch(one.predicate, inside, after)
    writer.start(inside)
    old = _update(writer, one, values, scopes)
    inside = writer.block
    writer.jump(after)
    writer.start(after)
    phis = [writer.phi(one.element) for _ in old]
    for phi, value in zip(phis, old, strict=True):
        phi.add("null" if one.element.startswith("ptr") else _zero(one.element), before)
        phi.add(value, inside)
    return [phi.name for phi in phis]


def _zero(element: str) -> str:
    return "0" if element.startswith("i") else "0.0"


def _update(
    writer: Writer, one: Atomic, values: Sequence[str], scopes: Mapping[str, str]
) -> list[str]:
    if one.operation == "cas":
        return [_swap(writer, one, values, scopes)]
    if one.operation == "fadd" and one.bits == 16:
        return _pair(writer, one, values, scopes)
    return [_combine(writer, one, one.element, one.address, values[0], scopes)]


def _combine(
    writer: Writer,
    one: Atomic,
    type_: str,
    address: str,
    value: str,
    scopes: Mapping[str, str],
) -> str:
    bytes_ = max(4, one.bits * one.count // 8)
    return writer.value(
        f"atomicrmw {_VERBS[one.operation]} ptr addrspace(1) {address}, {type_} {value} "
        f"{scopes[one.scope]}{_ORDER[one.order]}, align {bytes_}"
    )


def _swap(writer: Writer, one: Atomic, values: Sequence[str], scopes: Mapping[str, str]) -> str:
    expected, new = (as_integer(writer, one.element, one.bits, value) for value in values)
    kind = f"i{one.bits}"
    found = writer.value(
        f"cmpxchg ptr addrspace(1) {one.address}, {kind} {expected}, {kind} {new} "
        f"{scopes[one.scope]}{_ORDER[one.order]} {_ORDER_OF_FAILURE[one.order]}, "
        f"align {one.bits // 8}"
    )
    old = writer.value(f"extractvalue {{ {kind}, i1 }} {found}, 0")
    return from_integer(writer, one.element, one.bits, old)


def _pair(
    writer: Writer, one: Atomic, values: Sequence[str], scopes: Mapping[str, str]
) -> list[str]:
    """Add two floats of 16 bits, or one and -0."""
    vector = f"<2 x {one.element}>"
    if one.count > 1:
        whole = writer.value(f"insertelement {vector} poison, {one.element} {values[0]}, i32 0")
        whole = writer.value(f"insertelement {vector} {whole}, {one.element} {values[1]}, i32 1")
        old = _combine(writer, one, vector, one.address, whole, scopes)
        return [writer.value(f"extractelement {vector} {old}, i32 {n}") for n in range(2)]
    place = writer.value(f"ptrtoint ptr addrspace(1) {one.address} to i64")
    half = writer.value(f"trunc i64 {place} to i32")
    half = writer.value(f"lshr i32 {half}, 1")
    half = writer.value(f"and i32 {half}, 1")
    start = writer.value(f"and i64 {place}, -4")
    start = writer.value(f"inttoptr i64 {start} to ptr addrspace(1)")
    zero = _NEGATIVE_ZERO[one.element]
    neutral = f"<{one.element} {zero}, {one.element} {zero}>"
    whole = writer.value(f"insertelement {vector} {neutral}, {one.element} {values[0]}, i32 {half}")
    old = _combine(writer, one, vector, start, whole, scopes)
    return [writer.value(f"extractelement {vector} {old}, i32 {half}")]


def plain_fence(writer: Writer, order: str, scope: str, scopes: Mapping[str, str]) -> None:
    """Write a fence; arguments as of `Hardware.fence` and of `plain_atomic`."""
    writer.line(f"fence {scopes[scope]}{order}")
