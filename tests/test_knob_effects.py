"""No knob and no environment variable is silent: each has a case that shows its effect."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import knobs
from weft.codegen.backend import ptxas
from weft.codegen.llvm.libraries import library_of
from weft.compiler.cache import DiskCache
from weft.compiler.options import options_for
from weft.errors import CodegenError
from weft.targets import target

SOURCE = Path(weft.__file__).parent


@weft.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    fake = FakeCuda(monkeypatch)
    fake.time_of = lambda: 1.0
    return fake


def autotuned_launches(gpu: FakeCuda) -> int:
    """Count the launches of an autotuned kernel that has been measured by another autotuner."""
    configs = [weft.Config({"BLOCK": block}) for block in (32, 64)]
    before = 0
    for _ in range(2):
        before = len(gpu.launches)
        tuned = weft.autotune(configs, key=["n"], rep=1)(weft.jit(fill.fn))
        tuned[(1,)](Tensor(), 1024)
    return len(gpu.launches) - before


def autotuning_report(gpu: FakeCuda, capsys) -> bool:
    """Check whether an autotuned launch prints its measurements."""
    autotuned_launches(gpu)
    return "2 configurations" in capsys.readouterr().out


def amd_option(name: str) -> Callable[..., object]:
    """Read an option of a compile for AMD; tests/compiler/test_option_effects.py shows its use."""
    return lambda gpu, capsys: options_for(target("hip:gfx950"), {}).as_dict()[name]


# Knob: a function that observes its effect, and a value with another effect than the default, as
# an attribute and in the environment.
KNOBS: dict[str, tuple[Callable[..., object], object, str]] = {
    "cache.dir": (lambda gpu, capsys: DiskCache.open().path, Path("/tmp/other"), "/tmp/other"),
    "compilation.disable_line_info": (
        lambda gpu, capsys: ".loc" in weft.compile(
            fill, signature="*fp32, i32, 32", target="cuda:90"
        ).asm["ptx"], True, "1"
    ),
    "autotuning.print": (autotuning_report, True, "1"),
    "autotuning.cache": (lambda gpu, capsys: autotuned_launches(gpu) == 1, True, "1"),
    "amd.use_async_copy": (amd_option("use_async_copy"), True, "1"),
    "amd.use_block_pingpong": (amd_option("use_block_pingpong"), True, "1"),
    "amd.use_in_thread_transpose": (amd_option("use_in_thread_transpose"), True, "1"),
    "amd.use_buffer_ops": (amd_option("use_buffer_ops"), False, "0"),
    "amd.use_buffer_atomics": (amd_option("use_buffer_atomics"), False, "0"),
    "amd.buffer_ops_analyze_small_tensor_range": (
        amd_option("buffer_ops_analyze_small_tensor_range"), True, "1"
    ),
}  # fmt: skip
HOOKS = (
    "launch_enter_hook", "launch_exit_hook", "kernel_load_start_hook", "kernel_load_end_hook",
)  # fmt: skip


def settings() -> dict[str, knobs._Setting[object]]:
    """List all settings by name."""
    return {
        f"{group}.{name}": setting
        for group in ("amd", "autotuning", "cache", "compilation", "runtime")
        for name, setting in vars(type(getattr(knobs, group))).items()
        if isinstance(setting, knobs._Setting)
    }


def test_every_knob_has_a_case():
    groups = {name for name in knobs.__all__ if isinstance(getattr(knobs, name), knobs._Knobs)}
    assert groups == {"amd", "autotuning", "cache", "compilation", "runtime"}
    assert settings().keys() == KNOBS.keys()
    chains = [name for name in vars(type(knobs.runtime)) if not name.startswith("_")]
    assert tuple(chains) == HOOKS


@pytest.mark.parametrize("knob", KNOBS)
def test_a_knob_has_an_effect(knob, gpu, capsys, monkeypatch, tmp_path):
    observe, value, text = KNOBS[knob]
    group, _, name = knob.partition(".")
    default = observe(gpu, capsys)
    setting = settings()[knob]
    assert setting.names
    setattr(getattr(knobs, group), name, value)
    try:
        changed = observe(gpu, capsys)
    finally:
        setattr(getattr(knobs, group), name, None)
    assert changed != default
    for variable in setting.names:
        with monkeypatch.context() as environment:
            environment.setenv("WEFT_CACHE_DIR", str(tmp_path / variable))
            environment.setenv(variable, text)
            assert observe(gpu, capsys) == changed


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_is_called(hook, gpu):
    calls: list[object] = []
    setattr(knobs.runtime, hook, lambda *args: calls.append(args))
    try:
        weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32)
    finally:
        setattr(knobs.runtime, hook, None)
    assert len(calls) == 1


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


def test_the_folder_of_caches(monkeypatch, tmp_path):
    monkeypatch.delenv("WEFT_CACHE_DIR", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert knobs.cache.dir == tmp_path / "weft"


OTHER_VARIABLES = {
    "CUDA_HOME", "CUDA_PATH", "HIP_PATH", "ROCM_PATH", "WEFT_DEVICE_LIBRARIES", "WEFT_PTXAS",
    "XDG_CACHE_HOME",
}  # fmt: skip
"""The variables that the tests above cover."""


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
    assert variables_in_source() - knobs.IGNORED.keys() == of_knobs | OTHER_VARIABLES
