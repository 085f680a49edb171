"""The instructions by which a warp moves a tensor between registers and tensor memory.

An instruction's shape says which row and column, of 32 bits each, a lane's registers stand for:

    shape       lanes 1, 2, 4, 8, 16                          registers of its smallest form
    32x32b      rows 1, 2, 4, 8, 16                           one
    16x32bx2    rows 1, 2, 4, 8, column H                     one; H is part of the instruction
    16x64b      row 8, column 1, rows 1, 2, 4                 one
    16x128b     columns 1, 2, rows 1, 2, 4                    row 0, 8
    16x256b     columns 2, 4, rows 1, 2, 4                    column 0, 1, row 0, 8

A form with xN repeats the smallest one N times along the columns. By hand, for 128x64 of f32 with
row r in lane r % 32 of warp r / 32: the lanes are those of 32x32b, the registers columns 1, 2 … 32,
so that one 32x32b.x64 moves all. What neither the smallest form nor its repetition covers, a row 16
or a column that is too far, is another instruction.

Elements of 16 bits and less share a word with their neighbours, if they lie side by side in memory.
Where each has a word of its own, an instruction can split a register among two columns ("paired").
Source: PTX ISA 9.0, tcgen05.ld and tcgen05.st, data movement shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.encodings import Encoding

__all__ = ["TensorMemoryInstruction", "TensorMemoryPlan", "plan_tensor_memory_access"]

Place = tuple[int, int]
_WORD = 32
_WARPS: tuple[Place, ...] = ((32, 0), (64, 0))
_NOWHERE: Place = (0, 0)


@dataclass(frozen=True, slots=True)
class _Shape:
    """Lanes and registers of an instruction's smallest form, and how often it repeats at most."""

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


@dataclass(frozen=True, slots=True)
class TensorMemoryInstruction:
    """One instruction: where it starts, in words, and the registers of each of its words.

    words: of each, the tensor's register per place in the word, None where nothing is held.
    """

    row: int
    column: int
    words: tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True)
class TensorMemoryPlan:
    """How a tensor is moved.

    shape: of the instructions.  repeats: their N.  half: columns between the halves of 16x32bx2.
    paired: whether a register is split among two columns.  moves: the instructions.
    warps: (row, column) that the third bit of a warp's number adds, the fourth, and so on.
    """

    shape: str
    repeats: int
    half: int
    paired: bool
    moves: tuple[TensorMemoryInstruction, ...]
    warps: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class _Held:
    """What a thread holds, in units of one word, or of two that share a register.

    each: elements of a word.  step: words of a unit.  lanes, units: the places of lanes, and of
    registers that are not in the same unit as another.
    """

    each: int
    step: int
    lanes: tuple[Place, ...]
    units: frozenset[Place]


@lru_cache(maxsize=4096)
def plan_tensor_memory_access(
    registers: Encoding, memory: Encoding, shape: tuple[int, ...], bits: int
) -> TensorMemoryPlan:
    """Return how a tensor is loaded from a buffer, or stored to it.

    What memory repeats for each warp, every warp has for itself.

    Args: bits: of an element, at most 32.
    Raises: LayoutError: no instruction moves it as it lies.
    """
    bases = registers.linear(shape).invert_and_compose(memory.linear(shape)).bases
    images = {name: [_place(vector) for vector in vectors] for name, vectors in bases.items()}
    warps = images.get("warp", [])
    near = all(found in (wanted, _NOWHERE) for found, wanted in zip(warps, _WARPS, strict=False))
    if near and (held := _held(images, bits)) is not None:
        for one in _SHAPES:
            if _fits(one, held):
                return _moves(one, held, images)
    raise LayoutError(
        "no instruction moves a tensor of this layout to or from tensor memory",
        found=f"{registers} and {memory}, {'x'.join(map(str, shape))}",
        accepted=[one.name for one in _SHAPES],
    )


def _place(vector: Sequence[int]) -> Place:
    row, column = vector
    return row, column


def _held(images: dict[str, list[Place]], bits: int) -> _Held | None:
    """Return what a thread holds, None where a word is held by several."""
    each = _WORD // bits
    inside = [image for image in images["register"] if not image[0] and 0 < image[1] < each]
    outside = {image for image in images["register"] if any(image)} - set(inside)
    others = [*outside, *images["lane"], *images.get("warp", ())]
    filled = (1 << len(inside)) * bits
    half = each > 1 and filled <= _WORD // 2 and (0, each) in outside
    step = 2 if half else 1
    if half:
        others.remove((0, each))
    if any(column % (each * step) for _, column in others):
        return None

    def unit(image: Place) -> Place:
        return image[0], image[1] // (each * step)

    units = {unit(image) for image in outside if not half or image != (0, each)}
    return _Held(each, step, tuple(map(unit, images["lane"])), frozenset(units))


def _fits(one: _Shape, held: _Held) -> bool:
    """Tell whether a shape's lanes are the tensor's, and its registers among the tensor's."""
    lanes = all(
        not found[0] if wanted is None else found == wanted
        for found, wanted in zip(held.lanes, one.lanes, strict=True)
    )
    rows = {row for row, _ in held.units - set(one.registers)}
    single = all(not row or not column for row, column in held.units)
    left = {0} if one.name == "32x32b" else {0, 16}
    return lanes and single and set(one.registers) <= held.units and rows <= left


def _moves(one: _Shape, held: _Held, images: dict[str, list[Place]]) -> TensorMemoryPlan:
    """Return the instructions of a shape."""
    inside, repeats, most = list(one.registers), 1, one.most
    while (0, one.columns * repeats) in held.units and repeats < most:
        inside.append((0, one.columns * repeats))
        repeats *= 2
    words = _words(held, images["register"])
    nothing: tuple[int | None, ...] = (None,) * held.each
    moves = []
    for row, column in sorted(_sums(sorted(held.units - set(inside)))):
        places = [(row + down, column + along) for down, along in _sums(inside)]
        moves.append(
            TensorMemoryInstruction(
                row, column * held.step, tuple(words.get(place, nothing) for place in places)
            )
        )
    half = held.lanes[-1][1] * held.step if one.lanes[-1] is None else 0
    warps = tuple((row, column // held.each) for row, column in images.get("warp", [])[2:])
    return TensorMemoryPlan(one.name, repeats, half, held.step == 2, tuple(moves), warps)


def _sums(bases: Sequence[Place]) -> list[Place]:
    """Return the sums of all choices of bases, in the order of binary numbers."""
    found = [_NOWHERE]
    for row, column in bases:
        found += [(a + row, b + column) for a, b in found]
    return found


def _words(held: _Held, registers: Sequence[Place]) -> dict[Place, tuple[int | None, ...]]:
    """Return the registers in each unit, by their place in its register of 32 bits."""
    found: dict[Place, list[int | None]] = {}
    for register, (row, column) in enumerate(_xors(registers)):
        word, inside = divmod(column, held.each)
        unit, part = divmod(word, held.step)
        slots = found.setdefault((row, unit), [None] * held.each)
        at = inside + part * (held.each // held.step)
        if slots[at] is None:
            slots[at] = register
    return {place: tuple(slots) for place, slots in found.items()}


def _xors(bases: Sequence[Place]) -> list[Place]:
    found = [_NOWHERE]
    for row, column in bases:
        found += [(a ^ row, b ^ column) for a, b in found]
    return found
