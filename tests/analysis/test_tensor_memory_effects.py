"""Accesses to tensor memory, and which of them are a hazard."""

from __future__ import annotations

import pytest
from xdsl.dialects import test as test_dialect

from tests.analysis.memory_listings import listing, memory_of
from weft.analysis.tensor_memory import TensorMemoryRange
from weft.analysis.tensor_memory_effects import TensorMemoryAccess, tensor_memory_accesses
from weft.errors import CodegenError
from weft.layouts import BlockedEncoding

FIRST, SECOND = (BlockedEncoding((1, n), (32, 1), (4, 1), (1, 0)) for n in (1, 2))
HERE, THERE = TensorMemoryRange(0, 128, (0, 1)), TensorMemoryRange(128, 128, (0, 1))


def test_which_operations_read_and_write():
    text = "tmem_store d rows\ntmem_load d rows\nmma a b d\nwait m\ncommit m\nload a"
    program = listing(text)
    memory = memory_of(program.function)
    accesses = {
        line: [(access.writes, access.by_threads) for access in tensor_memory_accesses(op, memory)]
        for line, op in zip(program.lines, program.operations, strict=True)
        if op is not None
    }
    assert accesses == {
        "tmem_store d rows": [(True, True)],
        "tmem_load d rows": [(False, True)],
        "mma a b d": [(False, False), (True, False)],
        "wait m": [],
        "commit m": [],
        "load a": [],
    }
    (store,) = tensor_memory_accesses(program.operation("tmem_store d rows"), memory)
    assert store.range == HERE
    assert not store.by_more_warps


def test_an_allocation_writes_its_initial_value():
    program = listing("tmem_alloc d\ntmem_init d1\nuse d\nuse d1", alloc=False)
    memory = memory_of(program.function)
    first, second = program.operations[:2]
    assert first is not None
    assert second is not None
    assert not tensor_memory_accesses(first, memory)
    (write,) = tensor_memory_accesses(second, memory)
    assert (write.writes, write.by_threads) == (True, True)


def test_eight_warps_reach_the_same_rows():
    program = listing("tmem_store d rows8", warps=8)
    op = program.operations[0]
    assert op is not None
    (store,) = tensor_memory_accesses(op, memory_of(program.function))
    assert store.by_more_warps


def test_an_operation_without_effects_must_not_use_tensor_memory():
    program = listing("tmem_load d rows")
    memory = memory_of(program.function)
    op = program.operations[0]
    assert op is not None
    with pytest.raises(
        CodegenError, match=r"unknown effect of test\.op on tensor memory"
    ) as caught:
        tensor_memory_accesses(test_dialect.TestOp([op.operands[0]]), memory)
    assert "ttng.tmem_load" in str(caught.value)
    assert not tensor_memory_accesses(test_dialect.TestOp([op.results[0]]), memory)


@pytest.mark.parametrize(
    ("earlier", "later", "hazard"),
    [
        ((HERE, True, FIRST), (HERE, False), True),  # the MMA reads what threads wrote
        ((HERE, False, FIRST), (HERE, True), True),
        ((HERE, False, FIRST), (HERE, False), False),
        ((HERE, True, FIRST), (THERE, True), False),
        ((HERE, True, FIRST), (HERE, False, SECOND), False),  # each warp reads its own rows
        ((HERE, True, FIRST, True), (HERE, False, SECOND), True),
        ((HERE, True, FIRST), (HERE, False, SECOND, True), True),
        ((HERE, True, FIRST, True), (HERE, False, FIRST, True), False),
        ((HERE, False, FIRST, True), (HERE, False, SECOND, True), False),
    ],
)
def test_hazards(earlier, later, hazard):
    first, second = TensorMemoryAccess(*earlier), TensorMemoryAccess(*later)
    assert second.is_hazard_after(first) == hazard
