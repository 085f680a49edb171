"""Execute plans of tcgen05.ld and tcgen05.st on the data movement shapes of PTX ISA 9.0."""

from __future__ import annotations

import itertools

import pytest

from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, Encoding, LinearEncoding, TensorMemoryEncoding
from weft.layouts.plans.tensor_memory import TensorMemoryPlan, plan_tensor_memory_access

# (row, column) in words of each lane bit and of each register bit of the smallest form, and the
# columns of that form.
SHAPES = {
    "32x32b": ([(1, 0), (2, 0), (4, 0), (8, 0), (16, 0)], [], 1),
    "16x32bx2": ([(1, 0), (2, 0), (4, 0), (8, 0)], [], 1),
    "16x64b": ([(8, 0), (0, 1), (1, 0), (2, 0), (4, 0)], [], 2),
    "16x128b": ([(0, 1), (0, 2), (1, 0), (2, 0), (4, 0)], [(8, 0)], 4),
    "16x256b": ([(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)], [(0, 1), (8, 0)], 8),
}
WARPS = ((32, 0), (64, 0))
ROWS = ((1, 0), (2, 0), (4, 0), (8, 0))


def memory(stride: int = 1, columns: int = 64) -> TensorMemoryEncoding:
    return TensorMemoryEncoding.from_fields({"blockM": 128, "blockN": columns, "colStride": stride})


def columns(*steps: int) -> tuple[tuple[int, int], ...]:
    return tuple((0, step) for step in steps)


BY_ROW = LinearEncoding(columns(1, 2, 4, 8, 16, 32), (*ROWS, (16, 0)), WARPS, ())
HALVES = LinearEncoding((*columns(1, 2, 4, 8, 16), (16, 0)), (*ROWS, (0, 32)), WARPS, ())
PAIRS = LinearEncoding(
    (*columns(2, 4, 8, 16, 32), (16, 0)), ((8, 0), (0, 1), (1, 0), (2, 0), (4, 0)), WARPS, ()
)
QUADS = LinearEncoding(
    ((8, 0), *columns(4, 8, 16, 32), (16, 0)), ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0)), WARPS, ()
)
OCTETS = LinearEncoding(
    ((0, 1), (8, 0), *columns(8, 16, 32), (16, 0)),
    ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0)),
    WARPS,
    (),
)
REPEATED = LinearEncoding((*columns(1, 2, 4, 8, 16, 32), (0, 0)), (*ROWS, (16, 0)), WARPS, ())
MANY_WARPS = LinearEncoding(columns(1, 2, 4, 8), (*ROWS, (16, 0)), (*WARPS, (0, 16), (0, 32)), ())


def total(number: int, places: list[tuple[int, int]]) -> tuple[int, int]:
    chosen = [place for bit, place in enumerate(places) if number >> bit & 1]
    return sum(row for row, _ in chosen), sum(column for _, column in chosen)


def check(plan: TensorMemoryPlan, registers: Encoding, buffer: Encoding, bits: int) -> None:
    """Check that each register of the first warp gets its element, and each of them once."""
    shape = (128, 64)
    tensor, stored = registers.linear(shape), buffer.linear(shape)
    lanes, smallest, width = SHAPES[plan.shape]
    lanes = lanes if plan.shape != "16x32bx2" else [*lanes, (0, plan.half_offset)]
    repeats = [(0, width << bit) for bit in range(plan.repeats.bit_length() - 1)]
    elements = 32 // bits
    words = 2 if plan.packs_columns else 1  # that share a register
    moved: list[int] = []
    for instruction in plan.instructions:
        assert len(instruction.words) == 1 << len([*smallest, *repeats])
        for (number, parts), lane in itertools.product(enumerate(instruction.words), range(32)):
            down, along = total(number, [*smallest, *repeats])
            lane_row, lane_column = total(lane, lanes)
            if plan.shape == "16x32bx2" and lane >= 16:
                lane_column = lane_column - plan.half_offset + plan.half_offset // words
            row = instruction.row + down + lane_row
            word = instruction.column + (along + lane_column) * words
            for part, register in enumerate(parts):
                if register is None:
                    continue
                share, element = divmod(part, elements // words)
                column = (word + share) * elements + element
                place = {"row": row, "col": column}
                element_of_register = tensor.apply(
                    {"register": register, "lane": lane, "warp": 0, "block": 0}
                )
                assert stored.apply(place) == element_of_register
                if lane == 0:
                    moved.append(register)
    distinct = tensor.in_size("register") >> tensor.bases["register"].count([0, 0])
    assert len(moved) == len(set(moved)) == distinct


@pytest.mark.parametrize(
    ("registers", "stride", "bits", "shape", "repeats", "instructions"),
    [
        (BY_ROW, 1, 32, "32x32b", 64, 1),
        (BY_ROW, 1, 16, "32x32b", 32, 1),
        (BY_ROW, 2, 16, "32x32b", 32, 1),
        (REPEATED, 1, 32, "32x32b", 64, 1),
        (MANY_WARPS, 1, 32, "32x32b", 16, 1),
        (HALVES, 1, 32, "16x32bx2", 32, 2),
        (PAIRS, 1, 32, "16x64b", 32, 2),
        (QUADS, 1, 32, "16x128b", 16, 2),
        (OCTETS, 1, 32, "16x256b", 8, 2),
    ],
)
def test_every_register_gets_its_element(
    registers: Encoding, stride: int, bits: int, shape: str, repeats: int, instructions: int
) -> None:
    plan = plan_tensor_memory_access(registers, memory(stride), (128, 64), bits)
    assert (plan.shape, plan.repeats, len(plan.instructions)) == (shape, repeats, instructions)
    assert plan.packs_columns == (stride == 2)
    check(plan, registers, memory(stride), bits)


def test_further_warps_start_at_other_columns() -> None:
    plan = plan_tensor_memory_access(MANY_WARPS, memory(), (128, 64), 32)
    assert plan.warps == ((0, 16), (0, 32))
    assert plan_tensor_memory_access(BY_ROW, memory(), (128, 64), 32).warps == ()


@pytest.mark.parametrize(
    "registers",
    [
        BlockedEncoding((1, 8), (4, 8), (4, 1), (1, 0)),
        LinearEncoding(columns(1, 2, 4, 8, 16, 32), (*ROWS, (16, 0)), WARPS[::-1], ()),
        LinearEncoding(columns(1, 2, 4, 8, 16, 32), (*ROWS, (16, 1)), WARPS, ()),
    ],
)
def test_layouts_that_no_instruction_moves(registers: Encoding) -> None:
    with pytest.raises(LayoutError, match="no instruction moves a tensor of this layout") as error:
        plan_tensor_memory_access(registers, memory(), (128, 64), 32)
    assert "16x256b" in str(error.value)


def test_elements_of_64_bits() -> None:
    registers = BlockedEncoding((1, 64), (32, 1), (4, 1), (0, 1))
    with pytest.raises(LayoutError, match="elements of at most 32 bits"):
        plan_tensor_memory_access(registers, TensorMemoryEncoding(128, 64, 1), (128, 64), 64)
