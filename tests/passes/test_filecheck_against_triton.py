"""The modules of the FileCheck tests: the IR is that of Triton's pass of the same name."""

from __future__ import annotations

import re

import pytest

from tests.passes.test_filecheck import FILES, RUN
from tests.passes.triton_passes import is_known
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

pytestmark = pytest.mark.oracle
pytest.importorskip("triton")

# Passes whose IR differs from that of Triton 3.7.1.
EXCLUDED = (
    "convert-triton-to-tritongpu",  # compared in ttir/test_convert_triton_to_tritongpu.py
    "triton-licm",  # Triton compares the bounds of an unsigned loop as signed numbers
    "triton-nvidia-gpu-plan-cta",  # compared in nvidia/test_plan_cta_against_triton.py
    # Triton leaves an unrealized cast where the rank changes.
    "triton-rewrite-tensor-descriptor-to-pointer",
)

# Functions of modules whose IR differs on purpose, and the page under docs/decisions.
DECIDED_OTHERWISE = {
    "@between": "017: warp pipelines with other operations",
    "@fnuz": "027: FNUZ floats on NVIDIA",
    "@read_in_loop": "010: a partial sum that the loop reads",
    "@scaled_twice": "016: scaled dots without scaled MFMA",
}


def _modules() -> list[tuple[str, str, str]]:
    """List (name, pass, text) of every module of every file."""
    modules = []
    for file in FILES:
        text = file.read_text()
        run = RUN.match(text.splitlines()[0])
        if run is None or run["unregistered"]:
            continue  # the context of the wheel refuses unregistered operations
        if run[1].partition("{")[0] in EXCLUDED or not is_known(run[1]):
            continue
        parts = re.split(r"^// -----$", text, flags=re.MULTILINE)
        modules += [
            (f"{file.parent.name}-{file.stem}-{n}", run[1], part)
            for n, part in enumerate(parts)
            if "#ttg.partitioned_shared" not in part  # newer than Triton 3.7.1
        ]
    return modules


MODULES = _modules()


@pytest.mark.parametrize(("name", "pass_name", "text"), MODULES, ids=[m[0] for m in MODULES])
def test_module_is_tritons(name, pass_name, text):
    from tests.passes.triton_passes import triton_after

    module = parse_module(text)
    run_pipeline(parse_pipeline(pass_name), module, verify=True)
    expected = triton_after(text, pass_name)
    if any(f"{function}(" in text for function in DECIDED_OTHERWISE):
        assert print_module(module) != expected
    else:
        assert print_module(module) == expected
