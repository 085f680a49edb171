"""Accesses to global memory that LLVM IR says by itself: without predicate or cache modifier."""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.hardware.protocol import Access
from weft.codegen.writer import Writer

__all__ = ["is_plain", "plain_load", "plain_store"]


def is_plain(access: Access) -> bool:
    """Tell whether an access needs nothing but a load or store instruction."""
    return not access.predicate and access.cache == "none" and access.evict == "evict_normal"


def _type(access: Access) -> str:
    return access.element if access.count == 1 else f"<{access.count} x {access.element}>"


def _where(access: Access, hint: str) -> str:
    bytes_ = access.count * access.bits // 8
    return f"ptr addrspace(1) {access.address}, align {bytes_}{hint}"


def plain_load(writer: Writer, access: Access, hint: str = "") -> list[str]:
    """Read a vector.  hint: metadata that is appended, such as `, !nontemporal !0`."""
    kind = "load volatile" if access.volatile else "load"
    loaded = writer.value(f"{kind} {_type(access)}, {_where(access, hint)}")
    if access.count == 1:
        return [loaded]
    return [
        writer.value(f"extractelement {_type(access)} {loaded}, i32 {n}")
        for n in range(access.count)
    ]


def plain_store(writer: Writer, access: Access, values: Sequence[str], hint: str = "") -> None:
    """Write a vector."""
    whole = values[0]
    if access.count > 1:
        whole = "poison"
        for n, value in enumerate(values):
            whole = writer.value(
                f"insertelement {_type(access)} {whole}, {access.element} {value}, i32 {n}"
            )
    kind = "store volatile" if access.volatile else "store"
    writer.line(f"{kind} {_type(access)} {whole}, {_where(access, hint)}")
