"""Tensor memory: allocation, and races between warps."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator.matrix.tensor_memory_state import TensorMemory

WORD = np.array([0]), np.array([0])


def allocated() -> TensorMemory:
    memory = TensorMemory()
    memory.allocated[:] = True
    return memory


def test_an_access_to_columns_that_are_not_allocated():
    with pytest.raises(CodegenError, match="that the block has not allocated"):
        TensorMemory().read(*WORD)


def test_accesses_of_two_warps():
    memory = allocated()
    memory.access(*WORD, np.array([0]), writes=True)
    with pytest.raises(CodegenError, match="warps access the same words of tensor memory"):
        memory.access(*WORD, np.array([1]), writes=False)
    with pytest.raises(CodegenError, match="tensor memory that other warps accessed"):
        memory.check_issue(*WORD, 1, writes=True)
    memory.barrier()
    memory.access(*WORD, np.array([1]), writes=False)


def test_different_cta_groups():
    memory = allocated()
    memory.cta_group = "1"
    with pytest.raises(CodegenError, match="must have the same cta_group"):
        memory.check_cta_group("2")
