"""Plan tcgen05.ld and tcgen05.st: moving a tensor between registers and tensor memory.

The shape of an instruction says which row and column, of 32 bits each, the registers of a lane are:

    shape       lanes 1, 2, 4, 8, 16                          registers of its smallest form
    32x32b      rows 1, 2, 4, 8, 16                           one
    16x32bx2    rows 1, 2, 4, 8, column H                     one; H is part of the instruction
    16x64b      row 8, column 1, rows 1, 2, 4                 one
    16x128b     columns 1, 2, rows 1, 2, 4                    row 0, 8
    16x256b     columns 2, 4, rows 1, 2, 4                    column 0, 1, row 0, 8

The form xN repeats the smallest one N times along the columns. By hand, for 128x64 of f32 with row
r in lane r % 32 of warp r / 32: the lanes are those of 32x32b and the registers are columns 1, 2 …
32, so one 32x32b.x64 moves everything. A row or column that neither the smallest form nor its
repetition covers, such as row 16, needs another instruction.

Elements of 16 bits and less share a word with their neighbours if they are neighbours in memory. If
each has a separate word instead, an instruction can split a register into two columns
(.pack::16b, .unpack::16b). Source: PTX ISA 9.0, tcgen05.ld and tcgen05.st, data movement shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from weft.errors import LayoutError
from weft.layouts.encodings import Encoding

__all__ = ["TensorMemoryInstruction", "TensorMemoryPlan", "plan_tensor_memory_access"]

Place = tuple[int, int]  # row, column
Word = tuple[int | None, ...]
_WORD_BITS = 32
_WARPS: tuple[Place, ...] = ((32, 0), (64, 0))
_ORIGIN: Place = (0, 0)


class _Shape(Struct, frozen=True):
    """A shape of tcgen05.ld and tcgen05.st.

    Attributes:
        name: the name in PTX.
        lanes: the place of each bit of the lane; None for the column H.
        registers: the place of each register bit of the smallest form.
        columns: the number of columns of the smallest form.
        most: repetitions, at most.
    """

    name: str
    lanes: tuple[Place | None, ...]
    registers: tuple[Place, ...]
    columns: int
    most: int


_SHAPES = (
    _Shape("32x32b", ((1, 0), (2, 0), (4, 0), (8, 0), (16, 0)), (), 1, 128),
    _Shape("16x32bx2", ((1, 0), (2, 0), (4, 0), (8, 0), None), (), 1, 128),
    _Shape("16x64b", ((8, 0), (0, 1), (1, 0), (2, 0), (4, 0)), (), 2, 128),
    _Shape("16x128b", ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0)), ((8, 0),), 4, 64),
    _Shape("16x256b", ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0)), ((0, 1), (8, 0)), 8, 32),
)


class TensorMemoryInstruction(Struct, frozen=True):
    """One instruction.

    Attributes:
        row: where it starts.
        column: where it starts, in words.
        words: for each of its registers, the tensor's register in each part of the word; None for
            an empty part.
    """

    row: int
    column: int
    words: tuple[Word, ...]


class TensorMemoryPlan(Struct, frozen=True):
    """How a tensor is loaded or stored.

    Attributes:
        shape: the shape of the instructions, in PTX.
        repeats: their N.
        half_offset: columns between the halves of 16x32bx2.
        packs_columns: whether a register is split into two columns.
        instructions: the instructions.
        warps: the (row, column) of the third bit of a warp's number, of the fourth, and so on.
    """

    shape: str
    repeats: int
    half_offset: int
    packs_columns: bool
    instructions: tuple[TensorMemoryInstruction, ...]
    warps: tuple[Place, ...]


class _ThreadPlaces(Struct, frozen=True):
    """The places of a thread, in units of one word, or of two that share a register.

    Attributes:
        elements: the number of elements of a word.
        words: the number of words of a unit.
        lanes: the place of each bit of the lane.
        units: the places of register bits that lead to other units.
    """

    elements: int
    words: int
    lanes: tuple[Place, ...]
    units: frozenset[Place]


@lru_cache(maxsize=4096)
def plan_tensor_memory_access(
    registers: Encoding, memory: Encoding, shape: tuple[int, ...], bits: int
) -> TensorMemoryPlan:
    """Plan how a tensor is loaded from tensor memory, or stored to it.

    Each warp accesses for itself what the memory repeats for the warps.

    Args:
        registers: the encoding of the registers.
        memory: the encoding of tensor memory.
        shape: the shape of the tensor.
        bits: the bits of an element.

    Raises:
        LayoutError: the elements have more than 32 bits, or no instruction moves this layout.
    """
    if bits > _WORD_BITS:
        raise LayoutError("tensor memory holds elements of at most 32 bits", found=f"{bits} bits")
    layout = registers.linear(shape).invert_and_compose(memory.linear(shape))
    places = {
        name: [_place(vector) for vector in vectors] for name, vectors in layout.bases.items()
    }
    warps = places.get("warp", [])
    if all(place in (own, _ORIGIN) for place, own in zip(warps, _WARPS, strict=False)):
        thread = _thread_places(places, bits)
        for instruction_shape in _SHAPES if thread is not None else ():
            assert thread is not None
            if _fits(instruction_shape, thread):
                return _plan(instruction_shape, thread, places)
    raise LayoutError(
        "no instruction moves a tensor of this layout to or from tensor memory",
        found=f"{registers} and {memory}, {'x'.join(map(str, shape))}",
        accepted=[instruction_shape.name for instruction_shape in _SHAPES],
    )


def _place(vector: Sequence[int]) -> Place:
    row, column = vector
    return row, column


def _thread_places(places: dict[str, list[Place]], bits: int) -> _ThreadPlaces | None:
    """Compute the places of a thread; None if several threads hold parts of a word."""
    elements = _WORD_BITS // bits
    within_word = [p for p in places["register"] if not p[0] and 0 < p[1] < elements]
    outside = {p for p in places["register"] if any(p)} - set(within_word)
    others = [*outside, *places["lane"], *places.get("warp", ())]
    used_bits = (1 << len(within_word)) * bits
    # Half-empty words, two of which are neighbours in registers, share a register.
    shares = elements > 1 and used_bits <= _WORD_BITS // 2 and (0, elements) in outside
    words = 2 if shares else 1
    if shares:
        others.remove((0, elements))
    if any(column % (elements * words) for _, column in others):
        return None

    def unit(place: Place) -> Place:
        return place[0], place[1] // (elements * words)

    units = {unit(place) for place in outside if not shares or place != (0, elements)}
    return _ThreadPlaces(elements, words, tuple(map(unit, places["lane"])), frozenset(units))


def _fits(shape: _Shape, thread: _ThreadPlaces) -> bool:
    """Check that lanes are those of a shape, and that its registers are among the thread's."""
    lanes_fit = all(
        not own[0] if place is None else own == place
        for own, place in zip(thread.lanes, shape.lanes, strict=True)
    )
    other_rows = {row for row, _ in thread.units - set(shape.registers)}
    one_direction = all(not row or not column for row, column in thread.units)
    rows = {0} if shape.name == "32x32b" else {0, 16}
    return (
        lanes_fit and one_direction and set(shape.registers) <= thread.units and other_rows <= rows
    )


