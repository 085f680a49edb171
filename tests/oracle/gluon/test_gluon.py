"""Gluon kernels: our IR against Triton's."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import weft
from tests.oracle.compare import compare
from weft.compat.as_triton import as_triton

pytestmark = pytest.mark.oracle

FILE = Path(__file__).with_name("kernels.py")
ROOT = FILE.parents[3]


@cache
def kernels() -> ModuleType:
    """Execute the kernel file with weft in Triton's place."""
    module = ModuleType("tests.oracle.gluon.kernels_of_weft")
    module.__file__ = str(FILE)
    with as_triton():
        exec(compile(FILE.read_text(), str(FILE), "exec"), module.__dict__)
    return module


@cache
def reference() -> dict[str, dict[str, str]]:
    """Compile all kernels with Triton, in another process."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.oracle.gluon.triton_side"],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


CASES = [
    (index, target)
    for index, (_, _, _, targets) in enumerate(kernels().CASES)
    for target in targets
]
IDS = [f"{kernels().CASES[index][0].name}-{target}" for index, target in CASES]


@pytest.mark.parametrize(("index", "target"), CASES, ids=IDS)
def test_ttgir_is_tritons(triton, index, target):
    kernel, types, constants, _ = kernels().CASES[index]
    constants = dict(constants)
    compiled = weft.compile(
        kernel,
        signature={name: types.get(name, "constexpr") for name in kernel.parameter_names},
        num_warps=constants.pop("num_warps", 4),
        num_ctas=constants.pop("num_ctas", 1),
        constexprs=constants,
        target=target,
    )
    expected = triton.canonical(reference()[f"{index}-{target}"]["ttgir"])
    result = compare(expected, triton.canonical(compiled.asm["ttgir"]))
    assert result, str(result)
