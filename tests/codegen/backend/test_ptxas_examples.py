"""Every example assembles with ptxas and spills no more bytes than with Triton."""

from __future__ import annotations

import pytest

import weft
from tests.examples.loading import EXAMPLES, load
from weft.codegen.backend.ptxas import ptxas_for
from weft.compiler.machine_code import assemble_cubin, lower_ttgir
from weft.kernel.files import load_cases
from weft.targets import target

CHIPS = ("cuda:80", "cuda:90", "cuda:100")
COMPILES = [(each, chip) for each in EXAMPLES for chip in CHIPS]
SAMPLE = [(each, CHIPS[number % 3]) for number, each in enumerate(EXAMPLES)]
OTHERS = [one for one in COMPILES if one not in SAMPLE]
MAY_SPILL = {("attention", "cuda:80"): 96}
"""Bytes that Triton 3.7.1's PTX of the example spills by the same ptxas; of others, none."""


def require_assembling(example: str, chip: str) -> None:
    """Require that an example assembles, and spills no more than Triton's PTX does."""
    if ptxas_for(target(chip).llvm_cpu) is None:
        pytest.skip(f"no ptxas that knows {target(chip).llvm_cpu} on this machine")
    case = load_cases(load(example))[0]
    compiled = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=chip,
        **case.options,
    )
    llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    assert assemble_cubin(llvm).spilled <= MAY_SPILL.get((example, chip), 0)
    assert llvm.shared_bytes <= target(chip).lds_bytes


@pytest.mark.parametrize(("example", "chip"), SAMPLE)
def test_examples_spill_no_more_than_triton(example, chip):
    require_assembling(example, chip)


@pytest.mark.oracle
@pytest.mark.parametrize(("example", "chip"), OTHERS)
def test_examples_on_other_chips(example, chip):
    require_assembling(example, chip)
