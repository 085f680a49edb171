"""Accesses to shared memory, by the instruction names of conversion plans.

    store b128          four neighbouring i32 of a lane         ldmatrix.trans x4     16 i16
    ds_read_b64_tr_b16  four i16, transposed among lanes

Elements are integers of their width.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.llvm.word_packing import pack_words, unpack_words
from weft.codegen.llvm.writer import Writer

__all__ = ["load_matrices", "load_plain", "load_transposed", "store_matrices", "store_plain"]

WORD = 32
# name: (intrinsic, elements of its result, type of each)
_TRANSPOSED = {
    "ds_read_b64_tr_b16": ("llvm.amdgcn.ds.read.tr16.b64.v4i16", 4, "i16"),
    "ds_read_b64_tr_b8": ("llvm.amdgcn.ds.read.tr8.b64.v2i32", 2, "i32"),
    "ds_read_b64_tr_b4": ("llvm.amdgcn.ds.read.tr4.b64.v2i32", 2, "i32"),
    "ds_load_tr16_b128": ("llvm.amdgcn.ds.load.tr16.b128.v8i16", 8, "i16"),
    "ds_load_tr8_b64": ("llvm.amdgcn.ds.load.tr8.b64.v2i32", 2, "i32"),
    "ds_load_tr4_b64": ("llvm.amdgcn.ds.load.tr4.b64.v2i32", 2, "i32"),
}


def load_plain(
    writer: Writer, bits: int, address: str, count: int, metadata: str = "", space: int = 3
) -> list[str]:
    """Load contiguous elements of one lane.

    Args:
        writer: Where to write.
        bits: Bits of an element.
        address: A pointer.
        count: Number of elements.
        metadata: Metadata that is appended.
        space: Address space.
    """
    pointer = f"ptr addrspace({space}) {address}, align {count * bits // 8}{metadata}"
    if count == 1:
        return [writer.value(f"load i{bits}, {pointer}")]
    vector = f"<{count} x i{bits}>"
    whole = writer.value(f"load {vector}, {pointer}")
    return [writer.value(f"extractelement {vector} {whole}, i32 {n}") for n in range(count)]


def store_plain(
    writer: Writer, bits: int, address: str, values: Sequence[str], metadata: str = ""
) -> None:
    """Store contiguous elements of one lane; metadata is appended."""
    size = len(values) * bits // 8
    if len(values) == 1:
        writer.line(
            f"store i{bits} {values[0]}, ptr addrspace(3) {address}, align {size}{metadata}"
        )
        return
    vector, whole = f"<{len(values)} x i{bits}>", "poison"
    for n, value in enumerate(values):
        whole = writer.value(f"insertelement {vector} {whole}, i{bits} {value}, i32 {n}")
    writer.line(f"store {vector} {whole}, ptr addrspace(3) {address}, align {size}{metadata}")


def _matrices(name: str) -> tuple[str, int]:
    """Get the intrinsic's suffix and number of matrices of "ldmatrix.trans x4"."""
    instruction, _, count = name.partition(" x")
    trans = ".trans" if instruction.endswith(".trans") else ""
    return f"sync.aligned.m8n8.x{count}{trans}.b16.p3", int(count)


def load_matrices(writer: Writer, name: str, bits: int, address: str, count: int) -> list[str]:
    """Load matrices: each lane provides the address of a row, and gets 32 bits of each matrix."""
    suffix, matrices = _matrices(name)
    kind = "i32" if matrices == 1 else f"{{ {', '.join(['i32'] * matrices)} }}"
    loaded = writer.call(kind, f"llvm.nvvm.ldmatrix.{suffix}", ("ptr addrspace(3)", address))
    words = [loaded]
    if matrices > 1:
        words = [writer.value(f"extractvalue {kind} {loaded}, {n}") for n in range(matrices)]
    return unpack_words(writer, f"i{bits}", bits, words, WORD)


def store_matrices(
    writer: Writer, name: str, bits: int, address: str, values: Sequence[str]
) -> None:
    """Store matrices: each lane provides the address of a row, and 32 bits of each matrix."""
    suffix, _ = _matrices(name)
    words = pack_words(writer, f"i{bits}", bits, values, WORD)
    operands = [("ptr addrspace(3)", address), *(("i32", word) for word in words)]
    writer.call("void", f"llvm.nvvm.stmatrix.{suffix}", *operands)


def load_transposed(
    writer: Writer, name: str, bits: int, address: str, count: int, metadata: str = ""
) -> list[str]:
    """Load a row per lane, and transpose among lanes; metadata is appended."""
    callee, size, element = _TRANSPOSED[name]
    vector = f"<{size} x {element}>"
    loaded = writer.call(vector, callee, ("ptr addrspace(3)", address), attributes=metadata)
    if element == f"i{bits}":
        return [writer.value(f"extractelement {vector} {loaded}, i32 {n}") for n in range(size)]
    result_type = f"<{count} x i{bits}>"
    whole = writer.value(f"bitcast {vector} {loaded} to {result_type}")
    return [writer.value(f"extractelement {result_type} {whole}, i32 {n}") for n in range(count)]
