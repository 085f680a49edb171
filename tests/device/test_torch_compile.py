"""On a GPU: kernels of torch.compile, in a process where `import triton` finds weft."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from weft.compat.as_triton import IMPORT_PATH

pytest.importorskip("torch")
pytestmark = pytest.mark.device


WITHOUT_KERNELS = """
import tempfile, torch
args = torch.rand(64, 64, device="cuda"),
program = torch.export.export(torch.nn.Linear(64, 64, device="cuda"), args)
with tempfile.TemporaryDirectory() as folder:
    path = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/m.pt2")
    torch._inductor.aoti_load_package(path)(*args)
"""


@pytest.fixture(scope="module")
def loads_packages(tmp_path_factory) -> bool:
    """Whether torch loads a package of AOTInductor that has no kernels of Triton's."""
    environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path_factory.mktemp("probe"))}
    probe = [sys.executable, "-c", WITHOUT_KERNELS]
    return subprocess.run(probe, env=environment, capture_output=True).returncode == 0


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize(
    "case", ["flex", "flex_decoding", "user_kernels", "streams", "aot_inductor"]
)
def test_compiled_functions_compute_what_eager_ones_do(case, workers, tmp_path, request):
    if case == "aot_inductor" and not request.getfixturevalue("loads_packages"):
        pytest.skip("this torch cannot load packages of AOTInductor")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(IMPORT_PATH), *filter(None, sys.path)]),
        "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"),
        "TRITON_CACHE_DIR": str(tmp_path / "triton"),
        "TORCHINDUCTOR_COMPILE_THREADS": str(workers),
        "PYTHONFAULTHANDLER": "1",  # a crash in C++ names the line of Python that called it
    }
    result = subprocess.run(
        [sys.executable, "-m", "tests.device.torch_compile_cases", case],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
