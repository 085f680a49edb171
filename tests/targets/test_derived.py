"""Derived chips: the facts of the base chip under another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import derived_targets, known_targets, target
from weft.targets.buffer_instructions import buffer_instructions
from weft.targets.derived import DerivedChip, read_derived
from weft.targets.float_conversions import float_conversions
from weft.targets.matrix_units import matrix_units
from weft.targets.registry import derive_chip
from weft.targets.schema import parse_toml
from weft.targets.tensor_cores import tensor_cores

OWN_FACTS = (
    *("arch", "description", "llvm_cpu", "llvm_features"),
    *("vector_registers", "vector_register_granularity"),
)
MATMUL = Path(__file__).parents[2] / "examples" / "matmul.py"
GOOD = """
[sources]
manual = "a manual"
[facts]
like = { value = "gfx1201", source = "manual" }
description = { value = "x", source = "manual" }
llvm_cpu = { value = "y", source = "manual" }
"""


def read(text: str) -> DerivedChip | None:
    return read_derived(parse_toml(text, "chip.toml"), "gfx1200")


def test_base_chips_are_not_derived():
    assert derived_targets()
    assert not set(derived_targets()) & set(known_targets())
    assert set(derived_targets().values()) <= set(known_targets())


@pytest.mark.parametrize(("name", "base"), derived_targets().items())
def test_facts_are_those_of_the_base_chip(name, base):
    chip, other = target(name), target(base)
    assert chip.name == name
    for fact in chip.__struct_fields__:
        if fact not in OWN_FACTS:
            assert getattr(chip, fact) == getattr(other, fact), fact
    assert float_conversions(name) == float_conversions(other.name)
    if chip.backend == "cuda":
        assert tensor_cores(name).families == tensor_cores(other.name).families
    else:
        assert matrix_units(str(chip.arch)).matrix == matrix_units(str(other.arch)).matrix
        assert buffer_instructions(name).atomics == buffer_instructions(other.name).atomics


def test_a_similar_number_is_unknown():
    with pytest.raises(UnknownTargetError, match="gfx1251") as caught:
        target("gfx1251")
    assert "hip:gfx1200" in caught.value.accepted


def test_features_are_optional():
    chip = read(GOOD + 'llvm_features = { value = "+ptx88", source = "manual" }\n')
    assert chip == DerivedChip("gfx1201", "x", "y", "+ptx88")
    assert read(GOOD) == DerivedChip("gfx1201", "x", "y")


def test_registers_are_optional():
    assert target("hip:gfx1102").vector_registers == 1024
    assert target("hip:gfx1101").vector_registers == target("hip:gfx1100").vector_registers == 1536


def test_a_chip_with_facts_of_all_kinds_is_not_derived():
    assert read(GOOD.replace("like =", "backend =")) is None


@pytest.mark.parametrize(
    ("old", "bad", "message"),
    [
        ("llvm_cpu =", "lds_bytes =", "unknown fact lds_bytes"),
        ("llvm_cpu =", "# llvm_cpu =", "fact llvm_cpu is missing"),
        ('"x", source = "manual"', '"x", source = "atlas"', "a source that is not listed"),
        ('"gfx1201"', "1201", "like must be a string"),
        ("[facts]", "[shared_memory]\n[facts]", "unknown table shared_memory"),
    ],
)
def test_refuses(old, bad, message):
    assert old in GOOD
    with pytest.raises(WeftError, match=message):
        read(GOOD.replace(old, bad))


@pytest.mark.parametrize("base", ["gfx1299", "gfx1103"])
def test_the_base_chip_must_have_facts_of_all_kinds(base):
    with pytest.raises(WeftError, match="like must name a chip that is not derived"):
        derive_chip("gfx1200", DerivedChip(base, "x", "y"))


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "base"), derived_targets().items())
def test_ttgir_of_triton_is_that_of_the_base_chip(name, base):
    pytest.importorskip("triton")
    from tests.oracle.client import triton

    with triton() as worker:
        ours, other = (
            worker.steps(MATMUL, 0, chip)[-1].after.replace(chip, "CHIP") for chip in (name, base)
        )
    assert ours == other
