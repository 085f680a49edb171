"""Allocation of tensor memory, and the part of a buffer that one block holds."""

from __future__ import annotations

import pytest

from tests.analysis.memory_listings import listing
from weft.analysis.tensor_memory import (
    TensorMemoryRange,
    columns_of,
    cta_shape,
    cta_type,
    is_folded,
    is_in_tensor_memory,
    tensor_memory,
)
from weft.errors import CodegenError
from weft.ir import types
from weft.ir.builtin import Attribute, NoneAttr
from weft.ir.ttg import MemDescType
from weft.ir.ttng import TensorMemoryAttr
from weft.layouts import TensorMemoryEncoding, TensorMemoryScalesEncoding


def ranges(text: str, available: int = 512) -> dict[str, tuple[int, int, tuple[int, ...]]]:
    """Allocate the buffers of a listing: (column, columns, halves) by name."""
    program = listing(text, alloc=False)
    memory = tensor_memory(program.function, available)
    result = {
        buffer.name_hint or "": (range_.column, range_.columns, range_.halves)
        for buffer, range_ in memory.ranges.items()
    }
    return result | {"all": (0, memory.columns, ())}


def test_buffers_that_are_live_together_have_separate_columns():
    text = "tmem_alloc d\ntmem_alloc d1\ntmem_load d rows\ntmem_load d1 rows"
    assert ranges(text) == {"d": (0, 128, (0, 1)), "d1": (128, 128, (0, 1)), "all": (0, 256, ())}
    text = "tmem_alloc d\ntmem_load d rows\ntmem_alloc d1\ntmem_load d1 rows"
    assert ranges(text) == {"d": (0, 128, (0, 1)), "d1": (0, 128, (0, 1)), "all": (0, 128, ())}


def test_half_of_the_rows_is_free_for_another_buffer():
    text = "tmem_alloc h\ntmem_alloc h1\nalloc a\n" + USES.format("h", "h1")
    assert ranges(text) == {"h": (0, 128, (0,)), "h1": (0, 128, (1,)), "all": (0, 128, ())}
    text = "tmem_alloc d\ntmem_alloc h\n" + USES.format("d", "h")
    assert ranges(text) == {"d": (0, 128, (0, 1)), "h": (128, 128, (0,)), "all": (0, 256, ())}


USES = "for {{\nuse {0}\nuse {1}\n}}"


def test_the_columns_are_a_power_of_two_and_at_most_those_of_the_chip():
    text = "tmem_alloc d\ntmem_alloc d1\ntmem_alloc d2\n" + USES.format("d", "d1") + "\nuse d2"
    assert ranges(text)["all"] == (0, 512, ())
    assert ranges(text, 384)["all"] == (0, 512, ())
    with pytest.raises(CodegenError, match="kernel needs more tensor memory") as caught:
        ranges(text, 383)
    assert "384 columns, of which" in str(caught.value)
    assert "takes 128" in str(caught.value)
    assert ranges("barrier")["all"] == (0, 0, ())


def test_operands_of_an_mma_are_in_the_same_half():
    """%h1 would be in the other half of the rows, but the MMA reads it from those of %h."""
    text = "tmem_alloc h\ntmem_alloc h1\ntmem_alloc h2\n" + USES.format("h", "h1") + "\nuse h2"
    assert ranges(text)["h1"] == (0, 128, (1,))
    tied = text + "\nmma_tensor h1 h"
    assert ranges(tied)["h1"] == (128, 128, (0,))
    assert ranges(tied)["h"] == (0, 128, (0,))
    assert ranges(tied)["h2"] == (0, 128, (1,))
    chain = text + "\nmma_tensor h1 h\nmma_tensor h2 h1"
    assert {range_[2] for name, range_ in ranges(chain).items() if name != "all"} == {(0,)}


