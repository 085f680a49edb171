"""Declared causes of differences: which rows they explain, and what is no cause."""

from __future__ import annotations

import pytest

from benchmarks.causes import Difference, because, read_causes
from benchmarks.static_amd import compared, counted, declared
from weft.errors import WeftError

KNOWN = frozenset({"barrier", "branch"})
GOOD = """
[[causes]]
what = ["barrier"]
sign = "-"
kernels = "matmul"
chips = "gfx9"
because = "first"
[[causes]]
what = ["barrier", "branch"]
sign = "both"
because = "second"
"""


@pytest.mark.parametrize(
    ("what", "sign", "kernel", "chip", "cause"),
    [
        ("barrier", "-", "matmul 0", "gfx942", "first"),
        ("barrier", "+", "matmul 0", "gfx942", "inferred: second"),
        ("barrier", "-", "softmax 0", "gfx942", "inferred: second"),
        ("barrier", "-", "matmul 0", "gfx1100", "inferred: second"),
        ("vgprs", "-", "matmul 0", "gfx942", ""),
    ],
)
def test_the_first_cause_that_fits_is_given(what, sign, kernel, chip, cause):
    assert because(read_causes(GOOD, KNOWN), Difference(what, sign, kernel, chip)) == cause


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('sign = "-"', 'sign = "less"', "cause 1: no sign"),
        ('because = "second"', 'why = "second"', "cause 2 is no cause"),
        ('["barrier", "branch"]', '["barrier", "mfma"]', "cause 2: not counted"),
    ],
)
def test_what_is_no_cause_is_refused(old, new, message):
    with pytest.raises(WeftError, match=message):
        read_causes(GOOD.replace(old, new), KNOWN)


def test_declared_causes_can_be_read():
    assert declared()


def test_halves_that_are_stored_from_either_half_of_a_register_count():
    text = "\tglobal_store_b16 v0, v1, off\n\tglobal_store_d16_hi_b16 v0, v1, off\n"
    assert counted(text)["global store less"] == 2


def test_rows_without_a_cause_are_counted(monkeypatch):
    ours, theirs = "\ts_barrier\n\tv_mfma_x a\n", "\tv_mfma_x a\n\tv_mfma_x a\n\ts_barrier\n"
    monkeypatch.setattr("benchmarks.static_amd.kernels", lambda chip, only: [("k 0", "", ours)])
    monkeypatch.setattr("benchmarks.static_amd.by_triton", lambda text, chip: theirs)
    table, differ, unexplained = compared("gfx942", "", different=True, causes=())
    assert (table.row_count, differ, unexplained) == (2, 2, 2)
    _, differ, unexplained = compared("gfx942", "", different=True, causes=declared())
    assert (differ, unexplained) == (2, 1)
