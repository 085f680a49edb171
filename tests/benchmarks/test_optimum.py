"""The benchmarks of the optimum run where there is no GPU."""

from __future__ import annotations

import json
import time
from functools import partial

import numpy as np
import pytest

pytest.importorskip("highspy")
torch = pytest.importorskip("torch", reason="needs the extra bench (torch)")

from benchmarks import optimum, optimum_kernels, optimum_table  # noqa: E402
from benchmarks.optimum_workloads import Load  # noqa: E402
from tests.codegen.comparing import ELEMENTS, arguments_for, kernel_of  # noqa: E402
from tests.launch.fake_cuda import FakeCuda, Tensor  # noqa: E402
from tests.oracle.corpus import ROOT  # noqa: E402
from weft.codegen import lower  # noqa: E402
from weft.ir.text import parse_module  # noqa: E402
from weft.simulator import run as simulate  # noqa: E402

KERNELS = ROOT / "tests" / "oracle" / "kernels"
SHAPES = KERNELS / "shapes.py"


@pytest.fixture(autouse=True)
def _cache(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))


def test_a_dry_run_of_the_timing(capsys):
    assert optimum.main(["--dry-run", "--only", "quantisation to 8"]) == 0
    output = capsys.readouterr().out
    assert "quantisation to 8 bits bf16" in output
    assert "0 of 1 slower than 0.98" in output


def test_a_dry_run_of_the_corpus(capsys):
    assert optimum.main(["--dry-run", "--only", "shapes 2"]) == 0
    assert "compiles in" in capsys.readouterr().out


@pytest.mark.parametrize(
    "path", [SHAPES, pytest.param(KERNELS / "control.py", id="several blocks")]
)
def test_a_program_of_a_kernel_has_its_own_data(tmp_path, path):
    """Program 2 does to the third part of each array what program 0 does to the first."""
    prepared = optimum_kernels.prepare(path, 0, "cuda:90", tmp_path)
    module = parse_module((tmp_path / f"{path.stem}-0-heuristic.ttgir").read_text())
    parts = [[each for each in arguments_for(kernel_of(module), seed)] for seed in range(3)]
    arguments = [
        np.concatenate(values) if isinstance(values[0], np.ndarray) else values[0]
        for values in zip(*parts, strict=True)
    ]
    llvm = lower(module)
    run = partial(simulate, llvm.text, warp_size=32, shared_bytes=llvm.shared_bytes)
    run(grid=(3,), arguments=arguments)
    for number, part in enumerate(parts):
        scalars = [each for each in parts[0] if not isinstance(each, np.ndarray)]
        alone = [each if isinstance(each, np.ndarray) else scalars.pop(0) for each in part]
        run(grid=(1,), arguments=alone)
        for together, expected in zip(arguments, alone, strict=True):
            if isinstance(expected, np.ndarray):
                own = slice(number * ELEMENTS, (number + 1) * ELEMENTS)
                np.testing.assert_array_equal(together[own], expected)
    assert prepared.costs[0] >= prepared.costs[1] >= prepared.costs[2]


def test_a_kernel_of_the_corpus_is_launched(monkeypatch, tmp_path):
    prepared = optimum_kernels.prepare(SHAPES, 0, "cuda:90", tmp_path)
    values = optimum_kernels.data_of(prepared, 4, "cpu")
    assert values[0].numel() == 5 * ELEMENTS
    values = [Tensor() if torch.is_tensor(each) else each for each in values]
    fake = FakeCuda(monkeypatch)
    optimum_kernels.load_variant(prepared, prepared.files[0])(4, values)
    assert len(fake.launches) == 1


def test_equal_code_is_not_timed():
    def call() -> None:
        raise AssertionError

    assert optimum.time_variants([call, call, call], optimum.time_on_host) == {"ratios": (1.0, 1.0)}


def test_the_ratio_of_each_variant():
    def timer(calls):
        return [[8.0, 6.0], [4.0, 3.0]]

    first, second = (lambda: 1), (lambda: 2)
    result = optimum.time_variants([first, first, second], timer)
    assert result == {"ratios": (1.0, 2.0), "us": 7.0}


def test_the_verdict():
    fast = optimum.Measurement("fast", 0.5, (1.0, 1.2))
    assert optimum.verdict([fast])[1]
    assert not optimum.verdict([fast, optimum.Measurement("slow", 0.0, (1.0, 0.9))])[1]
    assert not optimum.verdict([optimum.Measurement("no faster", 0.5, (1.0, 1.0))])[1]
    assert optimum.verdict([optimum.Measurement("no gap", 0.0, (1.0, 1.0))])[1]


def test_the_table(capsys):
    assert optimum_table.main(["--only", "vector_add", "--target", "cuda:90"]) == 0
    output = capsys.readouterr().out
    assert "vector_add 1" in output
    assert "gap known for 3 of 3 (100%)" in output


def test_a_process_ends_after_an_error_of_cuda(monkeypatch, tmp_path):
    """The next process starts with the kernel after the one that failed."""
    kernel = {"path": "", "index": 0, "chip": "cuda:90", "costs": (2, 1), "files": ("a", "b")}
    kernels = [{**kernel, "name": name} for name in ("first", "second")]
    file = tmp_path / "corpus.json"
    file.write_text(json.dumps({"kernels": kernels, "rows": [], "end": time.time() + 100}))

    def fail(kernel, device, timer):
        if kernel.name == "first":
            raise RuntimeError("CUDA error: an illegal memory access")
        return optimum.Measurement(kernel.name, 1.0, (1.0, 1.0))

    monkeypatch.setattr(optimum, "_measure_kernel", fail)
    with pytest.raises(SystemExit):
        optimum.measure_corpus(file, "cuda", optimum.time_on_host)
    optimum.measure_corpus(file, "cuda", optimum.time_on_host)
    rows = json.loads(file.read_text())["rows"]
    assert [(each["name"], bool(each["failure"])) for each in rows] == [
        ("first", True),
        ("second", False),
    ]


def test_arguments_within_bounds(tmp_path):
    """Strides of 1024 leave an array of 65536 elements; smaller ones do not."""
    kernels = ROOT / "examples" / "matmul.py"
    optimum_kernels.prepare(kernels, 1, "cuda:90", tmp_path)
    file = str(tmp_path / "matmul-1-heuristic.ttgir")
    assert optimum_kernels.first_arguments_within_bounds(file) == 1


def test_outputs_are_restored_between_launches():
    values = torch.ones(4)

    def double() -> None:
        values.mul_(2)

    load = Load("in place", double, (values,), lambda: (values - 2).abs().max().item(), 0.0)
    row = optimum.measure_load(lambda: load, (3, 2, 1), lambda calls: [[1.0]] * len(calls))
    assert row.ratios == (1.0, 1.0)