@pytest.mark.parametrize(
    ("a", "b", "overlap"),
    [
        ((0, 32, (0, 1)), (32, 32, (0, 1)), False),
        ((0, 33, (0, 1)), (32, 32, (0, 1)), True),
        ((0, 32, (0,)), (0, 32, (1,)), False),
        ((0, 32, (0, 1)), (31, 1, (1,)), True),
    ],
)
def test_ranges_overlap(a, b, overlap):
    first, second = TensorMemoryRange(*a), TensorMemoryRange(*b)
    assert first.overlaps(second) == second.overlaps(first) == overlap


def test_addresses_have_the_row_in_their_upper_half():
    assert TensorMemoryRange(5, 1, (0, 1)).address == 5
    assert TensorMemoryRange(5, 1, (1,)).address == 16 << 16 | 5


def descriptor(shape, encoding, element: Attribute = types.f32) -> MemDescType:
    return MemDescType.of(shape, element, encoding, TensorMemoryAttr(), mutable=True)


def test_columns():
    whole = TensorMemoryEncoding(128, 64, 1)
    assert columns_of(descriptor((128, 64), whole)) == (64, False)
    assert columns_of(descriptor((128, 128), whole)) == (128, False)
    assert columns_of(descriptor((256, 64), whole)) == (128, False)
    assert columns_of(descriptor((128, 64), whole, types.f16)) == (32, False)
    half = TensorMemoryEncoding(64, 64, 1)
    assert columns_of(descriptor((64, 64), half)) == (64, True)
    assert columns_of(descriptor((128, 1), TensorMemoryEncoding(128, 1, 1), types.i8)) == (1, False)


def test_a_buffer_needs_a_layout():
    type_ = descriptor((128, 64), TensorMemoryEncoding(128, 64, 1))
    parts = type_.dims, type_.element_type, NoneAttr(), type_.memory_space
    bare = MemDescType.new([*parts, type_.mutable, type_.allocation])
    assert cta_type(bare) is bare
    assert cta_shape(bare) == (128, 64)
    with pytest.raises(CodegenError, match="the buffer has no layout"):
        columns_of(bare)


def test_shape_of_one_cta():
    split = TensorMemoryEncoding(128, 64, 1, 2, 1)
    type_ = descriptor((2, 256, 64), split)
    assert cta_shape(type_) == (128, 64)
    assert cta_type(type_) == descriptor((2, 128, 64), TensorMemoryEncoding(128, 64, 1))
    assert columns_of(type_) == (64, False)
    columns = descriptor((128, 256), TensorMemoryEncoding(128, 64, 1, 1, 2))
    assert cta_shape(columns) == (128, 128)
    whole = descriptor((128, 64), TensorMemoryEncoding(128, 64, 1))
    assert cta_type(whole) is whole
    assert cta_shape(whole) == (128, 64)
    scales = descriptor((256, 4), TensorMemoryScalesEncoding(2, 1), types.i8)
    assert cta_type(scales) == descriptor((128, 4), TensorMemoryScalesEncoding(), types.i8)


def test_two_ctas_with_64_rows_each_are_folded():
    folded = TensorMemoryEncoding(64, 64, 1, 2, 1, True)
    type_ = descriptor((128, 64), folded)
    assert is_folded(type_)
    assert cta_type(type_) is type_
    assert columns_of(type_)[0] == 32
    assert not is_folded(descriptor((256, 64), TensorMemoryEncoding(128, 64, 1, 2, 1, True)))
    assert not is_folded(descriptor((128, 64), TensorMemoryEncoding(64, 64, 1, 2, 1, False)))
    assert not is_folded(descriptor((64, 64), TensorMemoryEncoding(64, 64, 1, 1, 1, True)))
    with pytest.raises(CodegenError, match="a pair of blocks that hold 64 rows each has one tile"):
        is_folded(descriptor((128, 128), folded))


def test_values_in_tensor_memory():
    program = listing("tmem_alloc d\nalloc a\nload a\ntmem_load d rows", alloc=False)
    operands = [program.operation(line).operands[0] for line in ("load a", "tmem_load d rows")]
    assert [is_in_tensor_memory(value) for value in operands] == [False, True]
    memory = tensor_memory(program.function, 512)
    assert not memory.two_ctas
    assert memory.ranges_of(operands) == {TensorMemoryRange(0, 128, (0, 1))}
