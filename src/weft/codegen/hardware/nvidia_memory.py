"""NVIDIA chips' memory: PTX where LLVM has no words for it, and cp.async.

ptx_access.py    loads and stores of global memory    ptx_atomics.py    updates of it
shared.py        of shared memory
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from weft.codegen.hardware.memory import Access, Atomic, Memory
from weft.codegen.hardware.plain_atomics import most_added, plain_atomics, plain_fence
from weft.codegen.hardware.ptx_access import ptx_load, ptx_store
from weft.codegen.hardware.ptx_atomics import ptx_atomic, ptx_count
from weft.codegen.hardware.shared import (
    load_matrices,
    load_plain,
    store_matrices,
    store_plain,
)
from weft.codegen.llvm.writer import Writer
from weft.targets import Target

__all__ = ["NvidiaMemory"]

_SCOPES = {"gpu": 'syncscope("device") ', "cta": 'syncscope("block") ', "sys": ""}


class NvidiaMemory(Memory):
    """The memory of a chip of NVIDIA's; see `Memory` for what each method does."""

    target: Target

    @override
    def load(self, writer: Writer, access: Access, other: Sequence[str]) -> list[str]:
        return ptx_load(writer, access, other)

    @override
    def store(self, writer: Writer, access: Access, values: Sequence[str]) -> None:
        ptx_store(writer, access, values)

    @override
    def atomics(
        self, writer: Writer, some: Sequence[Atomic], values: Sequence[Sequence[str]]
    ) -> list[str]:
        if some[0].operation == "fadd" and not most_added(self.target, some[0].element):
            return plain_atomics(writer, some, values, _SCOPES, in_pairs=False)
        each = zip(some, values, strict=True)
        return [old for one, given in each for old in ptx_atomic(writer, one, given)]

    @override
    def fence(self, writer: Writer, order: str, scope: str) -> None:
        plain_fence(writer, order, scope, _SCOPES)

    @override
    def count_shared(self, writer: Writer, address: str, predicate: str) -> None:
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
    def counts_copies(self) -> bool:
        return False

    @override
    def copy_async(
        self, writer: Writer, target: str, source: str, size: int, predicate: str, awake: str = ""
    ) -> None:
        kind = "cg" if size == 16 else "ca"  # only whole sectors may pass the first cache by
        moved = str(size)
        if predicate:
            moved = writer.value(f"select i1 {predicate}, i32 {size}, i32 0")
        guard, letter, given = ("@$3 ", ",b", f", i1 {awake}") if awake else ("", "", "")
        text = f"{guard}cp.async.{kind}.shared.global [$0], [$1], {size}, $2;"
        writer.line(
            f'call void asm sideeffect "{text}", "r,l,r{letter}"(ptr addrspace(3) {target}, '
            f"ptr addrspace(1) {source}, i32 {moved}{given})"
        )

    @override
    def commit_copies(self, writer: Writer) -> None:
        writer.line('call void asm sideeffect "cp.async.commit_group;", ""()')

    @override
    def wait_for_copies(self, writer: Writer, pending: int) -> None:
        text = f"cp.async.wait_group {pending};"
        writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"()')