def _plan(shape: _Shape, thread: _ThreadPlaces, places: dict[str, list[Place]]) -> TensorMemoryPlan:
    """Return the instructions of a shape."""
    within, repeats = list(shape.registers), 1
    while (0, shape.columns * repeats) in thread.units and repeats < shape.most:
        within.append((0, shape.columns * repeats))
        repeats *= 2
    words = _words(thread, places["register"])
    empty: Word = (None,) * thread.elements
    instructions: list[TensorMemoryInstruction] = []
    for row, column in sorted(_sums(sorted(thread.units - set(within)))):
        units = [(row + down, column + along) for down, along in _sums(within)]
        instructions.append(
            TensorMemoryInstruction(
                row, column * thread.words, tuple(words.get(unit, empty) for unit in units)
            )
        )
    half_offset = thread.lanes[-1][1] * thread.words if shape.lanes[-1] is None else 0
    warps = tuple((row, column // thread.elements) for row, column in places.get("warp", [])[2:])
    return TensorMemoryPlan(
        shape.name, repeats, half_offset, thread.words == 2, tuple(instructions), warps
    )


def _sums(bases: Sequence[Place]) -> list[Place]:
    """Return the sums of all choices of bases, the first base in the lowest bit of the index."""
    sums = [_ORIGIN]
    for row, column in bases:
        sums += [(a + row, b + column) for a, b in sums]
    return sums


def _words(thread: _ThreadPlaces, registers: Sequence[Place]) -> dict[Place, Word]:
    """Return for each unit the tensor's registers, by their part of the 32-bit register."""
    words: dict[Place, list[int | None]] = {}
    for register, (row, column) in enumerate(_xor_sums(registers)):
        word, element = divmod(column, thread.elements)
        unit, part = divmod(word, thread.words)
        parts = words.setdefault((row, unit), [None] * thread.elements)
        index = element + part * (thread.elements // thread.words)
        if parts[index] is None:  # else another register holds the same
            parts[index] = register
    return {unit: tuple(parts) for unit, parts in words.items()}


def _xor_sums(bases: Sequence[Place]) -> list[Place]:
    """Return the XOR sums of all choices of bases, in the order of `_sums`."""
    sums = [_ORIGIN]
    for row, column in bases:
        sums += [(a ^ row, b ^ column) for a, b in sums]
    return sums
