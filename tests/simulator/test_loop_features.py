"""Every way in which a chip overlaps the work of a loop: the machine code computes what numpy does.

Ping-pong schedules, warp pipelines and warp specialization with TDM have further tests, in
tests/passes/amd and tests/codegen/lowering/amd/test_warp_specialize.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.loop_features import FEATURES, arguments_for, compile_feature
from weft.compiler.machine_code import lower_ttgir
from weft.simulator import run_module

CELLS = [
    pytest.param(feature, chip, id=f"{name} {chip}")
    for name, feature in FEATURES.items()
    for chip in feature.chips
]


@pytest.mark.parametrize(("feature", "chip"), CELLS)
def test_machine_code(feature, chip):
    compiled = compile_feature(feature, chip)
    text = str(compiled.asm["ttgir"])
    assert [mark for mark in feature.marks if mark not in text] == []
    llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    for steps in (0, 1, 2, 5):
        arguments, result, expected = arguments_for(feature, steps)
        run_module(llvm, grid=(1,), arguments=arguments)
        np.testing.assert_allclose(result, expected, 1e-3, 1e-2)
