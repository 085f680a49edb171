"""Lines of inline PTX whose operands are numbered as they are given.

ptx(w, "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", ("b", "i1", p), ("r", SHARED, m))
"""

from __future__ import annotations

from weft.codegen.llvm.writer import Writer

__all__ = ["SHARED", "elected", "guard", "ptx"]

SHARED = "ptr addrspace(3)"


def ptx(writer: Writer, text: str, *operands: tuple[str, str, str]) -> None:
    """Write PTX without a result, around which LLVM moves no access to memory.

    Args:
        writer: Where to write.
        text: PTX, with `$0` and so on for operands.
        operands: (constraint, type, value) each, `$0` and on in the text.
    """
    constraints = ",".join([*(letter for letter, _, _ in operands), "~{memory}"])
    arguments = ", ".join(f"{type_} {value}" for _, type_, value in operands)
    writer.line(f'call void asm sideeffect "{text}", "{constraints}"({arguments})')


def elected(writer: Writer) -> str:
    """Return an i1 that holds in one thread of the warp; ptxas knows that it is only one."""
    kind = "{ i32, i1 }"
    chosen = writer.call(kind, "llvm.nvvm.elect.sync", ("i32", "-1"))
    return writer.value(f"extractvalue {kind} {chosen}, 1")


def guard(writer: Writer, *conditions: str) -> str:
    """Return an i1: whether all conditions hold; "" and `true` always do."""
    total = ""
    for condition in conditions:
        if condition in ("", "true"):
            continue
        total = writer.value(f"and i1 {total}, {condition}") if total else condition
    return total or "true"
