"""The `struct` format of each argument of a kernel's entry, from the signature."""

from __future__ import annotations

from collections.abc import Sequence

from weft.compiler.signature import Signature
from weft.errors import CodegenError

__all__ = ["DESCRIPTOR", "formats_of", "formats_of_type"]

_FORMATS = {
    "u1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I",
    "u64": "Q", "fp16": "e", "bf16": "H", "fp32": "f", "fp64": "d",
}  # fmt: skip
_IN_LLVM = {
    "?": "i1", "b": "i8", "B": "i8", "h": "i16", "i": "i32", "I": "i32", "q": "i64", "Q": "i64",
    "e": "half", "f": "float", "d": "double", "P": "ptr addrspace(1)", "128s": "ptr",
}  # fmt: skip
DESCRIPTOR = "tensordesc<"


def formats_of(signature: Signature, entry: Sequence[str]) -> tuple[str, ...]:
    """Return how each argument of a kernel's entry is written.

    Args: entry: the types of its arguments in LLVM IR.
    Raises: CodegenError: the entry wants other arguments than the signature has.
    """
    by_engine = _IN_LLVM["128s"] in entry
    pairs = [
        (leaf, one)
        for _, leaf in signature.runtime_arguments()
        for one in formats_of_type(leaf, by_engine)
    ]
    found = ["bfloat" if leaf == "bf16" else _IN_LLVM[one] for leaf, one in pairs]
    if found != list(entry):
        raise CodegenError(
            "the compiled kernel takes other arguments than a launch gives",
            found=", ".join(entry),
            accepted=[", ".join(found)],
        )
    return tuple(one for _, one in pairs)


def formats_of_type(leaf: str, by_engine: bool) -> list[str]:
    """List the formats of the arguments that one type of a signature becomes."""
    if leaf.startswith("*"):
        return ["P"]
    if leaf.startswith(DESCRIPTOR):
        rank = leaf.count(",") + 1
        parts = ["128s"] if by_engine else ["P", *["q"] * (2 * rank), "?", "?"]
        return [*parts, *["i"] * rank, *["q"] * rank]
    return [_FORMATS[leaf]]
