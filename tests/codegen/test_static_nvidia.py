"""What NVIDIA's machine code of the examples is made of, as ptxas tells it."""

from __future__ import annotations

import pytest

import weft
from tests.examples.loading import EXAMPLES, load
from weft.codegen.ptxas import ptxas_for
from weft.runtime.files import cases
from weft.runtime.machine_code import cubin_of, lowered
from weft.targets import target

CHIPS = ("cuda:80", "cuda:90", "cuda:100")
LARGE = ("attention", "matmul_mxfp4", "matmul_fp8", "matmul_block_pointer")
COMPILES = [(each, chip) for each in EXAMPLES for chip in CHIPS if each not in LARGE] + [
    (each, "cuda:90") for each in LARGE
]


@pytest.mark.parametrize(("example", "chip"), COMPILES)
def test_every_example_assembles_and_spills_nothing(example, chip):
    if ptxas_for(target(chip).llvm_cpu) is None:
        pytest.skip(f"no ptxas that knows {target(chip).llvm_cpu} on this machine")
    case = cases(load(example))[0]
    compiled = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=chip,
        **case.options,
    )
    llvm = lowered(compiled.module("ttgir"), compiled.metadata.options)
    cubin = cubin_of(llvm)
    assert cubin.spilled == 0
    assert llvm.shared_bytes <= target(chip).lds_bytes
