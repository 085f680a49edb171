"""Instructions between registers and shared memory, as maps of bits.

Every one of them moves rows: an address lane names a row of neighbouring elements, and element o
of the row of lane a belongs to register r of lane l. Where (r, l) -> (o, a) permutes bits, it is
written here by saying which bit of (r, l) gives each bit of o, lowest first, and each of a:

    ld.v2             o = r0            a = l0 l1 l2 l3 l4
    ldmatrix, 16 bit  o = r0 l0 l1      a = l2 l3 l4          eight rows of eight, lane l holds two
    … .trans          o = l2 l3 l4      a = r0 l0 l1          the same of the transposed matrix
    ds_read_b64_tr    o = l0 l1         a = l2 l3 r0 r1 l4 l5

An instruction fits a layout when, in shared memory, the bits of o are neighbours in this order and
nothing else touches them: the layout is divisible on the left by the map (layout-facts, SIMD test).
ldmatrix and stmatrix move one, two or four matrices: further bits of r name the rows of a.

Sources: PTX ISA 9.0, ldmatrix and stmatrix; LLVM's ds_read_tr of gfx950 and gfx1250 as Triton 3.7.1
uses them.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TILES", "InstructionTile", "vector"]


@dataclass(frozen=True, slots=True)
class InstructionTile:
    """Say what one instruction moves.

    Fields: name.  kind: "read" or "write".  element_bits: of the elements it can move.
    offset, address: the bit of (r, l) for each bit of o and of a.  bits: of one row.
    grows: whether two or four tiles may go in one instruction.
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
        """Return how many bits of r it has."""
        return sum(slot[0] == "r" for slot in (*self.offset, *self.address))

    @property
    def is_plain(self) -> bool:
        """Return whether each lane moves its own row."""
        return all(slot[0] == "r" for slot in self.offset)


def vector(kind: str, element_bits: int, elements: int, lanes: int) -> InstructionTile:
    """Return the plain load or store of neighbouring elements.

    Args: kind: "read" or "write".  elements: of one lane.  lanes: of a warp.
    """
    bits = element_bits * elements
    name = f"{'load' if kind == 'read' else 'store'} b{bits}"
    offset = _slots("r", elements)
    return InstructionTile(name, kind, (element_bits,), offset, _slots("l", lanes), bits)


def _slots(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{bit}" for bit in range(count.bit_length() - 1))


def _matrix(name: str, kind: str) -> tuple[InstructionTile, ...]:
    """Return ldmatrix or stmatrix; a lane holds 32 bits of a row of 128."""
    rows = ("l2", "l3", "l4")
    return tuple(
        InstructionTile(
            name, kind, (bits,), (*_slots("r", 32 // bits), "l0", "l1"), rows, 128, grows=True
        )
        for bits in (8, 16, 32)
    )


def _transposed_matrix(name: str, kind: str) -> InstructionTile:
    return InstructionTile(
        name, kind, (16,), ("l2", "l3", "l4"), ("r0", "l0", "l1"), 128, grows=True
    )


def _transposing(name: str, bits: int, element: int, address: str) -> InstructionTile:
    """Return a load that transposes among as many lanes as a row has elements, or more."""
    offset = _slots("l", bits // element)
    return InstructionTile(name, "read", (element,), offset, tuple(address.split()), bits)


# The 4-bit forms are written in elements of 4 bits.
TILES: dict[str, tuple[InstructionTile, ...]] = {
    "ldmatrix": _matrix("ldmatrix", "read"),
    "ldmatrix.trans": (_transposed_matrix("ldmatrix.trans", "read"),),
    "stmatrix": _matrix("stmatrix", "write"),
    "stmatrix.trans": (_transposed_matrix("stmatrix.trans", "write"),),
    **{
        tile.name: (tile,)
        for tile in (
            _transposing("ds_read_b64_tr_b16", 64, 16, "l2 l3 r0 r1 l4 l5"),
            _transposing("ds_read_b64_tr_b8", 64, 8, "l3 r0 r1 r2 l4 l5"),
            _transposing("ds_read_b64_tr_b4", 64, 4, "r0 r1 r2 r3 l4 l5"),
            _transposing("ds_read_b96_tr_b6", 96, 6, "r0 r1 r2 r3 l4 l5"),
            _transposing("ds_load_tr16_b128", 128, 16, "r0 r1 r2 l3 l4"),
            _transposing("ds_load_tr8_b64", 64, 8, "r0 r1 l3 r2 l4"),
            _transposing("ds_load_tr4_b64", 64, 4, "r0 r1 r2 r3 l4"),
            _transposing("ds_load_tr6_b96", 96, 6, "r0 r1 r2 r3 l4"),
        )
    },
}
