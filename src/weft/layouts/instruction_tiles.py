"""Instructions between registers and shared memory, as permutations of bits.

An instruction moves rows of neighbouring elements. An address lane a names the start of a row, and
element o of this row belongs to register r of lane l. Where (r, l) -> (o, a) permutes bits, the
instruction is given by the bit of (r, l) that becomes each bit of o, lowest first, and each bit of
a:

    instruction       o            a
    ld.v2             r0           l0 l1 l2 l3 l4    each lane moves its own row of two
    ldmatrix, b16     r0 l0 l1     l2 l3 l4          eight rows of eight; a lane holds two of them
    … .trans          l2 l3 l4     r0 l0 l1          the same of the transposed matrix
    ds_read_b64_tr    l0 l1        l2 l3 r0 r1 l4 l5

So ldmatrix gives lane 6 = 0b00110 and its register 1 element o = 0b101 = 5 (r0, l0 and l1 are 1, 0
and 1) of the row of address lane a = 0b001 = 1 (l2, l3 and l4 are 1, 0 and 0).

An instruction fits a layout if the bits of o are, in this order, the lowest bits of the offset, and
no other basis touches them: the layout is left-divisible by the instruction's tile. ldmatrix and
stmatrix move one, two or four matrices; further bits of r name the rows of the others.

Source: PTX ISA 9.0, ldmatrix and stmatrix; LLVM's ds_read_tr of gfx950 and ds_load_tr of gfx1250 as
Triton 3.7.1 uses them.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

__all__ = ["TILES", "InstructionTile", "vector"]


class InstructionTile(Struct, frozen=True):
    """What one instruction moves.

    Attributes:
        name: the name of the instruction.
        kind: "read" or "write".
        element_bits: the element widths that it can move.
        offset: the bit of (r, l) that becomes each bit of o, such as "r0" or "l3".
        address: the bit of (r, l) that becomes each bit of a.
        bits: the bits of one row.
        grows: whether one instruction may move two or four tiles.
    """

    name: str
    kind: str
    element_bits: tuple[int, ...]
    offset: tuple[str, ...]
    address: tuple[str, ...]
    bits: int
    grows: bool = False

    @property
    def registers(self) -> int:
        """The number of bits of r."""
        return sum(bit[0] == "r" for bit in (*self.offset, *self.address))

    @property
    def is_plain(self) -> bool:
        """Whether each lane moves its own row, as a plain load or store does."""
        return all(bit[0] == "r" for bit in self.offset)


def vector(kind: str, element_bits: int, elements: int, lanes: int) -> InstructionTile:
    """Return the plain load or store of neighbouring elements.

    Args:
        kind: "read" or "write".
        element_bits: the bits of an element.
        elements: the number of elements of one lane.
        lanes: the number of lanes of a warp.
    """
    bits = element_bits * elements
    name = f"{'load' if kind == 'read' else 'store'} b{bits}"
    return InstructionTile(
        name, kind, (element_bits,), _bits("r", elements), _bits("l", lanes), bits
    )


def _bits(letter: str, count: int) -> tuple[str, ...]:
    """Return the names of the bits of a number below `count`."""
    return tuple(f"{letter}{bit}" for bit in range(count.bit_length() - 1))


def _matrix(name: str, kind: str) -> tuple[InstructionTile, ...]:
    """Return ldmatrix or stmatrix; a lane holds 32 bits of a row of 128."""
    rows = ("l2", "l3", "l4")
    return tuple(
        InstructionTile(
            name, kind, (bits,), (*_bits("r", 32 // bits), "l0", "l1"), rows, 128, grows=True
        )
        for bits in (8, 16, 32)
    )


def _transposed_matrix(name: str, kind: str) -> InstructionTile:
    return InstructionTile(
        name, kind, (16,), ("l2", "l3", "l4"), ("r0", "l0", "l1"), 128, grows=True
    )


def _transposed_load(name: str, bits: int, element: int, address: str) -> InstructionTile:
    """Return a load that transposes among at least as many lanes as a row has elements."""
    offset = _bits("l", bits // element)
    return InstructionTile(name, "read", (element,), offset, tuple(address.split()), bits)


# The forms for 4-bit elements are given in elements of 4 bits.
TILES: Mapping[str, tuple[InstructionTile, ...]] = {
    "ldmatrix": _matrix("ldmatrix", "read"),
    "ldmatrix.trans": (_transposed_matrix("ldmatrix.trans", "read"),),
    "stmatrix": _matrix("stmatrix", "write"),
    "stmatrix.trans": (_transposed_matrix("stmatrix.trans", "write"),),
    **{
        tile.name: (tile,)
        for tile in (
            _transposed_load("ds_read_b64_tr_b16", 64, 16, "l2 l3 r0 r1 l4 l5"),
            _transposed_load("ds_read_b64_tr_b8", 64, 8, "l3 r0 r1 r2 l4 l5"),
            _transposed_load("ds_read_b64_tr_b4", 64, 4, "r0 r1 r2 r3 l4 l5"),
            _transposed_load("ds_read_b96_tr_b6", 96, 6, "r0 r1 r2 r3 l4 l5"),
            _transposed_load("ds_load_tr16_b128", 128, 16, "r0 r1 r2 l3 l4"),
            _transposed_load("ds_load_tr8_b64", 64, 8, "r0 r1 l3 r2 l4"),
            _transposed_load("ds_load_tr4_b64", 64, 4, "r0 r1 r2 r3 l4"),
            _transposed_load("ds_load_tr6_b96", 96, 6, "r0 r1 r2 r3 l4"),
        )
    },
}
