"""Barriers stand where the simulator would see a race without them."""

from __future__ import annotations

import pytest

import weft
from tests.codegen.comparing import require_same
from weft.analysis.hazards import Barriers
from weft.errors import CodegenError


def softmax(chip: str):
    """Compile softmax, whose two reductions use the same scratch memory."""
    from examples.softmax import softmax_row

    return weft.compile(
        softmax_row, signature="*fp32:16, *fp32:16, i32:16, i32:16, i32:16, 1024", target=chip
    )


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_two_reductions_share_memory_behind_a_barrier(chip):
    report = require_same(softmax(chip))
    assert report.barriers == 3 * 6  # one inside each reduction, one between them; six programs


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_without_the_barrier_between_them_there_is_a_race(chip, monkeypatch):
    monkeypatch.setattr("weft.codegen.kernel.barriers", lambda *_: Barriers(frozenset()))
    with pytest.raises(CodegenError, match=r"of shared memory that .*, with no barrier between"):
        require_same(softmax(chip))
