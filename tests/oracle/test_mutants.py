"""The comparison of verifiers by mutation: the programs, and a sample of mutants."""

from __future__ import annotations

import re

import pytest

from tests.oracle.mutants.programs import programs
from tests.oracle.mutants.reasons import WEFT_REFUSES, WHEEL_REFUSES, Reason, reason
from tests.oracle.mutants.sampling import UNCHANGED, collect, sample
from tests.oracle.mutants.sources import dialect_modules
from tests.oracle.mutants.type_texts import (
    attribute_changes,
    encoding_changes,
    shaped,
    split_commas,
    type_changes,
)
from tests.oracle.mutants.verdicts import ask_weft, ask_wheel
from weft.ir.text import parse_module

BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>"
)
TENSOR = f"tensor<64x32xf16, {BLOCKED}>"
REDUCTION = """
tt.func @f(%a: tensor<64x32xf32>, %n: i32) {
  %0 = arith.addf %a, %a : tensor<64x32xf32>
  %1 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<64x32xf32>) -> tensor<64xf32>
  tt.return
}
"""


def test_a_program_has_the_operands_as_arguments_and_keeps_a_small_region():
    cut = {program.node.name: program for program in programs(parse_module(REDUCTION))}
    text = cut["tt.reduce"].text()
    assert '"tt.func"() <{function_type = (tensor<64x32xf32>) -> (), sym_name = "f"}>' in text
    assert text.count("arith.addf") == 1
    assert ask_weft(text).accepted


def test_a_type_splits_at_the_commas_outside_of_brackets():
    parts = shaped(TENSOR)
    assert parts is not None
    assert (parts.shape, parts.element, parts.parameters) == (("64", "32"), "f16", (BLOCKED,))
    assert parts.text == TENSOR
    assert split_commas("a<b, c>, [d, e], f") == ["a<b, c>", "[d, e]", "f"]
    assert shaped("!tt.ptr<f16>") is None


def test_changes_of_a_type_name_what_they_change():
    changes = dict.fromkeys(type_changes(TENSOR, ()))
    assert ("shape", TENSOR.replace("64x32", "128x32")) in changes
    assert ("element", TENSOR.replace("f16", "i1")) in changes
    assert ("encoding dropped", "tensor<64x32xf16>") in changes
    assert TENSOR not in {text for _, text in changes}


def test_changes_of_an_encoding_reach_every_field():
    kinds = {kind for kind, _ in encoding_changes(BLOCKED)}
    for field in ("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order"):
        assert f"encoding blocked {field}" in kinds
        assert f"encoding blocked {field} dropped" in kinds
    dropped = dict(encoding_changes(BLOCKED))["encoding blocked order dropped"]
    assert dropped == BLOCKED.replace(", order = [1, 0]", "")


def test_changes_of_an_attribute():
    assert ("value", "1 : i32") in set(attribute_changes("0 : i32"))
    assert ("list", "array<i32: 1>") in set(attribute_changes("array<i32: 1, 0>"))


def test_a_sample_depends_on_the_seed_alone():
    groups = collect(dialect_modules(), lambda name: name == "tt.trans")
    first, again, other = (
        [mutant.text for mutant in sample(groups, count=50, seed=seed, programs_per_op=2)]
        for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("each", WEFT_REFUSES, ids=lambda each: each.pattern)
def test_weft_refuses_the_example_of_a_reason(each: Reason):
    verdict = ask_weft(each.example)
    assert not verdict.accepted
    assert re.search(each.pattern, verdict.message), verdict.message


@pytest.mark.parametrize("each", WHEEL_REFUSES, ids=lambda each: each.pattern)
def test_weft_accepts_the_example_of_a_reason(each: Reason):
    assert ask_weft(each.example).accepted


@pytest.mark.oracle
def test_the_wheel_disagrees_about_the_example_of_each_reason():
    verdicts = ask_wheel([each.example for each in (*WEFT_REFUSES, *WHEEL_REFUSES)])
    outdated = [
        (each.pattern, verdict.message)
        for each, verdict in zip((*WEFT_REFUSES, *WHEEL_REFUSES), verdicts, strict=True)
        if verdict.accepted != (each in WEFT_REFUSES)
        or (not verdict.accepted and not re.search(each.pattern, verdict.message))
    ]
    assert not outdated


@pytest.mark.oracle
def test_both_sides_accept_the_programs_without_a_change():
    groups = collect(dialect_modules(), lambda name: not name.startswith(("llvm.", "rocdl.")))
    mutants = [
        mutant
        for mutant in sample(groups, count=1, seed=0, programs_per_op=1)
        if mutant.rule == UNCHANGED
    ]
    assert len(mutants) > 200
    refusals = [
        (mutant.op, weft.message, wheel.message)
        for mutant, wheel in zip(mutants, ask_wheel([m.text for m in mutants]), strict=True)
        for weft in [ask_weft(mutant.text)]
        if not (weft.accepted and wheel.accepted)
    ]
    assert not refusals


@pytest.mark.oracle
@pytest.mark.parametrize(
    "dialects",
    [("arith", "cf", "math", "scf", "tt", "ttg"), ("amdg", "gluon", "nvws", "ttng")],
    ids=["arith-to-ttg", "amdg-to-ttng"],
)
def test_both_sides_refuse_the_same_mutants(dialects: tuple[str, ...]):
    groups = collect(dialect_modules(), lambda name: name.partition(".")[0] in dialects)
    mutants = list(sample(groups, count=1, seed=0, programs_per_op=1))[::3]
    assert len(mutants) > 1000
    unexplained = [
        (mutant.op, mutant.rule, weft.message or wheel.message)
        for mutant, wheel in zip(mutants, ask_wheel([m.text for m in mutants]), strict=True)
        for weft in [ask_weft(mutant.text)]
        if weft.crashed
        or (
            weft.accepted != wheel.accepted
            and reason(weft.message or wheel.message, weft=wheel.accepted) is None
        )
    ]
    assert not unexplained
