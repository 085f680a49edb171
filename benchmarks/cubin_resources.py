"""Read the registers and the stack of a kernel from a cubin, without the CUDA toolkit.

    read_resources(artifact.blobs["cubin"])      # RegisterUse(registers=204, spill_bytes=0)

A cubin is an ELF file. Its section .nv.info is a list of attributes: a format, a number, and for
format 4 a length and the bytes. Numbers 0x2f and 0x11 hold pairs of a symbol and its registers, and
of a symbol and the bytes of its stack (EIATTR_REGCOUNT and EIATTR_FRAME_SIZE, as `cuobjdump -elf`
names them). A stack that no array is on holds the spilled registers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from weft.explain.card_model import RegisterUse

__all__ = ["read_resources"]

_REGISTERS, _STACK = 0x2F, 0x11
_WITH_LENGTH = 4


def read_resources(cubin: bytes) -> RegisterUse:
    """Read the registers of a thread, and the bytes of its stack.

    Args:
        cubin: The image of one kernel.
    """
    most = {_REGISTERS: 0, _STACK: 0}
    for number, (_, value) in _attributes(_section(cubin, ".nv.info")):
        if number in most:
            most[number] = max(most[number], value)
    return RegisterUse(most[_REGISTERS], most[_STACK])


def _section(elf: bytes, name: str) -> bytes:
    """Find the contents of a section of a 64-bit ELF file, b"" without one of the name."""
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<3H", elf, 58)
    # name, type, flags, address, offset, size, link, info, alignment, size of an entry
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, table + n * size) for n in range(count)]
    for section in sections:
        start = sections[names][4] + section[0]
        if elf[start : elf.index(b"\0", start)].decode() == name:
            return elf[section[4] : section[4] + section[5]]
    return b""


def _attributes(info: bytes) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the number of each attribute that is a pair, and the pair."""
    at = 0
    while at < len(info):
        format_, number, length = struct.unpack_from("<BBH", info, at)
        at += 4
        if format_ != _WITH_LENGTH:
            continue
        if length == 8:
            yield number, struct.unpack_from("<II", info, at)
        at += length
