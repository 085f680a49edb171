"""TDM descriptors of gfx1250: bit fields in groups of words.

    tile 32 x 64 of f16 at byte 4096 of LDS, 100 rows and 80 columns remaining in the tensor

    group 0    1, 4096, address in global memory (57 bits), type 2
    group 1    log2 of an element's bytes, padding, barrier     80, 100, … remaining     64, 32, …
               mask of workgroups that load the same                                     tile size
               strides of rows and planes, in elements, 48 bits each
    group 2, 3 the same of the third, fourth and fifth dimension; or the rows to gather

Dimensions are listed from the fastest. A field may cross words: 32 bits at bit 16 are in two words.
Source: LLVM IR that Triton 3.7.1 emits.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from weft.codegen.llvm.writer import Writer

__all__ = ["TdmCopy", "descriptor_groups"]

_WORD = 32
_GLOBAL = 2  # the kind of a descriptor
_STRIDE_BITS = 48
_GROUPS = (4, 8, 4, 4)  # words of each
_IN_TWO = 2  # dimensions that two groups hold
# Group and first bit of the fields of each dimension.
_LEFT = ((1, 48), (1, 80), (2, 0), (2, 32), (3, 48))
_MOVED = ((1, 112), (1, 128), (1, 144), (2, 112), (3, 80))
_STRIDES = ((1, 160), (1, 208), (2, 64), (3, 0))


class TdmCopy(Struct, frozen=True):
    """One copy of one wave. Values are text: a number, or the name of an i32 or i64.

    Attributes:
        size: Bytes of an element, a power of two.
        active: An i32, 0 for no copy.
        shared: Address in LDS, an i32.
        place: Address in global memory, an i64.
        remaining: Elements of the tensor from there on, per dimension, i32.
        moved: Elements to copy, per dimension.
        strides: Of all dimensions but the fastest, in elements, i64.
        gaps: Padding of LDS: (interval, amount) in bytes.
        barrier: Address of a barrier to arrive on, "" for none.
        rows: Words of row indices of a gather or scatter.
        index_bits: Bits of a row index.
        blocks: Mask of the workgroups that load the same, an i32; memory is read once for all.
    """

    size: int
    active: str
    shared: str
    place: str
    remaining: Sequence[str]
    moved: Sequence[int]
    strides: Sequence[str]
    gaps: tuple[int, int] | None = None
    barrier: str = ""
    rows: Sequence[str] = ()
    index_bits: int = 0
    blocks: str = "0"


class _Group(Struct):
    """Words that are put together field by field."""

    writer: Writer
    constants: list[int]
    values: dict[int, list[str]] = field(default_factory=dict)

    def put(self, bit: int, width: int, value: int | str, bits: int = _WORD) -> None:
        """Write a number to a field, which may cross words.

        Args:
            bit: First bit of the field.
            width: Bits of the field.
            value: A constant or the name of an i32 or i64.
            bits: Bits of the value's type.
        """
        if isinstance(value, int) or value.lstrip("-").isdigit():
            self._constant(bit, int(value) & (1 << width) - 1)
            return
        w, written_bits = self.writer, 0
        while written_bits < width:
            word, place = divmod(bit + written_bits, _WORD)
            here = min(_WORD - place, width - written_bits)
            part = w.value(f"lshr i{bits} {value}, {written_bits}") if written_bits else value
            if bits > _WORD:
                part = w.value(f"trunc i{bits} {part} to i32")
            if here + place < _WORD:
                part = w.value(f"and i32 {part}, {(1 << here) - 1}")
            if place:
                part = w.value(f"shl i32 {part}, {place}")
            self.values.setdefault(word, []).append(part)
            written_bits += here

    def _constant(self, bit: int, number: int) -> None:
        while number:
            word, place = divmod(bit, _WORD)
            self.constants[word] |= number << place & 0xFFFFFFFF
            number >>= _WORD - place
            bit += _WORD - place

    def vector(self) -> tuple[str, str]:
        """Get the words as a vector: (type, value)."""
        w, words = self.writer, []
        for number, constant in enumerate(self.constants):
            total = str(constant - (1 << _WORD) if constant >> _WORD - 1 else constant)
            for part in self.values.get(number, ()):
                total = part if total == "0" else w.value(f"or i32 {part}, {total}")
            words.append(total)
        return _vector(w, words)


def _vector(w: Writer, words: Sequence[str]) -> tuple[str, str]:
    type_, whole = f"<{len(words)} x i32>", "poison"
    for n, word in enumerate(words):
        whole = w.value(f"insertelement {type_} {whole}, i32 {word}, i32 {n}")
    return type_, whole


def descriptor_groups(w: Writer, copy: TdmCopy) -> list[tuple[str, str]]:
    """Encode a copy: (type, value) of two groups of words, or of four if it needs them.

    Args:
        w: Where to write.
        copy: Of one to five dimensions; two for gathers.
    """
    groups = [_Group(w, [0] * words) for words in _GROUPS]
    groups[0].put(0, 2, copy.active)
    groups[0].put(32, 32, copy.shared)
    groups[0].put(64, 57, copy.place, 64)
    groups[0].put(126, 2, _GLOBAL)
    groups[1].put(0, 16, copy.blocks)
    groups[1].put(16, 2, copy.size.bit_length() - 1)
    if copy.gaps is not None:
        every, gap = (each // 4 for each in copy.gaps)  # in words
        groups[1].put(20, 1, 1)
        groups[1].put(22, 3, every.bit_length() - 2)
        groups[1].put(25, 7, gap - 1)
    if copy.barrier:
        groups[1].put(18, 1, 1)
        groups[1].put(32, 16, w.value(f"lshr i32 {copy.barrier}, 3"))
    row = [] if len(copy.remaining) > 1 else [("1", 1)]  # a line is a row of a plane
    dims = [*zip(copy.remaining, copy.moved, strict=True), *row]
    for (rest, moved), (group, bit), (other, place) in zip(dims, _LEFT, _MOVED, strict=False):
        groups[group].put(bit, 32, rest)
        groups[other].put(place, 16, moved)
    for stride, (group, bit) in zip(copy.strides, _STRIDES, strict=False):
        groups[group].put(bit, _STRIDE_BITS, stride, 64)
    if copy.rows:
        groups[0].put(30, 1, int(copy.index_bits == _WORD))
        groups[0].put(31, 1, 1)
        rows = [*copy.rows, *["0"] * (8 - len(copy.rows))]
        return [*(each.vector() for each in groups[:2]), _vector(w, rows[:4]), _vector(w, rows[4:])]
    return [each.vector() for each in groups[: 4 if len(copy.remaining) > _IN_TWO else 2]]
