"""The kernels of benchmarks.packages compute what torch does."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the extra bench (torch)")

from benchmarks import package_kernels  # noqa: E402
from benchmarks.package_workloads import largest_error, workloads  # noqa: E402


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def test_every_workload_is_right():
    names = []
    for work in workloads("cpu", full=False):
        work.launch(package_kernels)
        assert largest_error(work) <= work.bound, work.name
        names.append(work.name)
    assert len({*names}) == 12


def test_at_full_size_there_is_an_expected_number_for_each_written_one():
    for work in workloads("meta", full=True):  # no memory, no numbers
        shapes = [[each.shape for each in tensors] for tensors in (work.outputs, work.expected)]
        assert shapes[0] == shapes[1], work.name


@pytest.mark.oracle
@pytest.mark.skipif(not importlib.util.find_spec("triton"), reason="needs Triton")
def test_triton_compiles_the_same_file():
    from tests.oracle.reference import load_as_triton, target

    triton = pytest.importorskip("triton")
    theirs = load_as_triton(Path(package_kernels.__file__))
    for work in workloads("cpu", full=False):
        (name, signature, constants, options) = compiled_for(work)
        source = triton.compiler.ASTSource(getattr(theirs, name), signature, constants)
        artifact = triton.compile(source, target=target("cuda:90"), options=options)
        assert artifact.asm["ptx"], work.name


def compiled_for(work):
    """Return name, signature, constants and options of the launch, as Triton takes them."""
    program = work.launch(package_kernels)
    return (
        program.name,
        program.signature.signature,
        program.signature.constexprs,
        {"num_warps": program.metadata.num_warps},
    )
