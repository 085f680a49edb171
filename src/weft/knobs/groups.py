"""The settings by group, under the names of `triton.knobs`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from weft.errors import WeftError, did_you_mean
from weft.knobs.compile_settings import CompileSettings
from weft.knobs.descriptors import (
    env_base,
    env_bool,
    env_class,
    env_int,
    env_nvidia_tool,
    env_opt_bool,
    env_opt_str,
    env_str,
    env_str_callable_default,
)
from weft.knobs.hooks import code_hook, hook_chain

_NO_REDIS = "weft's cache is a directory"
_DUMPS = "`weft compile --emit` and `weft opt --mlir-print-ir-after-all` print the IR"
_SANITIZERS = (
    "`weft run --simulate cuda:90` finds races, deadlocks and accesses out of bounds, "
    "`weft run --check` values that were never written"
)
_FRONT_END = "errors of the front end name the line of the kernel"
_NO_CUPTI = "the profiler measures without CUPTI"


class base_knobs:
    """A group of settings. Setting an unknown one is an error, since it would have no effect."""

    def __setattr__(self, name: str, value: object) -> None:
        names = sorted(_names(type(self)))
        if name not in names:
            raise WeftError(
                f"unknown knob {name}",
                found=f"{name} = {value!r}",
                accepted=names,
                hint=did_you_mean(name, names),
            )
        super().__setattr__(name, value)

    @property
    def knob_descriptors(self) -> dict[str, env_base[Any]]:
        """The settings by name, without the hooks."""
        return {name: each for name, each in vars(type(self)).items() if isinstance(each, env_base)}

    @property
    def knobs(self) -> dict[str, object]:
        """The value of each setting."""
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self) -> Self:
        """Create a group with the same assigned values."""
        group = type(self)()
        group.__dict__.update(self.__dict__)
        return group

    def reset(self) -> Self:
        """Take all assignments back; the environment is read again."""
        for name in self.knob_descriptors:
            delattr(self, name)
        return self

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Restore all settings, hooks and environment variables at the end of the block."""
        variables = {each.key: os.environ.get(each.key) for each in self.knob_descriptors.values()}
        assigned = dict(self.__dict__)
        chains = [each for each in vars(type(self)).values() if isinstance(each, hook_chain)]
        hooks = [list(each.chain.calls) for each in chains]
        try:
            yield
        finally:
            CompileSettings.number = 0
            self.__dict__.clear()
            self.__dict__.update(assigned)
            for each, calls in zip(chains, hooks, strict=True):
                each.chain.calls[:] = calls
            for key, value in variables.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value


def _names(cls: type) -> set[str]:
    """List the settings and hooks of a group."""
    bases = cls.__mro__[: cls.__mro__.index(base_knobs)]
    return {name for base in bases for name in vars(base) if not name.startswith("_")}


class build_knobs(base_knobs):
    """How `triton.runtime.build` compiles C; weft's own launchers are not C.

    Attributes:
        cc: The C compiler.
        cudacrt_path: A folder of headers.
        cudart_path: A folder of headers.
        impl: A function that compiles C, from name, source file, folder, folders of libraries and
            headers, and libraries to the path of the module.
    """

    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TRITON_CUDACRT_PATH")
    cudart_path = env_opt_str("TRITON_CUDART_PATH")
    impl: Callable[..., str] | None = None

    @property
    def backend_dirs(self) -> set[str]:
        """The folders of headers."""
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


class redis_knobs(base_knobs):
    """The server of a remote cache.

    Attributes:
        key_format: The format of a key.
        host: The server.
        port: Its port.
    """

    key_format = env_str("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}", ignored=_NO_REDIS)
    host = env_str("TRITON_REDIS_HOST", "localhost", ignored=_NO_REDIS)
    port = env_int("TRITON_REDIS_PORT", 6379, ignored=_NO_REDIS)


def user_cache_directory() -> str:
    """Find the directory for cached data of the user."""
    if sys.platform == "darwin":
        base = Path("~/Library/Caches")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return str(base.expanduser().absolute() / "weft")
    except RuntimeError:  # the user has no home directory
        return str(Path(tempfile.gettempdir()) / f"weft-{os.getuid()}")


class cache_knobs(base_knobs):
    """The cache.

    Attributes:
        home_dir: The folder of `.triton`.
        dump_dir: The directory of `knobs.compilation.dump_ir`.
        override_dir: The directory of `knobs.compilation.override`.
        dir: The directory of compiled kernels and autotuning results; `.triton/cache` in `home_dir`
            if that is set.
        manager_class: The class of the cache.
        remote_manager_class: The class of a remote cache.
    """

    home_dir = env_str("TRITON_HOME", os.path.expanduser("~/"))
    dump_dir = env_str_callable_default("TRITON_DUMP_DIR", lambda: _in_triton_home("dump"))
    override_dir = env_str_callable_default(
        "TRITON_OVERRIDE_DIR", lambda: _in_triton_home("override")
    )
    dir = env_str_callable_default(
        "TRITON_CACHE_DIR", lambda: _default_cache_directory(), weft="WEFT_CACHE_DIR"
    )
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager", ignored=_NO_REDIS)
    remote_manager_class = env_class(
        "TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend", ignored=_NO_REDIS
    )

    def get_triton_dir(self, dirname: str) -> str:
        """Get a folder of `.triton`."""
        return str(Path(self.home_dir, ".triton", dirname))


