"""Derived chips: the TTGIR of the base chip, machine code for the chip itself."""

from __future__ import annotations

import pytest

import weft
from tests.examples.loading import load
from weft.codegen import lower
from weft.ir.text import print_module
from weft.kernel.compiled_kernel import CompiledKernel
from weft.targets import derived_targets, target


def compiled(chip: str) -> CompiledKernel:
    kernel, signature, constexprs, options, *_ = load("matmul").CASES[0]
    return weft.compile(kernel, signature=signature, constexprs=constexprs, target=chip, **options)


@pytest.mark.parametrize("name", derived_targets())
def test_machine_code_for_the_derived_chip(name, machine):
    texts = []
    for chip in (name, derived_targets()[name]):
        artifact = compiled(chip)
        texts.append(print_module(artifact.module("ttgir")).replace(chip, "CHIP"))
        text = machine.emit(lower(artifact.module("ttgir")), "assembly").decode()
        assert target(chip).llvm_cpu in text
    assert texts[0] == texts[1]
