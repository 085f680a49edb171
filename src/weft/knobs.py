"""Settings: launch hooks, and options from environment variables.

    weft.knobs.runtime.launch_enter_hook.add(lambda metadata: print(metadata.get()["name"]))
    weft.knobs.cache.dir                  # WEFT_CACHE_DIR, else the user's cache directory
    weft.knobs.autotuning.print           # WEFT_PRINT_AUTOTUNING=1
    weft.knobs.amd.use_async_copy = True  # WEFT_HIP_USE_ASYNC_COPY=1

The names are those of `triton.knobs`. An assigned value has precedence over the environment.
Environment variables are read at each access: first weft's, then Triton's of the same meaning.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar, overload

from weft.errors import WeftError, did_you_mean

__all__ = ["Hooks", "amd", "autotuning", "cache", "compilation", "runtime", "unread_variables"]

_OFF = ("", "0", "false", "off", "no")
_ON = ("1", "true", "on", "yes")

Value = TypeVar("Value")


class Hooks:
    """A chain of functions that are called in order.

    Attributes:
        calls: The functions.
        last_first: Whether to call them in reverse order.
    """

    __slots__ = ("calls", "last_first")

    def __init__(self, last_first: bool = False) -> None:
        self.calls: list[Callable[..., object]] = []
        self.last_first = last_first

    def add(self, hook: Callable[..., object]) -> None:
        """Add a hook, unless the chain has it."""
        if hook not in self.calls:
            self.calls.append(hook)

    def remove(self, hook: Callable[..., object]) -> None:
        """Remove a hook, if the chain has it."""
        if hook in self.calls:
            self.calls.remove(hook)

    def __call__(self, *args: object, **kwargs: object) -> None:
        """Call all hooks."""
        for hook in reversed(self.calls) if self.last_first else tuple(self.calls):
            hook(*args, **kwargs)

    def __bool__(self) -> bool:
        return bool(self.calls)


class _HookChain:
    """A descriptor for a chain of hooks: assigning a function replaces all, None removes all."""

    def __init__(self, last_first: bool = False) -> None:
        self.chain = Hooks(last_first)

    def __get__(self, owner: object, kind: type | None = None) -> Hooks:
        return self.chain

    def __set__(self, owner: object, hook: Callable[..., object] | None) -> None:
        if hook is not self.chain:
            self.chain.calls[:] = [] if hook is None else [hook]


class _Setting(Generic[Value]):
    """A descriptor for an option: an assigned value, else an environment variable, else a default.

    Attributes:
        read: Converts the variable's text; raises ValueError with a tuple of what is accepted.
        default: Computes the default value.
        names: The environment variables, in order of precedence.
        assigned: The assigned value, or None.
    """

    def __init__(
        self, read: Callable[[str], Value], default: Callable[[], Value], *names: str
    ) -> None:
        self.read, self.default, self.names = read, default, names
        self.assigned: Value | None = None

    @overload
    def __get__(self, owner: None, kind: type | None = None) -> _Setting[Value]: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> Value: ...
    def __get__(self, owner: object, kind: type | None = None) -> _Setting[Value] | Value:
        if owner is None:
            return self
        if self.assigned is not None:
            return self.assigned
        for name in self.names:
            text = os.environ.get(name)
            if text is not None:
                try:
                    return self.read(text)
                except ValueError as error:
                    raise WeftError(
                        f"invalid value of environment variable {name}",
                        found=f"{name}={text}",
                        accepted=error.args[0],
                    ) from None
        return self.default()

    def __set__(self, owner: object, value: Value | None) -> None:
        self.assigned = value


def _flag(text: str) -> bool:
    if text.strip().lower() not in (*_ON, *_OFF):
        raise ValueError(("1", "0", "true", "false", "on", "off"))
    return text.strip().lower() in _ON


def _directory(text: str) -> Path:
    if not text.strip():
        raise ValueError(("a directory",))
    return Path(text).expanduser().absolute()


def _cache_directory() -> Path:
    """Return the directory for cached data of the user."""
    if sys.platform == "darwin":
        base = Path("~/Library/Caches")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return base.expanduser().absolute() / "weft"
    except RuntimeError:  # the user has no home directory
        return Path(tempfile.gettempdir()) / f"weft-{os.getuid()}"


class _Knobs:
    """A group of settings. Setting an unknown one is an error, since it would have no effect."""

    def __setattr__(self, name: str, value: object) -> None:
        names = [knob for knob in vars(type(self)) if not knob.startswith("_")]
        if name not in names:
            raise WeftError(
                f"unknown knob {name}",
                found=f"{name} = {value!r}",
                accepted=names,
                hint=did_you_mean(name, names),
            )
        super().__setattr__(name, value)


class _Runtime(_Knobs):
    """Hooks: assigning a function replaces all hooks of a chain, assigning None removes them.

    Attributes:
        launch_enter_hook: Called with a `LaunchMetadata` before every launch.
        launch_exit_hook: Called with it after every launch, last added first.
        kernel_load_start_hook: Called before a compiled kernel is loaded.
        kernel_load_end_hook: Called after a compiled kernel was loaded, last added first.
    """

    launch_enter_hook = _HookChain()
    launch_exit_hook = _HookChain(last_first=True)
    kernel_load_start_hook = _HookChain()
    kernel_load_end_hook = _HookChain(last_first=True)


class _Cache(_Knobs):
    """The cache.

    Attributes:
        dir: The directory of compiled kernels and autotuning results.
    """

    dir = _Setting(_directory, _cache_directory, "WEFT_CACHE_DIR")


class _Compilation(_Knobs):
    """Compilation.

    Attributes:
        disable_line_info: Leave source lines out of machine code.
    """

    disable_line_info = _Setting(
        _flag, lambda: False, "WEFT_DISABLE_LINE_INFO", "TRITON_DISABLE_LINE_INFO"
    )


class _Autotuning(_Knobs):
    """Autotuning.

    Attributes:
        print: Print the measurements of each configuration.
        cache: Store all results on disk, as `cache_results=True` does.
    """

    print = _Setting(_flag, lambda: False, "WEFT_PRINT_AUTOTUNING", "TRITON_PRINT_AUTOTUNING")
    cache = _Setting(_flag, lambda: False, "WEFT_CACHE_AUTOTUNING", "TRITON_CACHE_AUTOTUNING")


def _unset() -> bool | None:
    return None


class _Amd(_Knobs):
    """Defaults of the compile options of the same names, for AMD GPUs.

    Attributes:
        use_async_copy: Copy from global to shared memory without registers in pipelined loops.
        use_block_pingpong: Schedule loops with dots for two warps per SIMD.
        use_in_thread_transpose: Transpose dot operands in registers.
        use_buffer_ops: Access global memory by buffer instructions where offsets fit.
        use_buffer_atomics: The same for atomic operations.
        buffer_ops_analyze_small_tensor_range: Decide by the range of the offsets even for
            arguments below 2 GiB.
    """

    use_async_copy = _Setting[bool | None](
        _flag, _unset, "WEFT_HIP_USE_ASYNC_COPY", "TRITON_HIP_USE_ASYNC_COPY"
    )
    use_block_pingpong = _Setting[bool | None](
        _flag, _unset, "WEFT_HIP_USE_BLOCK_PINGPONG", "TRITON_HIP_USE_BLOCK_PINGPONG"
    )
    use_in_thread_transpose = _Setting[bool | None](
        _flag, _unset, "WEFT_HIP_USE_IN_THREAD_TRANSPOSE", "TRITON_HIP_USE_IN_THREAD_TRANSPOSE"
    )
    use_buffer_ops = _Setting(
        _flag, lambda: True, "WEFT_AMDGCN_USE_BUFFER_OPS", "AMDGCN_USE_BUFFER_OPS"
    )
    use_buffer_atomics = _Setting(
        _flag, lambda: True, "WEFT_AMDGCN_USE_BUFFER_ATOMICS", "AMDGCN_USE_BUFFER_ATOMICS"
    )
    buffer_ops_analyze_small_tensor_range = _Setting(
        _flag,
        lambda: False,
        "WEFT_AMDGCN_ANALYZE_SMALL_TENSOR_RANGE",
        "AMDGCN_ANALYZE_SMALL_TENSOR_RANGE",
    )


runtime, cache, compilation = _Runtime(), _Cache(), _Compilation()
autotuning, amd = _Autotuning(), _Amd()

_CACHE_CLEAR = "`weft cache clear` deletes compiled kernels"
_DUMPS = "`weft compile --emit` and `weft opt --mlir-print-ir-after-all` print the IR"
_DEBUG = "the launch option debug=True keeps assertions"
# Variable of Triton that weft does not read: what has the same effect.
IGNORED = {
    "AMDGCN_ENABLE_DUMP": _DUMPS,
    "DISABLE_LLVM_OPT": "",
    "DISABLE_PTXAS_OPT": "",
    "LLVM_ENABLE_TIMING": "`weft opt --timing` prints the time of passes",
    "LLVM_IR_ENABLE_DUMP": _DUMPS,
    "LLVM_PASS_PLUGIN_PATH": "",
    "MLIR_ENABLE_DUMP": _DUMPS,
    "MLIR_ENABLE_TIMING": "`weft opt --timing` prints the time of passes",
    "NVPTX_ENABLE_DUMP": _DUMPS,
    "TRITON_ALWAYS_COMPILE": _CACHE_CLEAR,
    "TRITON_CACHE_DIR": "WEFT_CACHE_DIR is the directory of compiled kernels",
    "TRITON_DEBUG": _DEBUG,
    "TRITON_DEFAULT_FP_FUSION": "the launch option enable_fp_fusion",
    "TRITON_DUMP_DIR": _DUMPS,
    "TRITON_INTERPRET": "without a GPU, kernels run on the embedded CPU device",
    "TRITON_KERNEL_DUMP": _DUMPS,
    "TRITON_PTXAS_PATH": "WEFT_PTXAS is the path of ptxas",
    "USE_IR_LOC": "",
}


def unread_variables() -> dict[str, str]:
    """List the environment variables of Triton or weft that are set and that weft does not read.

    Returns:
        By name, what has the same effect; "" if nothing has.
    """
    groups = (amd, autotuning, cache, compilation, runtime)
    settings = (each for group in groups for each in vars(type(group)).values())
    read = {name for each in settings if isinstance(each, _Setting) for name in each.names}
    read |= {"WEFT_PTXAS", "WEFT_DEVICE_LIBRARIES"}
    unread = {
        name
        for name in os.environ.keys() - read
        if name in IGNORED or name.startswith(("TRITON_", "WEFT_"))
    }
    return {name: IGNORED.get(name) or did_you_mean(name, read) or "" for name in sorted(unread)}
