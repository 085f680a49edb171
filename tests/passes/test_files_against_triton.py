"""Every module of the .mlir files of the folders here, through Triton's pass of that name."""

from __future__ import annotations

import re

import pytest

from tests.passes.test_files import FILES, RUN
from tests.passes.triton_passes import is_known
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

pytestmark = pytest.mark.oracle
pytest.importorskip("triton")

# The conversion takes options, and has a comparison of its own. What ours does better: Triton's
# hoisting compares an unsigned loop's bounds as signed numbers, and its rewriting of descriptors
# leaves an unrealized cast where the rank changes. Its plan for clusters takes no tensor from a
# function's arguments, and changes layouts on the way where ours leaves conversions to be taken
# away: nvidia/test_shares_against_triton.py compares which block has what.
LEFT_OUT = (
    "convert-triton-to-tritongpu",
    "triton-licm",
    "triton-nvidia-gpu-plan-cta",
    "triton-rewrite-tensor-descriptor-to-pointer",
)


def _modules() -> list[tuple[str, str, str]]:
    """Return (name, pass, text) of every module of every file."""
    found = []
    for file in FILES:
        text = file.read_text()
        run = RUN.match(text.splitlines()[0])
        if run is None or run[1].partition("{")[0] in LEFT_OUT or not is_known(run[1]):
            continue
        parts = re.split(r"^// -----$", text, flags=re.MULTILINE)
        found += [
            (f"{file.parent.name}-{file.stem}-{n}", run[1], part) for n, part in enumerate(parts)
        ]
    return found


MODULES = _modules()


@pytest.mark.parametrize(("name", "pass_name", "text"), MODULES, ids=[m[0] for m in MODULES])
def test_module_is_tritons(name, pass_name, text):
    from tests.passes.triton_passes import triton_after

    module = parse_module(text)
    run_pipeline(parse_pipeline(pass_name), module, verify=True)
    assert print_module(module) == triton_after(text, pass_name)
