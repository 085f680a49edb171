"""Programs that import triton, run with weft in its place."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from weft.compat.__main__ import main as install_command
from weft.compat.as_triton import IMPORT_PATH, as_triton

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
    script = tmp_path / "unknown.py"
    script.write_text("import triton.experimental.unknown\n")
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


ASKS_FOR_THE_VERSION = """
import importlib.metadata
import subprocess
import sys

import triton

print(triton.__version__, importlib.metadata.version("triton"), triton.__name__)
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "in a child"], check=True)
"""


def run_python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python with some environment variables."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True, text=True, check=False, env=os.environ | variables,
    )  # fmt: skip


def python_path() -> str:
    """Get a PYTHONPATH with which `import triton` finds weft."""
    return os.pathsep.join([str(IMPORT_PATH), os.environ.get("PYTHONPATH", "")])


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["-m", "weft", "run", "--as-triton"], {}),
        (["-m", "weft", "run"], {"WEFT_AS_TRITON": "1"}),
        ([], {"PYTHONPATH": python_path()}),
    ],
)
def test_version_and_metadata_are_tritons_in_children_too(arguments, variables, tmp_path):
    script = tmp_path / "version.py"
    script.write_text(ASKS_FOR_THE_VERSION)
    process = run_python(*arguments, str(script), **variables)
    assert process.stderr == ""
    assert process.stdout == "3.7.1 3.7.1 weft.compat\n" * 2


def test_a_context_that_is_never_left_prints_nothing():
    process = run_python(
        "-c",
        "from weft.compat.as_triton import as_triton\n"
        "context = as_triton()\ncontext.__enter__()\nimport triton",
    )
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")


def test_modules_are_run_under_tritons_name(tmp_path):
    (tmp_path / "test_triton.py").write_text(
        "import triton\n\n\ndef test_name():\n    assert triton.__name__ == 'weft.compat'\n"
    )
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, str(tmp_path)]
    for command in (
        ["-m", "weft", "run", "--as-triton", "-m", "pytest", *options],
        ["-m", "pytest", "-p", "weft.compat.pytest_plugin", "--as-triton", *options],
    ):
        process = run_python(*command)
        assert process.returncode == 0, process.stdout + process.stderr
        assert "1 passed" in process.stdout


def test_modules_of_triton_are_run_by_name():
    for module in ("triton.tools.compile", "triton.tools.link"):
        process = run_python("-m", module, "--help", PYTHONPATH=python_path())
        assert process.stdout.startswith(f"usage: {module.rpartition('.')[2]}.py"), process.stderr
    process = run_python("-m", "triton.tools", PYTHONPATH=python_path())
    assert "is a package and cannot be directly executed" in process.stderr


def test_an_environment_can_have_the_variable(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    assert install_command(["install"]) == 0
    (file,) = tmp_path.iterdir()
    for value, is_added in (("1", True), ("0", False)):
        monkeypatch.setenv("WEFT_AS_TRITON", value)
        monkeypatch.setattr(sys, "path", [])
        exec(file.read_text())
        assert (sys.path == [str(IMPORT_PATH)]) is is_added
    assert install_command(["path"]) == install_command(["uninstall"]) == 0
    assert not file.exists()
    assert str(IMPORT_PATH) in capsys.readouterr().out
    assert install_command(["what"]) == 2


def test_gluon_modules():
    with as_triton():
        from triton.experimental import gluon
        from triton.experimental.gluon import language as gl
        from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
        from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

        assert gluon.jit.__module__ == "weft.kernel.gluon"
        assert gl.__name__ == "weft.gluon"
        assert gl.nvidia.hopper.tma is tma
        # The type checker takes the classes for Triton's.
        barrier: Any = mbarrier.MBarrierLayout()
        shared: Any = gl.SwizzledSharedLayout(1, 1, 1, [0])
        assert barrier.encoding == shared.encoding
        assert TensorDescriptor.__module__ == "weft.launch.gluon_descriptors"
