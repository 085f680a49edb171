"""Accesses to global memory and LDS on AMD chips.

A mask is a branch, which the hardware executes by masking lanes:

    br i1 %mask, label %load.1, label %done.1     →   s_and_saveexec … global_load … s_or
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace
from typing_extensions import override

from weft.codegen.hardware.capabilities import Memory
from weft.codegen.hardware.capabilities.memory import Access, Atomic
from weft.codegen.hardware.common.llvm_access import (
    elements,
    plain_load,
    plain_store,
    type_of,
    vector,
    whole_load,
)
from weft.codegen.hardware.common.llvm_atomics import plain_atomics, plain_fence
from weft.codegen.hardware.common.shared_memory import load_plain, load_transposed, store_plain
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target

__all__ = ["AmdMemory"]

_SCOPES = {"gpu": 'syncscope("agent") ', "cta": 'syncscope("workgroup") ', "sys": ""}
# Triton's cache modifiers in LLVM IR; the others have no effect.
_NONTEMPORAL = {"load": "cg", "store": "cs"}
_VOLATILE = {"load": "cv", "store": "wt"}


@dataclass(frozen=True, slots=True)
class AmdMemory(Memory):
    """Memory accesses in LLVM IR; see `Memory`."""

    target: Target

    @override
    def load(self, writer: Writer, access: Access, other: Sequence[str]) -> list[str]:
        access, metadata = _with_cache_modifier(access, "load")
        if not access.predicate:
            return plain_load(writer, access, metadata)
        other_vector = vector(writer, access, other)
        before = writer.block
        with writer.where(access.predicate, "load"):
            loaded = whole_load(writer, access, metadata)
            inside = writer.block
        phi = writer.phi(type_of(access))
        phi.add(other_vector, before)
        phi.add(loaded, inside)
        return elements(writer, access, phi.name)

    @override
    def store(self, writer: Writer, access: Access, values: Sequence[str]) -> None:
        access, metadata = _with_cache_modifier(access, "store")
        with writer.where(access.predicate, "store"):
            plain_store(writer, access, values, metadata)

    @override
    def atomics(
        self, writer: Writer, updates: Sequence[Atomic], values: Sequence[Sequence[str]]
    ) -> list[str]:
        return plain_atomics(writer, updates, values, _SCOPES, in_pairs=True)

    @override
    def fence(self, writer: Writer, order: str, scope: str) -> None:
        plain_fence(writer, order, scope, _SCOPES)

    @override
    def increment_shared(self, writer: Writer, address: str, predicate: str) -> None:
        order = f"{_SCOPES['cta']}monotonic"
        with writer.where(predicate, "count"):
            writer.value(f"atomicrmw add ptr addrspace(3) {address}, i32 1 {order}, align 4")

    @override
    def load_shared(
        self, writer: Writer, name: str, bits: int, address: str, count: int
    ) -> list[str]:
        if name.startswith("load b"):
            return load_plain(writer, bits, address, count, self._alias_metadata)
        return load_transposed(writer, name, bits, address, count, self._alias_metadata)

    @property
    def _alias_metadata(self) -> str:
        """Metadata that LDS accesses do not alias copies to LDS: the IR waits for those."""
        return ", !noalias !3" if self.target.direct_to_lds_bits else ""

    @override
    def store_shared(
        self, writer: Writer, name: str, bits: int, address: str, values: Sequence[str]
    ) -> None:
        store_plain(writer, bits, address, values, self._alias_metadata)

    @property
    @override
    def has_predicated_stores(self) -> bool:
        return False

    @override
    def remote_address(self, writer: Writer, address: str, cta: str) -> str:
        raise CodegenError(f"{self.target} has no distributed shared memory")

    @property
    @override
    def remote_space(self) -> int:
        raise CodegenError(f"{self.target} has no distributed shared memory")


def _with_cache_modifier(access: Access, kind: str) -> tuple[Access, str]:
    """Translate a cache modifier to `volatile` and metadata; eviction policies have no effect.

    Source: measured with Triton 3.7.1.
    """
    if access.cache == _VOLATILE[kind]:
        access = replace(access, volatile=True)
    return access, ", !nontemporal !1" if access.cache == _NONTEMPORAL[kind] else ""