def _in_triton_home(name: str) -> str:
    return sys.modules["weft.knobs"].cache.get_triton_dir(name)


def _default_cache_directory() -> str:
    """Choose Triton's directory below TRITON_HOME if that is set, else the user's for caches.

    Who sets TRITON_HOME wants the cache off the home directory, which may be small or remote.
    """
    home = sys.modules["weft.knobs"].cache.home_dir
    is_default = home == cache_knobs.home_dir.default_value()
    return user_cache_directory() if is_default else _in_triton_home("cache")


class compilation_knobs(base_knobs):
    """Compilation.

    Attributes:
        override: Replace the output of stages by files below `knobs.cache.override_dir`.
        dump_ir: Write the output of each stage to a file below `knobs.cache.dump_dir`.
        dump_ir_extract_di_local_variables: Name variables in dumps.
        store_binary_only: Store machine code alone.
        always_compile: Do not read the disk cache.
        use_ir_loc: The stage, "ttir" or "ttgir", whose printed lines become source locations.
        enable_asan: Instrument AMD code with the address sanitizer.
        disable_line_info: Leave source lines out of machine code.
        front_end_debugging: Keep the traceback of the front end.
        allow_non_constexpr_globals: Accept globals that are no constexpr.
        instrumentation_mode: "consan" or "fpsan"; "" for none.
        layouts: The default of the launch option `layouts`; Gluon kernels keep their layouts.
        listener: Called with source, metadata and times of each compilation.
    """

    override = env_bool("TRITON_KERNEL_OVERRIDE")
    dump_ir = env_bool("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES", ignored=_DUMPS)
    store_binary_only = env_bool("TRITON_STORE_BINARY_ONLY", ignored="the cache keeps all stages")
    always_compile = env_bool("TRITON_ALWAYS_COMPILE", weft="WEFT_ALWAYS_COMPILE")
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TRITON_ENABLE_ASAN", refused=_SANITIZERS)
    disable_line_info = env_bool("TRITON_DISABLE_LINE_INFO", weft="WEFT_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TRITON_FRONT_END_DEBUGGING", ignored=_FRONT_END)
    allow_non_constexpr_globals = env_bool(
        "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", ignored="make the global a tl.constexpr"
    )
    instrumentation_mode = env_str("TRITON_INSTRUMENTATION_MODE", "", refused=_SANITIZERS)
    layouts = env_str("WEFT_LAYOUTS", "heuristic")
    listener: Callable[..., object] | None = None


class autotuning_knobs(base_knobs):
    """Autotuning.

    Attributes:
        cache: Store all results on disk, as `cache_results=True` does.
        print: Print the measurements of each configuration.
    """

    cache = env_bool("TRITON_CACHE_AUTOTUNING", weft="WEFT_CACHE_AUTOTUNING")
    print = env_bool("TRITON_PRINT_AUTOTUNING", weft="WEFT_PRINT_AUTOTUNING")


class runtime_knobs(base_knobs):
    """Launches and their hooks.

    Attributes:
        interpret: Run kernels in the interpreter; without a GPU, weft does.
        debug: Compile with `debug=True`, also if a launch sets `debug=False`.
        override_arch: The architecture to compile for.
        launch_enter_hook: Called with a `LaunchMetadata` before every launch.
        launch_exit_hook: Called with it after every launch, last added first.
        kernel_load_start_hook: Called before a compiled kernel is loaded.
        kernel_load_end_hook: Called after a compiled kernel was loaded, last added first.
        jit_cache_hook: Called before a kernel is compiled for new arguments; true skips it.
        jit_post_compile_hook: Called after it was compiled.
        add_stages_inspection_hook: Called with (backend, stages, options, language, capability)
            before a kernel is compiled; it may replace the functions of stages. Without arguments
            it returns a key and a digest, on which the kernel depends, too.
    """

    interpret = env_bool(
        "TRITON_INTERPRET",
        refused="with arrays on the CPU, kernels run on the embedded CPU device, an interpreter",
    )
    debug = env_bool("TRITON_DEBUG", weft="WEFT_DEBUG")
    override_arch = env_opt_str("TRITON_OVERRIDE_ARCH")
    launch_enter_hook = hook_chain()
    launch_exit_hook = hook_chain(reversed=True)
    kernel_load_start_hook = hook_chain()
    kernel_load_end_hook = hook_chain(reversed=True)
    jit_cache_hook: Callable[..., object] | None = None
    jit_post_compile_hook: Callable[..., object] | None = None
    add_stages_inspection_hook = code_hook()


