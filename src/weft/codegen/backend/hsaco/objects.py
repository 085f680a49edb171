"""Read a relocatable object of AMDGPU: its sections, symbols and relocations."""

from __future__ import annotations

import struct

from msgspec import Struct

from weft.codegen.backend.hsaco import elf
from weft.codegen.backend.hsaco.elf import Kind
from weft.errors import CodegenError

__all__ = ["Object", "Relocation", "Section", "Symbol", "read_object"]


class Section(Struct, frozen=True):
    """A section: the fields of its header, and its contents."""

    name: str
    kind: int
    flags: int
    link: int
    info: int
    alignment: int
    data: bytes


class Symbol(Struct, frozen=True):
    """A symbol-table entry.

    Attributes:
        info: binding in the upper 4 bits, type in the lower 4.
        other: visibility in the lower 2 bits.
        section: index of its section; 0 if undefined.
        value: offset in its section.
    """

    name: str
    info: int
    other: int
    section: int
    value: int
    size: int

    @property
    def is_exported(self) -> bool:
        """Whether it is visible outside the object: defined, global or weak, and not hidden."""
        binding, visibility = self.info >> 4, self.other & 3
        return self.is_defined and binding in (1, 2) and visibility in (0, 3)

    @property
    def is_defined(self) -> bool:
        """Whether its value is an address in a section."""
        return 0 < self.section < elf.FIRST_RESERVED_SECTION


class Relocation(Struct, frozen=True):
    """A location in a section to fill with a symbol's value plus an addend."""

    section: int
    offset: int
    kind: int
    symbol: Symbol
    addend: int


class Object(Struct, frozen=True):
    """A relocatable object.

    Attributes:
        identity: `e_ident`, the first 16 bytes of the file.
        flags: `e_flags`, which name the processor.
    """

    identity: bytes
    flags: int
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    relocations: tuple[Relocation, ...]


def read_object(data: bytes) -> Object:
    """Parse a relocatable object.

    Raises: CodegenError: it is none of AMDGPU's, or it is cut short.
    """
    try:
        return _read(data)
    except (struct.error, IndexError, ValueError) as error:
        raise CodegenError("an object file that cannot be read", found=str(error)) from error


def _read(data: bytes) -> Object:
    identity, kind, machine, *_, flags, _, _, _, _, count, names = elf.HEADER.unpack_from(data)
    if identity[: len(elf.MAGIC)] != elf.MAGIC or (kind, machine) != (elf.RELOCATABLE, elf.MACHINE):
        raise CodegenError(
            "not a relocatable object of AMDGPU",
            found=f"type {kind} of machine {machine}",
            accepted=[f"type {elf.RELOCATABLE} of machine {elf.MACHINE}"],
        )
    (start,) = struct.unpack_from("<Q", data, 40)
    headers = [
        elf.SECTION_HEADER.unpack_from(data, start + n * elf.SECTION_HEADER.size)
        for n in range(count)
    ]
    contents = [
        bytes(header[5]) if header[1] == Kind.NOBITS else data[header[4] : header[4] + header[5]]
        for header in headers
    ]
    sections = tuple(
        Section(_string(contents[names], name), kind, flags, link, info, max(1, alignment), content)
        for (name, kind, flags, _, _, _, link, info, alignment, _), content in zip(
            headers, contents, strict=True
        )
    )
    symbols = tuple(symbol for section in sections for symbol in _symbols(section, sections))
    relocations = tuple(
        relocation for section in sections for relocation in _relocations(section, symbols)
    )
    return Object(identity, flags, sections, symbols, relocations)


def _string(table: bytes, start: int) -> str:
    return table[start : table.index(b"\0", start)].decode()


def _symbols(section: Section, sections: tuple[Section, ...]) -> list[Symbol]:
    if section.kind != Kind.SYMTAB:
        return []
    names = sections[section.link].data
    return [
        Symbol(_string(names, name), info, other, index, value, size)
        for name, info, other, index, value, size in elf.SYMBOL.iter_unpack(section.data)
    ]


def _relocations(section: Section, symbols: tuple[Symbol, ...]) -> list[Relocation]:
    if section.kind == Kind.REL:
        raise CodegenError("relocations without addends are not linked", found=section.name)
    if section.kind != Kind.RELA:
        return []
    return [
        Relocation(section.info, offset, info & 0xFFFFFFFF, symbols[info >> 32], addend)
        for offset, info, addend in elf.RELOCATION.iter_unpack(section.data)
    ]
