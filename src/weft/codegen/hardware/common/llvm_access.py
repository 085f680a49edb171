"""What LLVM IR says by itself: accesses without predicate or cache modifier, bounds of floats."""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.hardware.capabilities.memory import Access
from weft.codegen.llvm.types import intrinsic_suffix
from weft.codegen.llvm.writer import Writer

__all__ = [
    "clamp_by_min_max",
    "elements",
    "is_plain",
    "plain_load",
    "plain_store",
    "type_of",
    "vector",
    "whole_load",
]

_ZEROS = ("0", "0.0", "null", "0xH0000", "0xR0000", "0x0000000000000000")


def is_plain(access: Access) -> bool:
    """Check whether an access is a plain load or store."""
    return not access.predicate and access.cache == "none" and access.evict == "evict_normal"


def type_of(access: Access) -> str:
    """Return the LLVM type of what an access moves."""
    return access.element if access.count == 1 else f"<{access.count} x {access.element}>"


def _where(access: Access, hint: str) -> str:
    bytes_ = access.count * access.bits // 8
    return f"ptr addrspace(1) {access.address}, align {bytes_}{hint}"


def plain_load(writer: Writer, access: Access, hint: str = "") -> list[str]:
    """Read a vector.  hint: metadata that is appended, such as `, !nontemporal !0`."""
    return elements(writer, access, whole_load(writer, access, hint))


def whole_load(writer: Writer, access: Access, hint: str = "") -> str:
    """Read a vector, and return it as one value."""
    kind = "load volatile" if access.volatile else "load"
    return writer.value(f"{kind} {type_of(access)}, {_where(access, hint)}")


def elements(writer: Writer, access: Access, whole: str) -> list[str]:
    """Return the elements of a vector."""
    if access.count == 1:
        return [whole]
    return [
        writer.value(f"extractelement {type_of(access)} {whole}, i32 {n}")
        for n in range(access.count)
    ]


def vector(writer: Writer, access: Access, values: Sequence[str]) -> str:
    """Return the vector of elements."""
    if access.count == 1:
        return values[0]
    if set(values) == {"poison"}:
        return "poison"
    if all(value in _ZEROS for value in values):
        return "zeroinitializer"
    whole = "poison"
    for n, value in enumerate(values):
        operand = f"{access.element} {value}, i32 {n}"
        whole = writer.value(f"insertelement {type_of(access)} {whole}, {operand}")
    return whole


def plain_store(writer: Writer, access: Access, values: Sequence[str], hint: str = "") -> None:
    """Write a vector."""
    whole = vector(writer, access, values)
    kind = "store volatile" if access.volatile else "store"
    writer.line(f"{kind} {type_of(access)} {whole}, {_where(access, hint)}")


def clamp_by_min_max(
    writer: Writer, type_: str, x: str, least: str, most: str, *, propagate_nan: bool
) -> str:
    """Return a float within bounds, by a maximum and a minimum."""
    lower, upper = ("maximum", "minimum") if propagate_nan else ("maxnum", "minnum")
    end = intrinsic_suffix(type_)
    above = writer.call(type_, f"llvm.{lower}.{end}", (type_, x), (type_, least))
    return writer.call(type_, f"llvm.{upper}.{end}", (type_, above), (type_, most))
