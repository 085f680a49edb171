"""The kernels of benchmarks.pipelined compute what torch does, and compile for an H100."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weft

torch = pytest.importorskip("torch", reason="needs the extra bench (torch)")

from benchmarks import pipelined_kernels  # noqa: E402
from benchmarks.pipelined_workloads import Compiler, largest_error, workloads  # noqa: E402

WORKLOADS = dict(workloads("cpu", full=False))
INTERPRETED = Compiler("weft", pipelined_kernels, weft.TensorDescriptor.from_tensor)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


@pytest.mark.parametrize("name", WORKLOADS)
def test_results_are_those_of_torch(name):
    work = WORKLOADS[name]()
    (config,) = work.configurations
    work.launch(INTERPRETED, config)
    assert largest_error(work.outputs, work.expected()) <= work.bound


def test_names_are_unique():
    names = [name for name, _ in workloads("meta", full=True)]
    assert len(names) == len({*names}) == 2 * 5 * 5 + 3 + 1 + 8


def compiled(work) -> Iterator[tuple[str, Any, Any, dict[str, Any]]]:
    """Yield name, signature, constants and options of each launch in each configuration."""
    for config in work.configurations:
        for program in work.launch(INTERPRETED, config):
            signature = program.signature
            yield program.name, signature.signature, signature.constexprs, config.options


@pytest.mark.parametrize("name", WORKLOADS)
def test_kernels_compile_for_a_gpu(name):
    for kernel, signature, constants, options in compiled(WORKLOADS[name]()):
        artifact = weft.compile(
            getattr(pipelined_kernels, kernel),
            signature=signature,
            constexprs=constants,
            target="cuda:90",
            **options,
        )
        assert artifact.asm["ptx"], kernel


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore:tl.make_block_ptr is deprecated")
@pytest.mark.skipif(not importlib.util.find_spec("triton"), reason="needs Triton")
def test_triton_compiles_the_same_file():
    from tests.oracle.reference import load_as_triton
    from tests.oracle.reference import target as triton_target

    triton = pytest.importorskip("triton")
    theirs = load_as_triton(Path(pipelined_kernels.__file__))
    for make in WORKLOADS.values():
        for kernel, signature, constants, options in compiled(make()):
            source = triton.compiler.ASTSource(getattr(theirs, kernel), signature, constants)
            binary = triton.compile(source, target=triton_target("cuda:90"), options=options)
            assert binary.asm["ptx"], kernel
