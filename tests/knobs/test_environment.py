"""No environment variable is silent: each has a case that shows its effect."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import weft
from tests.knobs.settings import CUDA_TOOLS, fill, settings
from weft import knobs
from weft.codegen.backend import ptxas
from weft.codegen.llvm.libraries import library_of
from weft.compat.backends.nvidia.driver import libcuda_dirs
from weft.errors import CodegenError, LaunchError, WeftError
from weft.ir.locations import unknown
from weft.knobs.environment import IGNORED as IGNORED_VARIABLES
from weft.knobs.unsupported import REFUSED_VARIABLES
from weft.launch.drivers.hip.library import load_library
from weft.passes.diagnostics import emit_remark

SOURCE = Path(weft.__file__).parent


def libdevice_in(folder: Path) -> None:
    """Install an empty libdevice."""
    (folder / "nvvm/libdevice").mkdir(parents=True)
    (folder / "nvvm/libdevice/libdevice.10.bc").touch()


def ocml_in(folder: Path) -> None:
    """Install an empty ocml."""
    (folder / "amdgcn/bitcode").mkdir(parents=True)
    (folder / "amdgcn/bitcode/ocml.bc").touch()


def test_a_folder_of_cuda_has_libdevice_and_ptxas(tmp_path, monkeypatch):
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        folder = tmp_path / variable
        libdevice_in(folder)
        (folder / "bin").mkdir()
        (folder / "bin/ptxas").touch()
        with monkeypatch.context() as environment:
            environment.setenv(variable, str(folder))
            assert library_of("__nv_sinf").startswith(str(folder))
            assert str(folder / "bin/ptxas") in ptxas._installed()


def test_a_folder_of_rocm_has_ocml(tmp_path, monkeypatch):
    for variable in ("ROCM_PATH", "HIP_PATH"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("ROCM_PATH", "HIP_PATH"):
        ocml_in(tmp_path / variable)
        with monkeypatch.context() as environment:
            environment.setenv(variable, str(tmp_path / variable))
            assert library_of("__ocml_sin_f32").startswith(str(tmp_path / variable))


def test_a_folder_of_device_libraries(tmp_path, monkeypatch):
    (tmp_path / "ocml.bc").touch()
    monkeypatch.setenv("WEFT_DEVICE_LIBRARIES", str(tmp_path))
    assert library_of("__ocml_sin_f32") == str(tmp_path / "ocml.bc")


def test_an_assembler(monkeypatch):
    monkeypatch.setenv("WEFT_PTXAS", "/no/such/ptxas")
    with pytest.raises(CodegenError, match="WEFT_PTXAS is not the path of a ptxas"):
        ptxas.ptxas_for("sm_90a")


def test_a_program_of_the_toolkit_must_exist(monkeypatch):
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/no/such/ptxas")
    with knobs.nvidia.scope(), pytest.raises(WeftError, match="TRITON_PTXAS_PATH") as error:
        _ = knobs.nvidia.ptxas
    assert error.value.accepted == ("the path of ptxas",)
    with knobs.nvidia.scope():
        knobs.nvidia.nvdisasm = "/no/such/nvdisasm"
        with pytest.raises(WeftError, match="the knob nvdisasm is not the path of a program"):
            _ = knobs.nvidia.nvdisasm


def test_folders_of_libcuda(monkeypatch, tmp_path):
    (tmp_path / "libcuda.so.1").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    libcuda_dirs.cache_clear()
    assert libcuda_dirs()[-1] == str(tmp_path)
    libcuda_dirs.cache_clear()


def test_a_hip_library(monkeypatch):
    monkeypatch.setenv("WEFT_LIBHIP", "/no/such/library.so")
    with pytest.raises(LaunchError, match="WEFT_LIBHIP cannot be loaded"):
        load_library()


def test_the_folder_of_caches(monkeypatch, tmp_path):
    monkeypatch.delenv("WEFT_CACHE_DIR", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert knobs.cache.dir == str(tmp_path / "weft")


def test_the_folder_of_caches_in_another_home(monkeypatch, tmp_path):
    monkeypatch.delenv("WEFT_CACHE_DIR", raising=False)
    monkeypatch.setenv("TRITON_HOME", str(tmp_path))
    assert knobs.cache.dir == str(tmp_path / ".triton" / "cache")
    with knobs.cache.scope():
        knobs.cache.home_dir = "/other"
        assert knobs.cache.dir == "/other/.triton/cache"
    monkeypatch.setenv("WEFT_CACHE_DIR", "/chosen")
    assert knobs.cache.dir == "/chosen"


@pytest.mark.parametrize("variable", ["MLIR_ENABLE_DIAGNOSTICS", "WEFT_ENABLE_DIAGNOSTICS"])
def test_diagnostics_of_passes(variable, monkeypatch, capsys):
    monkeypatch.setenv(variable, "remarks")
    emit_remark(unknown, "slow")
    assert capsys.readouterr().err == "remark: slow\n"


def test_llvm_ir_is_printed(monkeypatch, capsys):
    monkeypatch.setenv("LLVM_IR_ENABLE_DUMP", "1")
    assert weft.compile(fill, signature="*fp32, i32, 32", target="cuda:90").asm["llir"]
    assert "define ptx_kernel void @fill" in capsys.readouterr().err


OTHER_VARIABLES = {
    "CUDA_HOME", "CUDA_PATH", "HIP_PATH", "LD_LIBRARY_PATH", "LLVM_IR_ENABLE_DUMP",
    "MLIR_ENABLE_DIAGNOSTICS", "MLIR_ENABLE_DUMP", "ROCM_PATH", "TRITON_REPRODUCER_PATH",
    "WEFT_AS_TRITON", "WEFT_DEVICE_LIBRARIES", "WEFT_ENABLE_DIAGNOSTICS",
    "XDG_CACHE_HOME",
}  # fmt: skip
"""The variables that the tests above, of passes and of weft.compiler cover."""


def variables_in_source() -> set[str]:
    """List the names of environment variables in the files that read the environment."""
    names: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        text = file.read_text()
        if "environ" not in text and "getenv" not in text:
            continue
        nodes = list(ast.walk(ast.parse(text)))
        own_names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names |= {
            node.value
            for node in nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch("[A-Z]+(_[A-Z0-9]+)+", node.value)
        } - own_names
    return names


def test_every_variable_in_the_source_has_a_case():
    of_knobs = {name for setting in settings().values() for name in setting.names}
    computed = {setting.key for name, setting in settings().items() if name in CUDA_TOOLS}
    in_source = variables_in_source() - IGNORED_VARIABLES.keys() | computed | {"CC"}
    in_source -= REFUSED_VARIABLES.keys()
    assert in_source == of_knobs | OTHER_VARIABLES
