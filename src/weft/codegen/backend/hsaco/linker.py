"""Link one relocatable AMDGPU object into the shared object that the driver loads.

A kernel's object refers to no other object, so linking means: lay out the loaded sections in three
segments, each on its own pages, apply the relocations, and write the tables that the loader reads.

    read         header, .note (metadata), .dynsym, .hash, .dynstr, .rela.dyn, .rodata
    execute      .text
    write        .dynamic, .data

The address of a section is its file offset plus a page per preceding segment, so the file has no
padding between segments: a section at offset 0x600 in the second segment is loaded at 0x1600. The
kernel descriptor, k.kd in .rodata, holds the distance to the kernel's code. That relocation is
applied here; absolute addresses in memory are left to the loader as relative relocations.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from msgspec import Struct

from weft.codegen.backend.hsaco import elf
from weft.codegen.backend.hsaco.elf import Access, Kind, Segment, Tag
from weft.codegen.backend.hsaco.elf import Relocation as Kinds
from weft.codegen.backend.hsaco.objects import Object, Relocation, Symbol, read_object
from weft.errors import CodegenError

__all__ = ["link"]

_PAGE = 0x1000
_LOCALS = 1  # the first entry of a symbol table is the null symbol


class _OutputSection(Struct):
    """A section of the output file: its header, its contents and its position."""

    name: str
    kind: int
    flags: int
    alignment: int
    data: bytearray
    entry: int = 0
    link: str = ""
    info: int = 0
    offset: int = 0
    address: int = 0

    @property
    def end(self) -> int:
        """The file offset after its last byte."""
        return self.offset + len(self.data)


def link(data: bytes) -> bytes:
    """Link a relocatable object into a shared object.

    Args:
        data: the bytes of the object.
    Returns: the bytes of the shared object.
    Raises: CodegenError: the input is not an AMDGPU object, has an undefined symbol, or has a
        relocation of an unknown type.
    """
    source = read_object(data)
    undefined = [symbol.name for symbol in source.symbols if not symbol.section and symbol.name]
    if undefined:
        raise CodegenError("undefined symbol", found=undefined[0])
    return _Linker(source).file()


class _Linker:
    """The sections of the output file. `loaded` maps the object's section indices to them."""

    def __init__(self, source: Object) -> None:
        self.source = source
        self.exported = [symbol for symbol in source.symbols if symbol.is_exported]
        self.loaded = {
            number: _OutputSection(
                section.name,
                Kind.PROGBITS if section.kind == Kind.NOBITS else section.kind,
                section.flags,
                section.alignment,
                bytearray(section.data),
            )
            for number, section in enumerate(source.sections)
            if section.flags & elf.Section.ALLOC and section.data
        }
        self.debug = {
            number: _OutputSection(
                section.name,
                section.kind,
                section.flags,
                section.alignment,
                bytearray(section.data),
            )
            for number, section in enumerate(source.sections)
            if section.name.startswith(".debug") and section.data
        }
        self.absolute = [
            relocation
            for relocation in source.relocations
            if relocation.section in self.loaded and _is_absolute(relocation)
        ]
        self.tables = self._tables()
        self.segments = self._segments()
        self._lay_out()
        self._relocate()
        self._fill_tables()

    def _tables(self) -> dict[str, _OutputSection]:
        """Create the tables that the loader reads, sized but not filled: addresses are unknown."""
        names, starts = _strings([symbol.name for symbol in self.exported])
        self.starts = starts
        read = elf.Section.ALLOC
        count = len(self.exported) + 1
        sections = [
            _OutputSection(".dynsym", Kind.DYNSYM, read, 8, bytearray(count * elf.SYMBOL.size),
                  elf.SYMBOL.size, ".dynstr", _LOCALS),
            _OutputSection(".hash", Kind.HASH, read, 4, _hash_table(self.exported), 4, ".dynsym"),
            _OutputSection(".dynstr", Kind.STRTAB, read, 1, bytearray(names)),
        ]  # fmt: skip
        if self.absolute:
            room = bytearray(len(self.absolute) * elf.RELOCATION.size)
            size = elf.RELOCATION.size
            sections.append(_OutputSection(".rela.dyn", Kind.RELA, read, 8, room, size, ".dynsym"))
        entries = bytearray((9 if self.absolute else 6) * elf.DYNAMIC.size)
        flags = elf.Section.ALLOC | elf.Section.WRITE
        size = elf.DYNAMIC.size
        sections.append(
            _OutputSection(".dynamic", Kind.DYNAMIC, flags, 8, entries, size, ".dynstr")
        )
        return {section.name: section for section in sections}

    def _segments(self) -> list[tuple[Access, list[_OutputSection]]]:
        """Group the loaded sections into segments: (access, sections), in file order."""
        notes = [section for section in self.loaded.values() if section.kind == Kind.NOTE]
        others = [section for section in self.loaded.values() if section.kind != Kind.NOTE]
        code = [section for section in others if section.flags & elf.Section.EXECUTE]
        data = [
            section
            for section in others
            if section.flags & elf.Section.WRITE and section not in code
        ]
        fixed = [section for section in others if section not in code and section not in data]
        tables = [section for section in self.tables.values() if section.name != ".dynamic"]
        return [
            (Access.READ, [*notes, *tables, *fixed]),
            (Access.READ | Access.EXECUTE, code),
            (Access.READ | Access.WRITE, [self.tables[".dynamic"], *data]),
        ]

    @property
    def _notes(self) -> list[_OutputSection]:
        return [section for section in self.loaded.values() if section.kind == Kind.NOTE]

    @property
    def _headers(self) -> int:
        """The number of program headers: PHDR, DYNAMIC, GNU_STACK, the segments, and any NOTE."""
        return 3 + len(self.segments) + bool(self._notes)

    def _lay_out(self) -> None:
        """Assign file offsets and addresses.

        Raises: CodegenError: a section is aligned to more than a page.
        """
        end = elf.HEADER.size + self._headers * elf.PROGRAM_HEADER.size
        for number, (_, sections) in enumerate(self.segments):
            for section in sections:
                if section.alignment > _PAGE:
                    raise CodegenError(
                        f"section {section.name} is aligned to more than a page",
                        found=section.alignment,
                        accepted=[f"at most {_PAGE}"],
                    )
                section.offset = -(-end // section.alignment) * section.alignment
                section.address = section.offset + number * _PAGE
                end = section.end

    def _address(self, symbol: Symbol) -> int:
        if not symbol.is_defined:
            return symbol.value
        return self.loaded[symbol.section].address + symbol.value

    def _relocate(self) -> None:
        """Apply the relocations; write those of absolute addresses to .rela.dyn."""
        dynamic = bytearray()
        for relocation in self.source.relocations:
            section = self.loaded.get(relocation.section)
            if section is None:
                self._relocate_debug(relocation)
                continue
            address = section.address + relocation.offset
            target = self._address(relocation.symbol) + relocation.addend
            if _is_absolute(relocation):
                dynamic += elf.RELOCATION.pack(address, Kinds.RELATIVE64, target)
            else:
                format_, value = _relocated(relocation, address, target)
                struct.pack_into(format_, section.data, relocation.offset, value)
        if self.absolute:
            self.tables[".rela.dyn"].data[:] = dynamic

    def _relocate_debug(self, relocation: Relocation) -> None:
        """Apply a relocation of debug information, which is not loaded.

        It is the address of code, or an offset in another section of debug information.
        """
        section, symbol = self.debug.get(relocation.section), relocation.symbol
        format_ = {Kinds.ABS64: "<Q", Kinds.ABS32: "<I"}.get(Kinds(relocation.kind))
        if section is None or format_ is None:
            return
        is_loaded = symbol.section in self.loaded
        target = self._address(symbol) if is_loaded else symbol.value
        struct.pack_into(format_, section.data, relocation.offset, target + relocation.addend)

    def _fill_tables(self) -> None:
        """Write .dynsym and .dynamic, which hold addresses."""
        numbers = {id(section): number for number, section in enumerate(self._sections(), start=1)}
        symbols = bytearray(elf.SYMBOL.size)
        for start, symbol in zip(self.starts, self.exported, strict=True):
            number = numbers[id(self.loaded[symbol.section])]
            address = self._address(symbol)
            symbols += elf.SYMBOL.pack(
                start, symbol.info, symbol.other, number, address, symbol.size
            )
        self.tables[".dynsym"].data[:] = symbols
        at = {name: section.address for name, section in self.tables.items()}
        entries = [
            (Tag.SYMTAB, at[".dynsym"]),
            (Tag.SYMENT, elf.SYMBOL.size),
            (Tag.STRTAB, at[".dynstr"]),
            (Tag.STRSZ, len(self.tables[".dynstr"].data)),
            (Tag.HASH, at[".hash"]),
        ]
        if self.absolute:
            entries += [
                (Tag.RELA, at[".rela.dyn"]),
                (Tag.RELASZ, len(self.tables[".rela.dyn"].data)),
                (Tag.RELAENT, elf.RELOCATION.size),
            ]
        entries.append((Tag.NULL, 0))
        self.tables[".dynamic"].data[:] = b"".join(elf.DYNAMIC.pack(*each) for each in entries)

    def _sections(self) -> list[_OutputSection]:
        return [section for _, sections in self.segments for section in sections]

    def _program_headers(self) -> bytes:
        dynamic, notes = self.tables[".dynamic"], self._notes
        size = self._headers * elf.PROGRAM_HEADER.size
        headers = [(Segment.PHDR, Access.READ, 64, 64, size, 8)]
        for number, (access, sections) in enumerate(self.segments):
            start = 0 if number == 0 else sections[0].offset
            length = sections[-1].end - start
            headers.append((Segment.LOAD, access, start, start + number * _PAGE, length, _PAGE))
        both = Access.READ | Access.WRITE
        length = len(dynamic.data)
        headers.append((Segment.DYNAMIC, both, dynamic.offset, dynamic.address, length, 8))
        headers.append((Segment.GNU_STACK, both, 0, 0, 0, 0))
        if notes:
            length = notes[-1].end - notes[0].offset
            headers.append(
                (Segment.NOTE, Access.READ, notes[0].offset, notes[0].address, length, 4)
            )
        return b"".join(
            elf.PROGRAM_HEADER.pack(kind, access, offset, address, address, length, length, step)
            for kind, access, offset, address, length, step in headers
        )

    def file(self) -> bytes:
        """Write the file: ELF header, sections, and the symbol tables that only tools read."""
        dynsym = self.tables[".dynsym"]
        names = bytes(self.tables[".dynstr"].data)
        extra = [
            *self.debug.values(),
            _OutputSection(
                ".symtab", Kind.SYMTAB, 0, 8, dynsym.data, elf.SYMBOL.size, ".strtab", _LOCALS
            ),
            _OutputSection(".strtab", Kind.STRTAB, 0, 1, bytearray(names)),
            _OutputSection(".shstrtab", Kind.STRTAB, 0, 1, bytearray()),
        ]
        sections = [*self._sections(), *extra]
        titles, starts = _strings([section.name for section in sections])
        extra[-1].data[:] = titles
        end = self._sections()[-1].end
        for section in extra:
            section.offset = -(-end // section.alignment) * section.alignment
            end = section.end
        table = -(-end // 8) * 8
        out = bytearray(table + (len(sections) + 1) * elf.SECTION_HEADER.size)
        elf.HEADER.pack_into(
            out, 0, self.source.identity, elf.SHARED, elf.MACHINE, 1, 0, elf.HEADER.size, table,
            self.source.flags, elf.HEADER.size, elf.PROGRAM_HEADER.size, self._headers,
            elf.SECTION_HEADER.size, len(sections) + 1, len(sections),
        )  # fmt: skip
        headers = self._program_headers()
        out[elf.HEADER.size : elf.HEADER.size + len(headers)] = headers
        numbers = {section.name: number for number, section in enumerate(sections, start=1)}
        for number, (section, start) in enumerate(zip(sections, starts, strict=True), start=1):
            out[section.offset : section.end] = section.data
            elf.SECTION_HEADER.pack_into(
                out, table + number * elf.SECTION_HEADER.size, start, section.kind, section.flags,
                section.address, section.offset, len(section.data),
                numbers.get(section.link, 0), section.info, section.alignment, section.entry,
            )  # fmt: skip
        return bytes(out)


def _is_absolute(relocation: Relocation) -> bool:
    """Check whether the loader must relocate it: the absolute address of a defined symbol."""
    return relocation.kind == Kinds.ABS64 and relocation.symbol.is_defined


def _relocated(relocation: Relocation, address: int, target: int) -> tuple[str, int]:
    """Compute the value of a relocation.

    Args:
        relocation: the relocation.
        address: the address of the location to fill.
        target: the address of the symbol plus the addend.
    Returns: the format of the value for `struct`, and the value.
    Raises: CodegenError: the relocation's type is not supported.
    """
    kind, symbol, distance = relocation.kind, relocation.symbol, target - address
    if kind == Kinds.REL64:
        return "<q", distance
    if kind in (Kinds.REL32, Kinds.REL32_LO):
        return "<I", distance & 0xFFFFFFFF
    if kind == Kinds.REL32_HI:
        return "<I", distance >> 32 & 0xFFFFFFFF
    if kind == Kinds.REL16:
        return "<h", (distance - 4) // 4  # a branch counts words from the next instruction
    if kind in (Kinds.ABS32, Kinds.ABS32_LO) and not symbol.is_defined:
        return "<I", target & 0xFFFFFFFF
    if kind == Kinds.ABS32_HI and not symbol.is_defined:
        return "<I", target >> 32 & 0xFFFFFFFF
    raise CodegenError(
        f"unsupported relocation type {kind} against {symbol.name or 'a section'}",
        found=kind,
        accepted=[kind.name for kind in Kinds],
    )


def _strings(names: Sequence[str]) -> tuple[bytes, list[int]]:
    """Build a string table.

    Returns: the table, and the offset of each name in it.
    """
    table, starts = b"\0", []
    for name in names:
        starts.append(len(table))
        table += name.encode() + b"\0"
    return table, starts


def _hash_table(symbols: Sequence[Symbol]) -> bytearray:
    """Build the System V hash table by which the loader looks symbols up: buckets and chains."""
    count = max(1, len(symbols))
    buckets, chains = [0] * count, [0] * (len(symbols) + 1)
    for number, symbol in enumerate(symbols, start=1):
        bucket = _hash(symbol.name) % count
        chains[number], buckets[bucket] = buckets[bucket], number
    words = (count, len(chains), *buckets, *chains)
    return bytearray(struct.pack(f"<{len(words)}I", *words))


def _hash(name: str) -> int:
    """Compute the System V ABI's hash of a symbol name."""
    total = 0
    for byte in name.encode():
        total = (total << 4) + byte
        high = total & 0xF0000000
        total = (total ^ high >> 24) & ~high & 0xFFFFFFFF
    return total
