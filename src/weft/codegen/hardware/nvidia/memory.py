"""Accesses to global, shared and distributed shared memory on NVIDIA chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from weft.codegen.hardware.capabilities.memory import Access, Atomic, Memory
from weft.codegen.hardware.common.llvm_atomics import plain_atomics, plain_fence
from weft.codegen.hardware.common.shared_memory import (
    load_matrices,
    load_plain,
    store_matrices,
    store_plain,
)
from weft.codegen.hardware.nvidia.atomics import ptx_atomic, ptx_count
from weft.codegen.hardware.nvidia.predicated_access import ptx_load, ptx_store
from weft.codegen.llvm.types import intrinsic_suffix
from weft.codegen.llvm.writer import Writer
from weft.lowering_plans.global_access import most_added
from weft.targets import Target

__all__ = ["NvidiaMemory"]

_SCOPES = {"gpu": 'syncscope("device") ', "cta": 'syncscope("block") ', "sys": ""}


@dataclass(frozen=True, slots=True)
class NvidiaMemory(Memory):
    """Memory accesses in LLVM IR, and in PTX where LLVM has no instruction; see `Memory`."""

    target: Target

    @override
    def load(self, writer: Writer, access: Access, other: Sequence[str]) -> list[str]:
        return ptx_load(writer, access, other)

    @override
    def store(self, writer: Writer, access: Access, values: Sequence[str]) -> None:
        ptx_store(writer, access, values)

    @override
    def atomics(
        self, writer: Writer, updates: Sequence[Atomic], values: Sequence[Sequence[str]]
    ) -> list[str]:
        element = intrinsic_suffix(updates[0].element)
        if updates[0].operation == "fadd" and not most_added(self.target, element):
            return plain_atomics(writer, updates, values, _SCOPES, in_pairs=False)
        each = zip(updates, values, strict=True)
        return [old for one, operands in each for old in ptx_atomic(writer, one, operands)]

    @override
    def fence(self, writer: Writer, order: str, scope: str) -> None:
        plain_fence(writer, order, scope, _SCOPES)

    @override
    def increment_shared(self, writer: Writer, address: str, predicate: str) -> None:
        ptx_count(writer, address, predicate)

    @override
    def load_shared(
        self, writer: Writer, name: str, bits: int, address: str, count: int
    ) -> list[str]:
        if name.startswith("ldmatrix"):
            return load_matrices(writer, name, bits, address, count)
        return load_plain(writer, bits, address, count)

    @override
    def store_shared(
        self, writer: Writer, name: str, bits: int, address: str, values: Sequence[str]
    ) -> None:
        if name.startswith("stmatrix"):
            store_matrices(writer, name, bits, address, values)
        else:
            store_plain(writer, bits, address, values)

    @property
    @override
    def has_predicated_stores(self) -> bool:
        return True

    @override
    def remote_address(self, writer: Writer, address: str, cta: str) -> str:
        operands = ("ptr addrspace(3)", address), ("i32", cta)
        return writer.call("ptr addrspace(7)", "llvm.nvvm.mapa.shared.cluster", *operands)

    @property
    @override
    def remote_space(self) -> int:
        return 7
