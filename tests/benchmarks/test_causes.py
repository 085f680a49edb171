"""Declared causes of differences: which rows they explain, and what is no cause."""

from __future__ import annotations

import pytest

from benchmarks.amd_assembly import by_class, counted, warps
from benchmarks.causes import Difference, because, read_causes
from benchmarks.static_amd import compared, declared, why
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
        ('sign = "-"', 'sign = "less"', "cause 1: unknown sign"),
        ('because = "second"', 'why = "second"', "cause 2: unknown or missing keys"),
        ('["barrier", "branch"]', '["barrier", "mfma"]', "cause 2: unknown count"),
    ],
)
def test_invalid_causes(old, new, message):
    with pytest.raises(WeftError, match=message):
        read_causes(GOOD.replace(old, new), KNOWN)


def test_declared_causes_can_be_read():
    assert declared()


def test_halves_that_are_stored_from_either_half_of_a_register_count():
    text = "\tglobal_store_b16 v0, v1, off\n\tglobal_store_d16_hi_b16 v0, v1, off\n"
    assert counted(text)["global store 32"] == 2


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("ds_read2st64_b64", "lds load 128"),
        ("ds_load_2addr_stride64_b64", "lds load 128"),
        ("ds_load_2addr_b32", "lds load 64"),
        ("ds_store_2addr_b64", "lds store 128"),
        ("ds_store_2addr_stride64_b32", "lds store 64"),
        ("ds_load_u16_d16_hi", "lds load 32"),
        ("ds_load_tr16_b128", "lds load transposed"),
    ],
)
def test_accesses_to_shared_memory_count_by_their_width(word, kind):
    actual = counted(f"\t{word} v[0:3], v4\n")
    assert {name for name, count in actual.items() if count} == {kind, "instructions"}


def test_an_instruction_is_of_one_class():
    text = "\tv_pk_add_f32 a\n\tv_lshl_add_u64 a\n\ts_waitcnt a\n\tv_add_f32_dpp a\n\ts_add_i32 a\n"
    names = ("floats", "integers", "waits", "cross-lane", "scalars")
    assert by_class(text) == dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    ("chip", "kind", "count", "fit"),
    [
        ("gfx942", "vgprs", 64, 8),
        ("gfx942", "vgprs", 73, 6),
        ("gfx90a", "sgprs", 106, 7),
        ("gfx908", "sgprs", 86, 9),
        ("gfx1100", "sgprs", 102, 16),
        ("gfx1100", "vgprs", 121, 10),
        ("gfx1201", "vgprs", 256, 5),
        ("gfx1250", "vgprs", 580, 1),
    ],
)
def test_how_many_warps_fit(chip, kind, count, fit):
    """As LLVM's "; Occupancy:" says it of such kernels."""
    assert warps(chip, {kind: count}) == fit


def test_registers_are_explained_by_the_warps_that_fit():
    def row(ours, theirs, sign):
        texts = (f"\t.vgpr_count: {count}\n" for count in (ours, theirs))
        return why((), Difference("vgprs", sign, "matmul 0", "gfx942"), *texts)

    assert row(98, 97, "+") == "4 warps fit, as of Triton's"
    assert row(64, 98, "-") == "8 warps fit, 4 of Triton's"
    assert row(98, 64, "+") == ""


def test_instructions_are_explained_by_the_class_that_makes_most_of_the_difference():
    ours, theirs = "\ts_nop 0\n", "\tv_or_b32 a\n" * 3 + "\ts_add_i32 a\n"
    causes = read_causes(GOOD.replace('["barrier"]', '["integers"]'), KNOWN | {"integers"})
    row = Difference("instructions", "-", "matmul 0", "gfx942")
    assert why(causes, row, ours, theirs) == "-3 integers (first), -1 scalars, +1 waits"
    assert why((), row, ours, theirs) == ""


def test_rows_without_a_cause_are_counted(monkeypatch):
    theirs = "\ts_barrier\n\tv_mfma_x a\n"
    ours = f"{theirs}\tv_mfma_x a\n\ts_nop 1\n\ts_nop 1\n"
    actual = [("attention 1", "", ours)]
    monkeypatch.setattr("benchmarks.static_amd.kernels", lambda chip, only: actual)
    monkeypatch.setattr("benchmarks.static_amd.by_triton", lambda text, chip: theirs)
    table, differ, unexplained = compared("gfx942", "", different=True, causes=())
    assert (table.row_count, differ, unexplained) == (2, 2, 2)
    text = '[[causes]]\nwhat = ["waits"]\nsign = "+"\nkernels = "attention 1"\nbecause = "b"\n'
    causes = read_causes(text, frozenset({"waits"}))
    _, differ, unexplained = compared("gfx942", "", different=True, causes=causes)
    assert (differ, unexplained) == (2, 1)
