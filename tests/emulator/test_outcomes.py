"""Examples and kernels of packages in an emulator of AMD GPUs that is not weft's.

Needs a copy of tinygrad's repository, which AMD_EMULATOR names, tinygrad itself, and clang; see
code_object.py. outcomes.toml has the outcome of each case on each chip, sample.toml those of more
kernels on one chip each; run_example.py lists what they may be. Every case is to be right; OTHERS
has the rest. Where that takes a correction of the emulator, Triton's code object of the same TTGIR
is to be right with it, too: Triton's authors ran theirs on hardware.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.emulator.code_object import VARIABLE
from tests.emulator.corrections.decoding import ARCHITECTURES
from tests.emulator.outcomes import CASES, SAMPLE, outcomes

OUTCOMES = tomllib.loads(Path(__file__).with_name("outcomes.toml").read_text())
TABLE = {chip: OUTCOMES[chip] | SAMPLE[chip] for chip in ARCHITECTURES}
RIGHT = re.compile(r"ok|ok, Triton's (bits|right), with .*")
_16 = "matrix_instr_nonkdim=16"
_LATE_READS = (
    "right if LDS reads are not late: a ping-pong schedule lets reads pass a barrier. "
    "Triton's object leaves the same bits"
)
# What is not right on a chip, with its cause.
OTHERS = {
    ("gfx90a", f"matmul_mxfp4 bf16 bfloat16 32 64 64 {_16}"): (
        "Triton does not compile it, weft's object is right"
    ),
    ("gfx942", f"kernel ping_pong 3 1 256 {_16}"): _LATE_READS,
    ("gfx950", f"kernel conversions 9 2 256 {_16}"): "the emulator lacks s_setreg_imm32_b32",
    ("gfx950", f"kernel memory 15 2 256 {_16}"): "the emulator lacks global_atomic_pk_add_f16",
    ("gfx90a", f"kernel loops 11 2 256 {_16}"): (
        "Triton's object needs s_setreg_imm32_b32, weft's is right"
    ),
    ("gfx1100", f"kernel dots 0 2 256 {_16}"): "Triton does not compile it, weft's object is right",
    (
        "gfx1100",
        f"kernel dots 17 2 256 {_16}",
    ): "Triton does not compile it, weft's object is right",
    ("gfx1100", f"kernel loops 2 2 256 {_16}"): "Triton's object needs v_nop, weft's is right",
    ("gfx1100", f"kernel shapes 14 2 256 {_16}"): (
        "one of 256 numbers, which probably depends on the last bit of a rounded float; Triton's "
        "object was not compared"
    ),
    ("gfx90a", f"kernel packages_attention 12 2 256 {_16}"): (
        "the emulator lacks scratch by buffer instructions"
    ),
}
needs_emulator = pytest.mark.skipif(
    VARIABLE not in os.environ, reason=f"{VARIABLE} names no emulator"
)


@cache
def results(chip: str) -> dict[str, str]:
    """Run all cases on a chip; five to fifteen minutes."""
    return dict(outcomes(chip, tuple(TABLE[chip])))


@pytest.mark.slow
@needs_emulator
@pytest.mark.parametrize(
    ("chip", "case"), [(chip, case) for chip in ARCHITECTURES for case in TABLE[chip]]
)
def test_outcome(chip: str, case: str):
    assert results(chip)[case] == TABLE[chip][case]


@pytest.mark.parametrize("chip", ARCHITECTURES)
def test_every_other_case_has_a_cause(chip: str):
    assert list(OUTCOMES[chip]) == list(CASES)
    others = {case for case, outcome in TABLE[chip].items() if not RIGHT.fullmatch(outcome)}
    assert others == {case for other, case in OTHERS if other == chip}