class language_knobs(base_knobs):
    """Defaults of the language.

    Attributes:
        fp32_default: The default `input_precision` of `tl.dot`.
        default_fp_fusion: The default of the launch option `enable_fp_fusion`.
    """

    fp32_default = env_opt_str("TRITON_F32_DEFAULT", weft="WEFT_F32_DEFAULT")
    default_fp_fusion = env_bool("TRITON_DEFAULT_FP_FUSION", True, weft="WEFT_DEFAULT_FP_FUSION")


class nvidia_knobs(base_knobs):
    """NVIDIA's programs and libraries.

    Attributes:
        cuobjdump: The program.
        nvdisasm: The program.
        ptxas: The assembler.
        ptxas_blackwell: The assembler for Blackwell.
        dump_nvptx: Print PTX.
        disable_ptxas_opt: Assemble without optimization.
        ptxas_options: The default of the compile option `ptx_options`.
        mock_ptx_version: The PTX version to declare.
        dump_ptxas_log: Print the registers and spills that ptxas reports.
        libdevice_path: The file libdevice.10.bc.
        libcuda_path: The folder of libcuda.
    """

    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas", weft="WEFT_PTXAS")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell", weft="WEFT_PTXAS")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    mock_ptx_version = env_opt_str(
        "TRITON_MOCK_PTX_VERSION", refused="weft takes it from the target"
    )
    dump_ptxas_log = env_bool("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TRITON_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TRITON_LIBCUDA_PATH", ignored="the loader finds libcuda")


class amd_knobs(base_knobs):
    """Defaults of the compile options of the same names, for AMD GPUs.

    Attributes:
        use_buffer_ops: Access global memory by buffer instructions where offsets fit.
        use_buffer_atomics: The same for atomic operations.
        buffer_ops_analyze_small_tensor_range: Decide by the range of the offsets even for
            arguments below 2 GiB.
        dump_amdgcn: Print machine code.
        libhip_path: The file libamdhip64.so.
        use_block_pingpong: Schedule loops with dots for two warps per SIMD.
        use_in_thread_transpose: Transpose dot operands in registers.
        use_async_copy: Copy from global to shared memory without registers in pipelined loops.
        scalarize_packed_fops: Split packed floating-point operations.
        dump_mir: A folder for LLVM's machine IR.
        swap_mir: A folder of machine IR to use.
    """

    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True, weft="WEFT_AMDGCN_USE_BUFFER_OPS")
    use_buffer_atomics = env_bool(
        "AMDGCN_USE_BUFFER_ATOMICS", True, weft="WEFT_AMDGCN_USE_BUFFER_ATOMICS"
    )
    buffer_ops_analyze_small_tensor_range = env_bool(
        "AMDGCN_ANALYZE_SMALL_TENSOR_RANGE", weft="WEFT_AMDGCN_ANALYZE_SMALL_TENSOR_RANGE"
    )
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TRITON_LIBHIP_PATH", weft="WEFT_LIBHIP")
    use_block_pingpong = env_opt_bool(
        "TRITON_HIP_USE_BLOCK_PINGPONG", weft="WEFT_HIP_USE_BLOCK_PINGPONG"
    )
    use_in_thread_transpose = env_opt_bool(
        "TRITON_HIP_USE_IN_THREAD_TRANSPOSE", weft="WEFT_HIP_USE_IN_THREAD_TRANSPOSE"
    )
    use_async_copy = env_opt_bool("TRITON_HIP_USE_ASYNC_COPY", weft="WEFT_HIP_USE_ASYNC_COPY")
    scalarize_packed_fops = env_bool(
        "AMDGCN_SCALARIZE_PACKED_FOPS", refused="LLVM chooses packed instructions"
    )
    dump_mir = env_opt_str("TRITON_DUMP_MIR", ignored=_DUMPS)
    swap_mir = env_opt_str("TRITON_SWAP_MIR", refused="the option ir_override takes .amdgcn files")


class proton_knobs(base_knobs):
    """The profiler.

    Attributes:
        disable: Measure nothing.
        cupti_lib_dir: The folder of CUPTI.
        profile_buffer_size: Bytes of its buffer.
        enable_nvtx: Report NVTX ranges.
        enable_hw_trace: Trace in hardware.
    """

    disable = env_bool("TRITON_PROTON_DISABLE", weft="WEFT_PROFILER_DISABLE")
    cupti_lib_dir = env_str("TRITON_CUPTI_LIB_PATH", "", ignored=_NO_CUPTI)
    profile_buffer_size = env_int("TRITON_PROFILE_BUFFER_SIZE", 64 * 1024 * 1024, ignored=_NO_CUPTI)
    enable_nvtx = env_bool("TRITON_ENABLE_NVTX", True, ignored=_NO_CUPTI)
    enable_hw_trace = env_bool("TRITON_ENABLE_HW_TRACE", ignored=_NO_CUPTI)
