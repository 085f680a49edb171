"""Instruction counts in the AMDGCN assembly of the examples: regression tests."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import weft
from tests.examples.loading import load
from weft.codegen import Machine, lower
from weft.codegen.llvm.writer import Writer
from weft.kernel.files import load_cases


def words(machine: Machine, example: str, chip: str) -> Counter[str]:
    """Count each instruction of the assembly of an example's case 0."""
    case = load_cases(load(example))[0]
    compiled = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=f"hip:{chip}",
        **case.options,
    )
    text = machine.emit(lower(compiled.module("ttgir")), "assembly").decode()
    assert int(re.findall(r"\.private_segment_fixed_size:\s+(\d+)", text)[-1]) == 0
    return Counter(re.findall(r"^\s+([a-z]\w+)", text, re.MULTILINE))


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
def test_accumulators_stay_in_vgprs(chip, machine):
    actual = words(machine, "matmul", chip)
    assert any(word.startswith("v_mfma") for word in actual)
    assert not [word for word in actual if word.startswith("v_accvgpr")]


def test_adjacent_lds_accesses_are_merged(machine):
    actual = words(machine, "matmul", "gfx942")
    assert actual["ds_write_b64"] == 0
    assert actual["ds_write2st64_b64"] == 4, "before the loop and in it"


@pytest.mark.parametrize("chip", ["gfx1100", "gfx1201"])
def test_barriers_do_not_invalidate_caches(chip, machine):
    actual = words(machine, "softmax", chip)
    assert not [word for word in actual if word.endswith("_inv")]


@pytest.mark.parametrize("chip", ["gfx90a", "gfx1100", "gfx1201"])
def test_uniform_loads_after_barriers_are_scalar(chip, machine):
    """The label of cross entropy and its logit are loaded after the row's maximum."""
    actual = words(machine, "cross_entropy", chip)
    by_vectors = sum(count for word, count in actual.items() if word.startswith("global_load"))
    assert by_vectors == (1 if chip == "gfx90a" else 2)
    assert sum(count for word, count in actual.items() if word.startswith("s_load")) >= 4


def test_arguments_are_preloaded_in_sgprs(machine):
    case = load_cases(load("vector_add"))[0]
    compiled = weft.compile(
        case.kernel, signature=case.signature, constexprs=case.constexprs, target="hip:gfx942"
    )
    text = machine.emit(lower(compiled.module("ttgir")), "assembly").decode()
    assert int(re.findall(r"kernarg_preload_length (\d+)", text)[0]) > 0


def test_pure_values_are_reused_within_a_basic_block():
    writer = Writer()
    first = writer.value("add i32 %a, 1")
    assert writer.value("add i32 %a, 1") == first
    loaded = writer.value("load i32, ptr %p")
    assert writer.value("load i32, ptr %p") != loaded
    writer.start("next")
    assert writer.value("add i32 %a, 1") != first


def test_permlane_swaps_need_no_select(machine):
    actual = words(machine, "matmul", "gfx950")
    assert actual["v_permlane32_swap_b32_e32"] == 8  # two halves of 16 bits in each


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
def test_packed_float_multiplication(chip, machine):
    actual = words(machine, "attention", chip)
    assert actual["v_pk_mul_f32"] > 0


def test_warp_uniform_values_are_scalar(machine):
    actual = words(machine, "matmul", "gfx942")
    assert actual["v_readfirstlane_b32"] > 2  # two are of the quotients of program ids
