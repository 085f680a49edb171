"""Loads, stores and copies of global memory on AMD: a mask is a branch.

Lanes whose mask is false are switched off around it, which is what the hardware does with every
branch.

    br i1 %mask, label %load.1, label %done.1     →   s_and_saveexec … global_load … s_or
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.codegen.hardware.memory import Access
from weft.codegen.hardware.plain import (
    elements,
    plain_load,
    plain_store,
    type_of,
    vector,
    whole_load,
)
from weft.codegen.llvm.writer import Writer

__all__ = ["branched_load", "branched_store", "copy_to_lds"]

# What Triton's cache modifiers are in LLVM IR; those that are left out change nothing.
_NONTEMPORAL = {"load": "cg", "store": "cs"}
_VOLATILE = {"load": "cv", "store": "wt"}


def branched_load(writer: Writer, access: Access, other: Sequence[str]) -> list[str]:
    """Read a vector of neighbours; where the predicate is false, return `other`."""
    access, hint = _cached(access, "load")
    if not access.predicate:
        return plain_load(writer, access, hint)
    kept = vector(writer, access, other)
    before = writer.block
    with writer.where(access.predicate, "load"):
        loaded = whole_load(writer, access, hint)
        inside = writer.block
    phi = writer.phi(type_of(access))
    phi.add(kept, before)
    phi.add(loaded, inside)
    return elements(writer, access, phi.name)


def branched_store(writer: Writer, access: Access, values: Sequence[str]) -> None:
    """Write a vector of neighbours where the predicate is true."""
    access, hint = _cached(access, "store")
    with writer.where(access.predicate, "store"):
        plain_store(writer, access, values, hint)


def copy_to_lds(writer: Writer, target: str, source: str, size: int, predicate: str) -> None:
    """Copy `size` bytes from global memory to LDS; lanes without the predicate write zeros."""
    inside, skipped, after = (writer.label(name) for name in ("copy", "kept", "copied"))
    if predicate:
        writer.branch(predicate, inside, skipped)
        writer.start(inside)
    writer.call(
        "void",
        f"llvm.amdgcn.global.load.async.to.lds.b{8 * size}",
        ("ptr addrspace(1)", source),
        ("ptr addrspace(3)", target),
        ("i32", "0"),
        ("i32", "0"),
    )
    if predicate:
        writer.jump(after)
        writer.start(skipped)
        zeros = f"<{size // 4} x i32> zeroinitializer"
        writer.line(f"store {zeros}, ptr addrspace(3) {target}, align {size}")
        writer.jump(after)
        writer.start(after)


def _cached(access: Access, kind: str) -> tuple[Access, str]:
    """Return an access as LLVM IR says its cache modifier, and metadata to append.

    Source: what Triton 3.7.1 makes of each modifier; eviction policies change nothing.
    """
    if access.cache == _VOLATILE[kind]:
        access = replace(access, volatile=True)
    return access, ", !nontemporal !1" if access.cache == _NONTEMPORAL[kind] else ""
