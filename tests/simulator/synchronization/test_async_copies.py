"""Asynchronous copies: what they access, and to whom their results are visible."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator.synchronization.async_copies import AsyncCopies

PLACES = np.arange(4)[None]
BOTH = np.array([0, 1])


def test_an_unfinished_write():
    copies = AsyncCopies.of(8)
    copies.begin_write(PLACES)
    with pytest.raises(CodegenError, match="an unfinished asynchronous copy writes"):
        copies.check_access(PLACES, BOTH)
    with pytest.raises(CodegenError, match="reads shared memory that an unfinished one writes"):
        copies.check_copy_read(PLACES)
    with pytest.raises(CodegenError, match="writes shared memory that an unfinished one writes"):
        copies.check_copy_write(PLACES)
    copies.check_access(PLACES + 4, BOTH)
    copies.check_thread_write(PLACES)


def test_an_unfinished_read():
    copies = AsyncCopies.of(8)
    copies.begin_read(PLACES)
    copies.check_access(PLACES, BOTH)
    copies.check_copy_read(PLACES)
    with pytest.raises(CodegenError, match="an unfinished asynchronous copy reads"):
        copies.check_thread_write(PLACES)
    with pytest.raises(CodegenError, match="writes shared memory that an unfinished one reads"):
        copies.check_copy_write(PLACES)
    copies.end_read(PLACES)
    copies.check_thread_write(PLACES)


def test_a_complete_copy_is_visible_to_threads_that_waited():
    copies = AsyncCopies.of(8)
    copies.begin_write(PLACES)
    visible = copies.end_write(PLACES, 3)
    assert visible.tolist() == [False] * 3
    visible[0] = True
    copies.check_access(PLACES, np.array([0]))
    with pytest.raises(CodegenError, match="did not wait for the copy"):
        copies.check_access(PLACES, np.array([1]))
    first_two = np.array([True, True, False])
    assert copies.visible_bytes(first_two).tolist() == [False] * 4 + [True] * 4
    copies.synchronize(first_two)
    assert visible.tolist() == [True, True, False]
    assert copies.visible_bytes(first_two).all()
    with pytest.raises(CodegenError, match="did not wait for the copy"):
        copies.check_access(PLACES, np.array([0, 2]))
    copies.synchronize_all()
    copies.check_access(PLACES, np.array([2]))


def test_bytes_that_cp_async_overwrites_are_of_no_copy():
    copies = AsyncCopies.of(8)
    copies.end_write(PLACES, 2)
    copies.forget(PLACES)
    copies.check_access(PLACES, BOTH)
