"""AMD chips' memory: branches around what a predicate rules out, and copies that are counted.

amd_access.py    loads, stores and copies of global memory    shared.py    LDS
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from weft.codegen.hardware.amd_access import branched_load, branched_store, copy_to_lds
from weft.codegen.hardware.memory import Access, Atomic, Memory
from weft.codegen.hardware.plain_atomics import plain_atomics, plain_fence
from weft.codegen.hardware.shared import load_plain, load_transposed, store_plain
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target
from weft.targets.wait_counters import wait_counters, wait_instruction

__all__ = ["AmdMemory", "wait_for"]

_SCOPES = {"gpu": 'syncscope("agent") ', "cta": 'syncscope("workgroup") ', "sys": ""}


class AmdMemory(Memory):
    """The memory of a chip of AMD's; see `Memory` for what each method does."""

    target: Target

    @override
    def load(self, writer: Writer, access: Access, other: Sequence[str]) -> list[str]:
        return branched_load(writer, access, other)

    @override
    def store(self, writer: Writer, access: Access, values: Sequence[str]) -> None:
        branched_store(writer, access, values)

    @override
    def atomics(
        self, writer: Writer, some: Sequence[Atomic], values: Sequence[Sequence[str]]
    ) -> list[str]:
        return plain_atomics(writer, some, values, _SCOPES, in_pairs=True)

    @override
    def fence(self, writer: Writer, order: str, scope: str) -> None:
        plain_fence(writer, order, scope, _SCOPES)

    @override
    def count_shared(self, writer: Writer, address: str, predicate: str) -> None:
        order = f"{_SCOPES['cta']}monotonic"
        with writer.where(predicate, "count"):
            writer.value(f"atomicrmw add ptr addrspace(3) {address}, i32 1 {order}, align 4")

    @override
    def load_shared(
        self, writer: Writer, name: str, bits: int, address: str, count: int
    ) -> list[str]:
        if name.startswith("load b"):
            return load_plain(writer, bits, address, count, self._apart)
        return load_transposed(writer, name, bits, address, count, self._apart)

    @property
    def _apart(self) -> str:
        """What loads from shared memory say of copies that land there: the IR waits for those."""
        return ", !noalias !3" if self.target.direct_to_lds_bits else ""

    @override
    def store_shared(
        self, writer: Writer, name: str, bits: int, address: str, values: Sequence[str]
    ) -> None:
        store_plain(writer, bits, address, values, self._apart)

    @property
    @override
    def counts_copies(self) -> bool:
        return True

    @override
    def copy_async(
        self, writer: Writer, target: str, source: str, size: int, predicate: str, awake: str = ""
    ) -> None:
        """Copy; lanes whose predicate is false write zeros themselves.

        All threads copy: a warp that starts fewer than the others would wait for too many.
        """
        assert not awake
        if "copy" not in {row.kind for row in wait_counters(str(self.target.arch))}:
            raise CodegenError(f"{self.target} has no copies from global to shared memory")
        copy_to_lds(writer, target, source, size, predicate)

    @override
    def commit_copies(self, writer: Writer) -> None:
        """Write nothing: loads to shared memory are counted one by one."""

    @override
    def wait_for_copies(self, writer: Writer, pending: int) -> None:
        kinds = {row.kind for row in wait_counters(str(self.target.arch))}
        wait_for(writer, self.target, "copy" if "copy" in kinds else "load", pending)


def wait_for(writer: Writer, target: Target, kind: str, pending: int, told: str = "") -> None:
    """Wait until at most so many operations of a kind are under way.

    Args: told: what the call says of itself besides.
    """
    name, argument = wait_instruction(str(target.arch), kind, pending)
    type_ = "i32" if name == "s.waitcnt" else "i16"
    writer.call_told("void", f"llvm.amdgcn.{name}", told, (type_, str(argument)))
