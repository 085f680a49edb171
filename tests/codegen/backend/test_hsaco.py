"""Code objects: what AMD's loader requires, and what the linker rejects."""

from __future__ import annotations

import shutil
import struct
import subprocess

import pytest

import weft
import weft.language as tl
from weft.codegen import Machine, lower
from weft.codegen.backend.hsaco import link
from weft.codegen.llvm.module import Launch, LlvmModule
from weft.errors import CodegenError
from weft.targets import target

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
PAGE = 0x1000

# A table in memory that holds an address, and code that refers to it.
TABLE = """
target triple = "amdgcn-amd-amdhsa"
@number = internal addrspace(1) global i32 7
@table = internal addrspace(1) global ptr addrspace(1) @number
@zeros = internal addrspace(1) global [4 x i32] zeroinitializer
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) {
  %where = load volatile ptr addrspace(1), ptr addrspace(1) @table
  %one = getelementptr [4 x i32], ptr addrspace(1) @zeros, i32 0, i32 %n
  %zero = load volatile i32, ptr addrspace(1) %one
  %found = load volatile i32, ptr addrspace(1) %where
  %sum = add i32 %found, %zero
  store i32 %sum, ptr addrspace(1) %out
  ret void
}
"""


@weft.jit
def add(x_ptr, y_ptr, BLOCK: tl.constexpr):
    """Add one array to another."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + index, tl.load(x_ptr + index) + tl.load(y_ptr + index))


def object_of(machine: Machine, chip: str) -> bytes:
    compiled = weft.compile(add, signature="*fp32:16, *fp32:16, 1024", target=f"hip:{chip}")
    return machine.emit(lower(compiled.module("ttgir")), "object")


class File:
    """A shared object as a loader sees it."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.header = struct.unpack_from("<16sHHIQQQIHHHHHH", data)
        start, count = self.header[5], self.header[10]
        self.segments = [
            struct.unpack_from("<IIQQQQQQ", data, start + 56 * n) for n in range(count)
        ]
        start, count, names = self.header[6], self.header[12], self.header[13]
        raw = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * n) for n in range(count)]
        table = raw[names]
        self.sections = {self.text(table[4], each[0]): each for each in raw}

    def text(self, start: int, offset: int) -> str:
        end = self.data.index(b"\0", start + offset)
        return self.data[start + offset : end].decode()

    def content(self, name: str) -> bytes:
        section = self.sections[name]
        return self.data[section[4] : section[4] + section[5]]

    def symbols(self, name: str = ".dynsym", strings: str = ".dynstr") -> dict[str, tuple]:
        actual = struct.iter_unpack("<IBBHQQ", self.content(name))
        start = self.sections[strings][4]
        return {self.text(start, each[0]): each for each in actual if each[0]}

    def at(self, address: int, size: int) -> bytes:
        """Return the bytes that are loaded at an address."""
        for kind, _, offset, start, _, length, _, _ in self.segments:
            if kind == 1 and start <= address and address + size <= start + length:
                return self.data[offset + address - start :][:size]
        raise AssertionError(f"nothing is loaded at {address:#x}")

    def dynamic(self) -> dict[int, int]:
        return dict(struct.iter_unpack("<QQ", self.content(".dynamic")))


@pytest.mark.parametrize("chip", CHIPS)
def test_loader_sections_and_notes(chip, machine):
    machine_code = object_of(machine, chip)
    file = File(link(machine_code))
    assert file.header[1:4] == (3, 224, 1)
    assert file.header[7] == struct.unpack_from("<I", machine_code, 48)[0]  # the processor
    assert file.header[0] == machine_code[:16]
    symbols = file.symbols()
    assert set(symbols) == {"add", "add.kd"}
    assert file.symbols(".symtab", ".strtab") == symbols
    descriptor, code = symbols["add.kd"], symbols["add"]
    assert (descriptor[1], descriptor[5]) == (0x11, 64)
    assert descriptor[4] % 64 == 0
    assert (code[1], code[4] % 256) == (0x12, 0)
    (away,) = struct.unpack("<q", file.at(descriptor[4] + 16, 8))
    assert descriptor[4] + away == code[4]
    assert code[5] <= len(file.content(".text"))
    assert ".rela.dyn" not in file.sections
    notes = [each for each in file.segments if each[0] == 4]
    assert len(notes) == 1
    name, size, kind = struct.unpack_from("<III", file.data, notes[0][2])
    note = file.data[notes[0][2] :][: 12 + 8 + size]
    assert (name, kind, note[12:18]) == (7, 32, b"AMDGPU")
    for name in (b".symbol", b"add.kd", b".kernarg_segment_size", f"amdhsa--{chip}".encode()):
        assert name in note


