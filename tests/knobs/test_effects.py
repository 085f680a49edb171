"""No knob is silent: each has a case that shows its effect."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import weft
from tests.knobs.settings import CUDA_TOOLS, fill, settings
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import knobs
from weft.codegen.backend import ptxas
from weft.compat import profiler
from weft.compat.runtime import build
from weft.compiler import machine_code
from weft.compiler.ast_to_ttir import frontend_options
from weft.compiler.cache import DiskCache
from weft.compiler.kernel_files import source_key
from weft.compiler.machine_code import extern_libraries
from weft.compiler.options import CompileOptions, options_for
from weft.errors import LaunchError, WeftError
from weft.knobs import compile_settings
from weft.knobs.hooks import hook_chain
from weft.launch.drivers.hip import library
from weft.targets import target


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


def reads_cache(gpu: FakeCuda, capsys) -> bool:
    """Check whether a compilation reads the disk cache."""
    keys: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DiskCache, "get", lambda cache, key: keys.append(key))
        weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32)
    return bool(keys)


def dumps(gpu: FakeCuda, capsys) -> int:
    """Count the files that a compilation writes."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_DUMP_DIR", folder)
        weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32)
        return len(list(Path(folder).glob("*/*")))


def overrides(gpu: FakeCuda, capsys) -> bool:
    """Check whether a file replaces the output of a stage."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_OVERRIDE_DIR", folder)
        first = weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32)
        file = Path(folder, source_key(fill, first.signature), "fill.ptx")
        file.parent.mkdir()
        file.write_text(first.asm["ptx"] + "// edited")
        return weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32).asm["ptx"] != first.asm["ptx"]


def assembly_printed(target: str, name: str) -> Callable[..., object]:
    """Check whether a compilation prints assembly."""

    def observe(gpu: FakeCuda, capsys) -> bool:
        compiled = weft.compile(fill, signature="*fp32, i32, 32", target=target)
        assert compiled.asm["ptx" if name == "NVPTX" else "amdgcn"]
        return f"// -----// {name} Dump //----- //" in capsys.readouterr().out

    return observe


def prints_ptxas_log(gpu: FakeCuda, capsys) -> bool:
    """Check whether assembling prints what ptxas prints."""
    assembler = SimpleNamespace(assemble=lambda llvm, ptx: ptxas.Cubin(b"", 8, 0, 0, "Used 8"))
    llvm = SimpleNamespace(target=target("cuda:90"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ptxas, "ptxas_for", lambda processor: assembler)
        patch.setattr(machine_code, "_emit_assembly", lambda llvm: b"")
        machine_code.assemble_cubin(llvm)  # pyright: ignore[reportArgumentType]
    return "Used 8" in capsys.readouterr().out


CUDA_TOOL = str(Path(__file__).parent / "cuda_tool.sh")


def cuda_tool(name: str) -> Callable[..., object]:
    """Ask a program of the CUDA toolkit for its release."""

    def release(gpu: FakeCuda, capsys) -> str:
        try:
            return getattr(knobs.nvidia, name).version
        except WeftError:
            return "not installed"

    return release


def profiled_kernels(gpu: FakeCuda, capsys) -> bool:
    """Check whether the profiler records a launch."""
    session = profiler.start(tempfile.mktemp())
    try:
        return bool(knobs.runtime.launch_enter_hook)
    finally:
        profiler.finalize(session)


def c_compiler(gpu: FakeCuda, capsys) -> object:
    """Get the command that compiles a C file; None without a compiler."""
    commands: list[list[str]] = []
    with pytest.MonkeyPatch.context() as patch:
        run = lambda command, **_: commands.append(command) or SimpleNamespace(returncode=0)  # noqa: E731
        patch.setattr(build.subprocess, "run", run)
        try:
            build._build("m", "m.c", "/folder", [], [], [], [])
        except LaunchError:
            return None
    return commands[0]


BUILD = ("cc", "cudacrt_path", "cudart_path")
# Knob: a function that observes its effect, and a value with another effect than the default, as
# an attribute and in the environment.
KNOBS: dict[str, tuple[Callable[..., object], object, str]] = {
    "cache.dir": (lambda gpu, capsys: DiskCache.open().path, "/tmp/other", "/tmp/other"),
    "compilation.disable_line_info": (
        lambda gpu, capsys: ".loc" in weft.compile(
            fill, signature="*fp32, i32, 32", target="cuda:90"
        ).asm["ptx"], True, "1"
    ),
    "compilation.use_ir_loc": (
        lambda gpu, capsys: '.ttir"' in weft.compile(
            fill, signature="*fp32, i32, 32", target="cuda:90"
        ).asm["ptx"], "ttir", "ttir"
    ),
    "compilation.dump_ir": (dumps, True, "1"),
    "compilation.override": (overrides, True, "1"),
    "cache.dump_dir": (lambda gpu, capsys: knobs.cache.dump_dir, "/dumps", "/dumps"),
    "cache.override_dir": (lambda gpu, capsys: knobs.cache.override_dir, "/edited", "/edited"),
    "autotuning.print": (autotuning_report, True, "1"),
    "autotuning.cache": (lambda gpu, capsys: autotuned_launches(gpu) == 1, True, "1"),
    "amd.dump_amdgcn": (assembly_printed("hip:gfx942", "AMDGCN"), True, "1"),
    "amd.libhip_path": (lambda gpu, capsys: library._named_file()[1], "/a.so", "/a.so"),
    "amd.use_async_copy": (amd_option("use_async_copy"), True, "1"),
    "amd.use_block_pingpong": (amd_option("use_block_pingpong"), True, "1"),
    "amd.use_in_thread_transpose": (amd_option("use_in_thread_transpose"), True, "1"),
    "amd.use_buffer_ops": (amd_option("use_buffer_ops"), False, "0"),
    "amd.use_buffer_atomics": (amd_option("use_buffer_atomics"), False, "0"),
    "amd.buffer_ops_analyze_small_tensor_range": (
        amd_option("buffer_ops_analyze_small_tensor_range"), True, "1"
    ),
    "cache.home_dir": (lambda gpu, capsys: knobs.cache.get_triton_dir("x"), "/home", "/home"),
    "compilation.always_compile": (reads_cache, True, "1"),
    "runtime.debug": (
        lambda gpu, capsys: weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32).metadata.options.debug,
        True, "1",
    ),
    "language.fp32_default": (
        lambda gpu, capsys: frontend_options(
            target("cuda:90"), CompileOptions()
        ).default_dot_input_precision, "ieee", "ieee",
    ),
    "language.default_fp_fusion": (
        lambda gpu, capsys: options_for(target("cuda:90"), {}).enable_fp_fusion, False, "0"
    ),
    "compilation.layouts": (
        lambda gpu, capsys: options_for(target("cuda:90"), {}).layouts, "refined", "refined"
    ),
    "nvidia.dump_nvptx": (assembly_printed("cuda:90", "NVPTX"), True, "1"),
    "nvidia.disable_ptxas_opt": (
        lambda gpu, capsys: options_for(target("cuda:90"), {}).ptx_options, True, "1"
    ),
    "nvidia.dump_ptxas_log": (prints_ptxas_log, True, "1"),
    "nvidia.ptxas_options": (
        lambda gpu, capsys: options_for(target("cuda:90"), {}).ptx_options, "-O0", "-O0"
    ),
    "nvidia.libdevice_path": (
        lambda gpu, capsys: extern_libraries(CompileOptions()), "/a.bc", "/a.bc"
    ),
    "runtime.override_arch": (
        lambda gpu, capsys: weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32).metadata.target,
        "sm80", "sm80",
    ),
    **{name: (cuda_tool(name.partition(".")[2]), CUDA_TOOL, CUDA_TOOL) for name in CUDA_TOOLS},
    "proton.disable": (profiled_kernels, True, "1"),
    **{f"build.{name}": (c_compiler, "/other", "/other") for name in BUILD},
}  # fmt: skip
HOOKS = (
    "launch_enter_hook", "launch_exit_hook", "kernel_load_start_hook", "kernel_load_end_hook",
)  # fmt: skip


def test_every_knob_has_a_case():
    effective = {name for name, each in settings().items() if not each.ignored and not each.refused}
    assert effective == KNOBS.keys()
    assert not any(each.ignored and each.refused for each in settings().values())
    chains = [
        name for name, each in vars(type(knobs.runtime)).items() if isinstance(each, hook_chain)
    ]
    assert tuple(chains) == HOOKS


@pytest.mark.parametrize("knob", KNOBS)
def test_a_knob_has_an_effect(knob, gpu, capsys, monkeypatch, tmp_path):
    observe, value, text = KNOBS[knob]
    group, _, name = knob.partition(".")
    default = observe(gpu, capsys)
    setting = settings()[knob]
    assert setting.names
    with getattr(knobs, group).scope():
        setattr(getattr(knobs, group), name, value)
        changed = observe(gpu, capsys)
    assert changed != default
    for variable in setting.names:
        with monkeypatch.context() as environment:
            environment.setenv("WEFT_CACHE_DIR", str(tmp_path / variable))
            if knob == "cache.dir":
                environment.delenv("WEFT_CACHE_DIR")
            environment.setenv(variable, text)
            assert observe(gpu, capsys) == changed


CODE = {f"{group}.{name}" for group, name in compile_settings._SETTINGS}
NOT_CODE = (
    *(f"build.{name}" for name in BUILD),
    "amd.dump_amdgcn", "amd.libhip_path", "autotuning.cache", "autotuning.print", "cache.dir",
    "cache.dump_dir", "cache.home_dir", "compilation.always_compile", "compilation.dump_ir",
    "nvidia.cuobjdump", "nvidia.dump_nvptx", "nvidia.dump_ptxas_log", "nvidia.nvdisasm",
    "proton.disable",
)  # fmt: skip


def test_a_knob_is_part_of_the_code_or_not():
    refused = {name for name, each in settings().items() if each.refused}
    refused.add("runtime.add_stages_inspection_hook")
    assert CODE | set(NOT_CODE) == KNOBS.keys() | refused
    assert CODE >= refused
    assert not CODE & set(NOT_CODE)


@pytest.mark.parametrize("knob", sorted(CODE & KNOBS.keys()))
def test_a_change_of_a_knob_compiles_a_loaded_kernel_again(knob, gpu):
    """A kernel with another value of a knob is another kernel; the first one stays loaded."""
    group, _, name = knob.partition(".")
    kernel, x = weft.jit(fill.fn), Tensor()
    launch = kernel[(1,)]
    first = launch(x, 32, BLOCK=32)
    assert launch(x, 32, BLOCK=32) is first
    with getattr(knobs, group).scope():
        setattr(getattr(knobs, group), name, KNOBS[knob][1])
        second = launch(x, 32, BLOCK=32)
        assert second is not first
        assert launch(x, 32, BLOCK=32) is second
    assert launch(x, 32, BLOCK=32) is first
    assert len(gpu.launches) == 5


def test_a_changed_variable_has_an_effect_after_a_refresh(gpu, monkeypatch):
    kernel, x = weft.jit(fill.fn), Tensor()
    first = kernel[(1,)](x, 32, BLOCK=32)
    monkeypatch.setenv("TRITON_DEBUG", "1")
    assert kernel[(1,)](x, 32, BLOCK=32) is first
    knobs.refresh_knobs()
    second = kernel[(1,)](x, 32, BLOCK=32)
    assert second.metadata.options.debug
    monkeypatch.delenv("TRITON_DEBUG")
    knobs.refresh_knobs()
    assert kernel[(1,)](x, 32, BLOCK=32) is first


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_is_called(hook, gpu):
    calls: list[object] = []
    setattr(knobs.runtime, hook, lambda *args: calls.append(args))
    try:
        weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32)
    finally:
        setattr(knobs.runtime, hook, None)
    assert len(calls) == 1


def test_hooks_around_a_compilation(gpu):
    calls: list[tuple[str, bool]] = []
    kernel = weft.jit(fill.fn)

    def hook(name: str, answer: bool) -> Callable[..., bool]:
        def record(*, key, repr, fn, compile, is_manual_warmup, already_compiled) -> bool:
            assert (fn.jit_function, fn.name, compile["key"]) == (kernel, "fill", key)
            assert '"signature": {' in compile["specialization_data"]
            calls.append((name, is_manual_warmup))
            return answer

        return record

    with knobs.runtime.scope():
        knobs.runtime.jit_cache_hook = hook("before", False)
        knobs.runtime.jit_post_compile_hook = hook("after", False)
        kernel[(1,)](Tensor(), 32, BLOCK=32)
        kernel.warmup(Tensor(), 32, BLOCK=64, grid=(1,))
        kernel[(1,)](Tensor(), 32, BLOCK=32)
        assert calls == [("before", False), ("after", False), ("before", True), ("after", True)]
        knobs.runtime.jit_cache_hook = hook("refuses", True)
        assert kernel[(1,)](Tensor(), 32, BLOCK=128) is None
    assert calls[4:] == [("refuses", False)]


def test_a_function_that_compiles_c():
    with knobs.build.scope():
        knobs.build.impl = lambda name, src, folder, *lists: f"{folder}/{name}.{len(lists)}"
        assert build._build("m", "m.c", "/folder", [], [], [], []) == "/folder/m.3"
