"""Programs that import triton, run with weft in its place."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from weft.compat.as_triton import as_triton

SCRIPTS = Path(__file__).parent / "triton_scripts"
torch = pytest.importorskip("torch")


def run_script(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script as `weft run --as-triton` does."""
    command = [sys.executable, "-m", "weft", "run", "--as-triton", str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("script", "output"),
    [
        pytest.param("softmax_by_occupancy.py", "softmax is right", marks=pytest.mark.slow),
        pytest.param("matmul_tuned.py", "best: BLOCK_M: ", marks=pytest.mark.slow),
        pytest.param("dropout_and_norm.py", "gradients are right", marks=pytest.mark.slow),
        ("descriptors.py", "descriptors are right"),
    ],
)
def test_scripts(script, output):
    process = run_script(SCRIPTS / script)
    assert process.returncode == 0, process.stdout + process.stderr
    assert output in process.stdout


def test_performance_reports(tmp_path):
    process = run_script(SCRIPTS / "add_and_measure.py", str(tmp_path))
    assert process.returncode == 0, process.stdout + process.stderr
    lines = process.stdout.splitlines()
    assert lines[0] == "vector-add:"
    assert lines[1].split() == [
        "size", "Triton", "Triton-min", "Triton-max", "Torch", "Torch-min", "Torch-max",
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[2:4]] == ["256", "1024"]
    assert lines[4] == str(tmp_path / "vector-add.svg")
    assert (tmp_path / "vector-add.svg").read_text().startswith("<svg")
    assert (tmp_path / "vector-add.csv").read_text().startswith("size,Triton,Triton-min")


def test_unknown_modules_and_attributes(tmp_path):
    script = tmp_path / "gluon.py"
    script.write_text("import triton.experimental.gluon\n")
    process = run_script(script)
    assert process.returncode == 1
    assert "weft has no counterpart of triton.experimental" in process.stderr
    script.write_text("import triton\n\ntriton.frobnicate\n")
    process = run_script(script)
    assert process.returncode == 1
    assert "'weft.compat' has no attribute 'frobnicate'" in process.stderr


def test_triton_modules_come_back():
    import weft
    import weft.compat
    import weft.language

    before = {name: module for name, module in sys.modules.items() if name.startswith("triton")}
    spec = weft.language.__spec__
    with as_triton():
        import triton
        import triton.language as tl
        from triton.language.extra.cuda import libdevice
        from triton.runtime.errors import WeftError  # pyright: ignore[reportAttributeAccessIssue]

        assert triton is weft.compat
        assert triton.jit is weft.jit
        assert tl is weft.language
        assert libdevice.__name__ == "weft.language.extra.cuda.libdevice"
        assert WeftError is weft.WeftError
        with pytest.raises(ModuleNotFoundError, match=r"triton\.tolls.*did you mean"):
            import triton.tolls  # pyright: ignore[reportMissingImports]
    after = {name: module for name, module in sys.modules.items() if name.startswith("triton")}
    assert after == before
    assert weft.language.__spec__ is spec


def test_names_in_triton_modules():
    names_of = {
        "triton": "CompilationError KernelInterface MockTensor OutOfResources TensorWrapper "
        "TritonError constexpr_function reinterpret set_allocator next_power_of_2 cdiv",
        "triton.runtime": "Autotuner Config Heuristics JITFunction KernelInterface OutOfResources "
        "autotune driver heuristics reinterpret",
        "triton.runtime.autotuner": "Autotuner AutotunerError Config Heuristics OutOfResources "
        "PTXASError autotune heuristics",
        "triton.runtime.jit": "JITFunction KernelInterface MockTensor TensorWrapper jit "
        "reinterpret",
        "triton.runtime.errors": "AutotunerError InterpreterError OutOfResources PTXASError",
        "triton.compiler": "ASTSource CompilationError CompiledKernel compile",
        "triton.compiler.compiler": "ASTSource CompiledKernel",
        "triton.compiler.errors": "CompilationError CompileTimeAssertionFailure "
        "UnsupportedLanguageConstruct",
        "triton.backends.compiler": "GPUTarget",
        "triton.language.core": "constexpr dtype tensor tensor_descriptor",
        "triton.testing": "Benchmark do_bench do_bench_cudagraph perf_report assert_close",
        "triton.tools.mxfp": "MXFP4Tensor MXScaleTensor",
        "triton.tools.tensor_descriptor": "TensorDescriptor",
        "triton.profiler": "activate deactivate finalize profile scope start",
        "triton.profiler.viewer": "parse print_tree",
    }
    with as_triton():
        for module, names in names_of.items():
            loaded = importlib.import_module(module)
            assert [name for name in names.split() if not hasattr(loaded, name)] == [], module
