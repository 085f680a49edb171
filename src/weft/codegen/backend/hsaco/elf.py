"""Numbers and record formats of 64-bit ELF files for AMDGPU.

Sources: System V ABI, chapters 4 and 5; LLVM's AMDGPU usage guide, code objects.
"""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag

__all__ = [
    "DYNAMIC",
    "HEADER",
    "MACHINE",
    "PROGRAM_HEADER",
    "RELOCATION",
    "SECTION_HEADER",
    "SYMBOL",
    "Kind",
    "Relocation",
    "Section",
    "Tag",
]

MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little endian, version 1
MACHINE = 224
RELOCATABLE, SHARED = 1, 3
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
DYNAMIC = struct.Struct("<QQ")
FIRST_RESERVED_SECTION = 0xFF00


class Kind(IntEnum):
    """Section types (`sh_type`)."""

    PROGBITS = 1
    SYMTAB = 2
    STRTAB = 3
    RELA = 4
    HASH = 5
    DYNAMIC = 6
    NOTE = 7
    NOBITS = 8
    REL = 9
    DYNSYM = 11


class Section(IntFlag):
    """Section flags (`sh_flags`)."""

    WRITE = 1
    ALLOC = 2
    EXECUTE = 4


class Segment(IntEnum):
    """Segment types (`p_type`)."""

    LOAD = 1
    DYNAMIC = 2
    NOTE = 4
    PHDR = 6
    GNU_STACK = 0x6474E551


class Access(IntFlag):
    """Segment flags (`p_flags`)."""

    EXECUTE = 1
    WRITE = 2
    READ = 4


class Tag(IntEnum):
    """Tags of the dynamic section (`d_tag`)."""

    NULL = 0
    HASH = 4
    STRTAB = 5
    SYMTAB = 6
    RELA = 7
    RELASZ = 8
    RELAENT = 9
    STRSZ = 10
    SYMENT = 11


class Relocation(IntEnum):
    """AMDGPU relocation types (`R_AMDGPU_…`)."""

    ABS32_LO = 1
    ABS32_HI = 2
    ABS64 = 3
    REL32 = 4
    REL64 = 5
    ABS32 = 6
    REL32_LO = 10
    REL32_HI = 11
    RELATIVE64 = 13
    REL16 = 14