@pytest.mark.parametrize("chip", CHIPS)
def test_segments_are_page_aligned(chip, machine):
    file = File(link(object_of(machine, chip)))
    loads = [each for each in file.segments if each[0] == 1]
    assert [each[1] for each in loads] == [4, 5, 6]
    last = -1
    for _, _, offset, address, _, in_file, in_memory, align in loads:
        assert (offset % PAGE, align, in_file) == (address % PAGE, PAGE, in_memory)
        assert address // PAGE > last
        last = (address + in_memory - 1) // PAGE
    for section in file.sections.values():
        assert section[8] == 0 or section[3] % section[8] == section[4] % section[8] == 0


def test_symbol_hash_table(machine):
    file = File(link(object_of(machine, "gfx942")))
    words = struct.unpack(f"<{len(file.content('.hash')) // 4}I", file.content(".hash"))
    buckets, chains = words[2 : 2 + words[0]], words[2 + words[0] :]
    names = ["", *file.symbols()]
    for name in names[1:]:
        total = 0
        for byte in name.encode():
            total = (total << 4) + byte
            total = (total ^ (total & 0xF0000000) >> 24) & ~(total & 0xF0000000)
        number = buckets[total % words[0]]
        while names[number] != name:
            number = chains[number]
            assert number
    entries = file.dynamic()
    assert (entries[6], entries[4]) == (file.sections[".dynsym"][3], file.sections[".hash"][3])
    assert entries[5] == file.sections[".dynstr"][3]


@pytest.mark.parametrize("chip", CHIPS)
def test_dynamic_relocations(chip, machine):
    chosen = target(f"hip:{chip}")
    machine_code = machine.emit(LlvmModule(TABLE, "k", chosen, Launch(1)), "object")
    file = File(link(machine_code))
    entries = file.dynamic()
    assert (entries[8], entries[9]) == (24, 24)
    place, info, value = struct.unpack("<QQq", file.at(entries[7], 24))
    assert info == 13
    assert struct.unpack("<i", file.at(value, 4)) == (7,)
    assert file.sections[".data"][3] <= place < file.sections[".data"][3] + 24
    assert file.content(".bss" if ".bss" in file.sections else ".data")[-16:] == bytes(16)


@pytest.mark.skipif(shutil.which("llvm-readelf") is None, reason="needs llvm-readelf")
@pytest.mark.parametrize("chip", CHIPS)
def test_llvm_readelf_reads_the_object(chip, machine, tmp_path):
    path = tmp_path / "k.hsaco"
    path.write_bytes(link(object_of(machine, chip)))
    command = ["llvm-readelf", "--all", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "warning" not in said.stderr
    assert "There are no relocations in this file." in said.stdout
    assert f"amdgcn-amd-amdhsa--{chip}" in said.stdout


def changed(data: bytes, offset: int, format_: str, value: int) -> bytes:
    out = bytearray(data)
    struct.pack_into(format_, out, offset, value)
    return bytes(out)


def section_header(data: bytes, name: str) -> int:
    """Find the offset of the header of a section of an object."""
    (start,) = struct.unpack_from("<Q", data, 40)
    return start + 64 * list(File(data).sections).index(name)


def test_errors(machine):
    good = object_of(machine, "gfx942")
    cases = [
        (b"\x7fELF", "an object file that cannot be read"),
        (changed(good, 18, "<H", 62), "not a relocatable object of AMDGPU"),
        (good[:-100], "an object file that cannot be read"),
    ]
    rela = struct.unpack_from("<Q", good, section_header(good, ".rela.rodata") + 24)[0]
    cases.append((changed(good, rela + 8, "<I", 7), "unsupported relocation type 7 against add"))
    cases.append(
        (
            changed(good, section_header(good, ".rodata") + 48, "<Q", 1 << 16),
            "section .rodata is aligned to more than a page",
        )
    )
    cases.append(
        (
            changed(good, section_header(good, ".rela.rodata") + 4, "<I", 9),
            "relocations without addends are not linked",
        )
    )
    for data, message in cases:
        with pytest.raises(CodegenError) as caught:
            link(data)
        assert message in str(caught.value)


def test_undefined_symbols(machine):
    text = TABLE.replace("internal addrspace(1) global i32 7", "external addrspace(1) global i32")
    machine_code = machine.emit(LlvmModule(text, "k", target("hip:gfx942"), Launch(1)), "object")
    with pytest.raises(CodegenError, match="undefined symbol") as caught:
        link(machine_code)
    assert caught.value.found == "number"
