"""Link one relocatable object of AMDGPU into the shared object that a driver loads.

A kernel's object needs no other: what it refers to is its own. So what is left is to lay out what
is loaded in three segments, each on pages of its own, and to write down what the loader looks for:

    read         header, .note (what the kernel takes), .dynsym, .hash, .dynstr, .rela.dyn, .rodata
    execute      .text
    write        .dynamic, .data

Offset and address differ by a page per segment, so the file has no gaps: a part at 0x600 of the
second segment is loaded at 0x1600. The kernel's descriptor, k.kd in .rodata, holds how far its code
is away; that is a relocation, and fitted here. An absolute address in memory is left to the loader.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from weft.codegen.backend.hsaco import elf
from weft.codegen.backend.hsaco.elf import Access, Kind, Segment, Tag
from weft.codegen.backend.hsaco.elf import Relocation as Kinds
from weft.codegen.backend.hsaco.objects import Object, Relocation, Symbol, read_object
from weft.errors import CodegenError

__all__ = ["link"]

_PAGE = 0x1000
_LOCALS = 1  # the symbol table's first entry is nobody's


@dataclass(slots=True)
class _Part:
    """A section of the file: its header, its bytes, and where it lies once that is known."""

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
        """Where in the file it ends."""
        return self.offset + len(self.data)


def link(data: bytes) -> bytes:
    """Return the shared object of a relocatable one.

    Raises: CodegenError: it is no object of AMDGPU's, refers to what it does not define, or has a
            relocation of a kind that is not known.
    """
    found = read_object(data)
    missing = [one.name for one in found.symbols if not one.section and one.name]
    if missing:
        raise CodegenError("the object refers to what it does not define", found=missing[0])
    return _Linked(found).file()


class _Linked:
    """The parts of the file. Sections of the object keep their number in `placed`."""

    def __init__(self, given: Object) -> None:
        self.given = given
        self.exported = [one for one in given.symbols if one.is_exported]
        self.placed = {
            number: _Part(
                section.name,
                Kind.PROGBITS if section.kind == Kind.NOBITS else section.kind,
                section.flags,
                section.alignment,
                bytearray(section.data),
            )
            for number, section in enumerate(given.sections)
            if section.flags & elf.Section.ALLOC and section.data
        }
        self.absolute = [
            one for one in given.relocations if one.kind == Kinds.ABS64 and one.symbol.is_placed
        ]
        self.tables = self._tables()
        self.segments = self._segments()
        self._lay_out()
        self._fit()
        self._fill()

    def _tables(self) -> dict[str, _Part]:
        """Return what the loader reads, with room for what is not known yet."""
        names, starts = _strings([one.name for one in self.exported])
        self.starts = starts
        read = elf.Section.ALLOC
        count = len(self.exported) + 1
        parts = [
            _Part(".dynsym", Kind.DYNSYM, read, 8, bytearray(count * elf.SYMBOL.size),
                  elf.SYMBOL.size, ".dynstr", _LOCALS),
            _Part(".hash", Kind.HASH, read, 4, _hash_table(self.exported), 4, ".dynsym"),
            _Part(".dynstr", Kind.STRTAB, read, 1, bytearray(names)),
        ]  # fmt: skip
        if self.absolute:
            room = bytearray(len(self.absolute) * elf.RELOCATION.size)
            size = elf.RELOCATION.size
            parts.append(_Part(".rela.dyn", Kind.RELA, read, 8, room, size, ".dynsym"))
        entries = bytearray((9 if self.absolute else 6) * elf.DYNAMIC.size)
        flags = elf.Section.ALLOC | elf.Section.WRITE
        size = elf.DYNAMIC.size
        parts.append(_Part(".dynamic", Kind.DYNAMIC, flags, 8, entries, size, ".dynstr"))
        return {part.name: part for part in parts}

    def _segments(self) -> list[tuple[Access, list[_Part]]]:
        """Return the segments that are loaded, in order."""
        notes = [part for part in self.placed.values() if part.kind == Kind.NOTE]
        others = [part for part in self.placed.values() if part.kind != Kind.NOTE]
        code = [part for part in others if part.flags & elf.Section.EXECUTE]
        data = [part for part in others if part.flags & elf.Section.WRITE and part not in code]
        fixed = [part for part in others if part not in code and part not in data]
        tables = [part for part in self.tables.values() if part.name != ".dynamic"]
        return [
            (Access.READ, [*notes, *tables, *fixed]),
            (Access.READ | Access.EXECUTE, code),
            (Access.READ | Access.WRITE, [self.tables[".dynamic"], *data]),
        ]

    @property
    def _notes(self) -> list[_Part]:
        return [part for part in self.placed.values() if part.kind == Kind.NOTE]

    @property
    def _headers(self) -> int:
        """How many program headers there are: four, the loaded segments, and one for notes."""
        return 3 + len(self.segments) + bool(self._notes)

    def _lay_out(self) -> None:
        end = elf.HEADER.size + self._headers * elf.PROGRAM_HEADER.size
        for number, (_, parts) in enumerate(self.segments):
            for part in parts:
                if part.alignment > _PAGE:
                    raise CodegenError(
                        f"section {part.name} is aligned to more than a page",
                        found=part.alignment,
                        accepted=[f"at most {_PAGE}"],
                    )
                part.offset = -(-end // part.alignment) * part.alignment
                part.address = part.offset + number * _PAGE
                end = part.end

    def _address(self, symbol: Symbol) -> int:
        if not symbol.is_placed:
            return symbol.value
        return self.placed[symbol.section].address + symbol.value

    def _fit(self) -> None:
        """Write what relocations ask for into the parts."""
        left = bytearray()
        for one in self.given.relocations:
            part = self.placed.get(one.section)
            if part is None:
                continue  # of debugging information, which is not loaded
            place = part.address + one.offset
            target = self._address(one.symbol) + one.addend
            if one.kind == Kinds.ABS64 and one.symbol.is_placed:
                left += elf.RELOCATION.pack(place, Kinds.RELATIVE64, target)
            else:
                format_, value = _fitted(one, place, target)
                struct.pack_into(format_, part.data, one.offset, value)
        if self.absolute:
            self.tables[".rela.dyn"].data[:] = left

    def _fill(self) -> None:
        """Write the tables that tell addresses."""
        numbers = {id(part): number for number, part in enumerate(self._parts(), start=1)}
        symbols = bytearray(elf.SYMBOL.size)
        for start, one in zip(self.starts, self.exported, strict=True):
            number = numbers[id(self.placed[one.section])]
            entry = (start, one.info, one.other, number, self._address(one), one.size)
            symbols += elf.SYMBOL.pack(*entry)
        self.tables[".dynsym"].data[:] = symbols
        at = {name: part.address for name, part in self.tables.items()}
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

    def _parts(self) -> list[_Part]:
        return [part for _, parts in self.segments for part in parts]

    def _program_headers(self) -> bytes:
        dynamic, notes = self.tables[".dynamic"], self._notes
        size = self._headers * elf.PROGRAM_HEADER.size
        headers = [(Segment.PHDR, Access.READ, 64, 64, size, 8)]
        for number, (access, parts) in enumerate(self.segments):
            start = 0 if number == 0 else parts[0].offset
            length = parts[-1].end - start
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
        """Return the bytes of the file: header, parts, and the tables that only tools read."""
        dynsym = self.tables[".dynsym"]
        names = bytes(self.tables[".dynstr"].data)
        extra = [
            _Part(".symtab", Kind.SYMTAB, 0, 8, dynsym.data, elf.SYMBOL.size, ".strtab", _LOCALS),
            _Part(".strtab", Kind.STRTAB, 0, 1, bytearray(names)),
            _Part(".shstrtab", Kind.STRTAB, 0, 1, bytearray()),
        ]
        parts = [*self._parts(), *extra]
        titles, starts = _strings([part.name for part in parts])
        extra[-1].data[:] = titles
        end = self._parts()[-1].end
        for part in extra:
            part.offset = -(-end // part.alignment) * part.alignment
            end = part.end
        table = -(-end // 8) * 8
        out = bytearray(table + (len(parts) + 1) * elf.SECTION_HEADER.size)
        elf.HEADER.pack_into(
            out, 0, self.given.identity, elf.SHARED, elf.MACHINE, 1, 0, elf.HEADER.size, table,
            self.given.flags, elf.HEADER.size, elf.PROGRAM_HEADER.size, self._headers,
            elf.SECTION_HEADER.size, len(parts) + 1, len(parts),
        )  # fmt: skip
        headers = self._program_headers()
        out[elf.HEADER.size : elf.HEADER.size + len(headers)] = headers
        numbers = {part.name: number for number, part in enumerate(parts, start=1)}
        for number, (part, start) in enumerate(zip(parts, starts, strict=True), start=1):
            out[part.offset : part.end] = part.data
            elf.SECTION_HEADER.pack_into(
                out, table + number * elf.SECTION_HEADER.size, start, part.kind, part.flags,
                part.address, part.offset, len(part.data), numbers.get(part.link, 0), part.info,
                part.alignment, part.entry,
            )  # fmt: skip
        return bytes(out)


def _fitted(one: Relocation, place: int, target: int) -> tuple[str, int]:
    """Return how a relocation's value is packed, and the value.

    Raises: CodegenError: its kind is not known.
    """
    away = target - place
    if one.kind == Kinds.REL64:
        return "<q", away
    if one.kind in (Kinds.REL32, Kinds.REL32_LO):
        return "<I", away & 0xFFFFFFFF
    if one.kind == Kinds.REL32_HI:
        return "<I", away >> 32 & 0xFFFFFFFF
    if one.kind == Kinds.REL16:
        return "<h", (away - 4) // 4  # instructions behind the branch
    if one.kind in (Kinds.ABS32, Kinds.ABS32_LO) and not one.symbol.is_placed:
        return "<I", target & 0xFFFFFFFF
    if one.kind == Kinds.ABS32_HI and not one.symbol.is_placed:
        return "<I", target >> 32 & 0xFFFFFFFF
    raise CodegenError(
        f"a relocation of kind {one.kind} to {one.symbol.name or 'a section'} cannot be linked",
        found=one.kind,
        accepted=[kind.name for kind in Kinds],
    )


def _strings(names: Sequence[str]) -> tuple[bytes, list[int]]:
    """Return a table of strings, and where each of them starts."""
    table, starts = b"\0", []
    for name in names:
        starts.append(len(table))
        table += name.encode() + b"\0"
    return table, starts


def _hash_table(symbols: Sequence[Symbol]) -> bytearray:
    """Return the table by which the loader finds symbols: buckets, and chains of equal buckets."""
    count = max(1, len(symbols))
    buckets, chains = [0] * count, [0] * (len(symbols) + 1)
    for number, symbol in enumerate(symbols, start=1):
        bucket = _hash(symbol.name) % count
        chains[number], buckets[bucket] = buckets[bucket], number
    words = (count, len(chains), *buckets, *chains)
    return bytearray(struct.pack(f"<{len(words)}I", *words))


def _hash(name: str) -> int:
    """Return the hash of a symbol's name that the System V ABI defines."""
    total = 0
    for byte in name.encode():
        total = (total << 4) + byte
        high = total & 0xF0000000
        total = (total ^ high >> 24) & ~high & 0xFFFFFFFF
    return total
