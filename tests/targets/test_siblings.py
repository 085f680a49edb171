"""Chips that are like another: its facts under their own names."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import alike, known, target
from weft.targets.buffers import buffer_instructions
from weft.targets.conversions import float_conversions
from weft.targets.files import chips_in
from weft.targets.matrix import matrix_units
from weft.targets.siblings import read_siblings, sibling, siblings
from weft.targets.tensor_cores import tensor_cores

OWN = ("arch", "description", "llvm_cpu", "llvm_features")
MATMUL = Path(__file__).parents[2] / "examples" / "matmul.py"
GOOD = """
[sources]
manual = "a manual"
[rows]
siblings = [
    { name = "gfx1200", like = "gfx1201", description = "x", llvm_cpu = "y", source = "manual" },
]
"""


def like(name: str) -> str:
    """Return the full name of the chip that one is like."""
    row = sibling(name.removeprefix("hip:").replace("cuda:", "sm_"))
    assert row is not None
    return target(row.like).name


def test_none_has_files_of_its_own():
    assert len(alike()) == len(siblings()) > 0
    assert not set(alike()) & set(known())
    assert {row.like for row in siblings()} <= set(chips_in("chips"))
    assert sibling("gfx1201") is None


@pytest.mark.parametrize("name", alike())
def test_facts_are_those_of_the_other_chip(name):
    chip, other = target(name), target(like(name))
    assert chip.name == name
    for field in fields(chip):
        if field.name not in OWN:
            assert getattr(chip, field.name) == getattr(other, field.name), field.name
    assert float_conversions(name) == float_conversions(other.name)
    if chip.backend == "cuda":
        assert tensor_cores(name).families == tensor_cores(other.name).families
    else:
        assert matrix_units(str(chip.arch)).matrix == matrix_units(str(other.arch)).matrix
        assert buffer_instructions(name).atomics == buffer_instructions(other.name).atomics


def test_a_chip_that_only_looks_alike_is_unknown():
    with pytest.raises(UnknownTargetError, match="gfx1251") as caught:
        target("gfx1251")
    assert "hip:gfx1200" in caught.value.accepted


@pytest.mark.parametrize(
    ("old", "bad", "message"),
    [
        ("like =", "as =", "as"),
        ('"manual" }', '"atlas" }', "atlas"),
        ('like = "gfx1201"', "like = 1201", "must be a string"),
        ("siblings = [", "brothers = [", "brothers"),
    ],
)
def test_rows_are_read_strictly(old, bad, message):
    assert read_siblings(GOOD)[0].like == "gfx1201"
    with pytest.raises(WeftError, match=message):
        read_siblings(GOOD.replace(old, bad))


@pytest.mark.oracle
@pytest.mark.parametrize("name", alike())
def test_triton_makes_the_same_of_both(name):
    pytest.importorskip("triton")
    from tests.oracle.client import triton

    with triton() as worker:
        ours, other = (
            worker.steps(MATMUL, 0, chip)[-1].after.replace(chip, "CHIP")
            for chip in (name, like(name))
        )
    assert ours == other
