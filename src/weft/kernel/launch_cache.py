"""Find the loaded kernel of a repeated launch by a key of its arguments.

The CUDA driver launches in two microseconds; binding and specializing the arguments takes forty
times as long. So a repeated launch takes a fast path: straight-line code that is generated for the
kernel. For `def add(x, n, BLOCK: tl.constexpr, STEP: tl.constexpr = 2)`:

    def add(_grid, /, x=MISSING, n=MISSING, BLOCK=MISSING, STEP=2, *_rest, **_options):
        device = get_device()
        t = type(x)
        if t is Tensor: v0 = x.data_ptr(); k0 = x.dtype; a0 = not v0 & 15
        elif t is int:  v0 = x; k0 = x == 1; a0 = not x & 15
        …
        else:           k0, v0 = argument_key(x, device); a0 = argument_key  # tuples, descriptors
        …
        entry = kernels.get((device, settings.number, k0, a0, k1, a1, BLOCK, type(BLOCK), …))
        …
        entry.launch_values(grid_x, grid_y, grid_z, get_stream(device), v0, v1, None, None)

The key distinguishes at least what specialization distinguishes, so a hit is the kernel that the
full path would launch. On a miss, and for anything unusual, the launch takes the full path.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Protocol, cast

from weft import knobs
from weft.compiler.fingerprint import CapturedGlobals
from weft.compiler.type_names import annotated_type, integer_range, is_integer
from weft.kernel.specialization_key import argument_key
from weft.language.kernel_function import KernelFunction, Parameter
from weft.launch.drivers.gpu_driver import Launcher

__all__ = ["LaunchCache"]

Launch = Callable[..., object]
"""Takes the grid, and the arguments of a launch."""
FullPath = Callable[[object, tuple[object, ...], dict[str, object]], object]
"""Takes the grid, the positional and the keyword arguments."""


class LoadedKernel(Protocol):
    """A kernel on a GPU, as the cache holds it."""

    @property
    def launch_values(self) -> Launcher:
        """Launches it on one value per parameter, with addresses for arrays."""
        ...


class _Missing:
    """The default of a parameter that has none."""

    __slots__ = ()


_MISSING = _Missing()

# The templates of the generated code. Its names begin with _w_, so that no kernel parameter hides
# them. For parameter {n}: _w_v{n} is the value to launch with; _w_k{n} and _w_a{n}, for type
# and alignment, are the parts of the key.
_RUNTIME_ARGUMENT = """
        _w_t = _w_type({name})
        if _w_t is _w_Tensor or _w_t is _w_Parameter:
            if {name}.get_device() != _w_device: return _w_full_path({all})
            _w_v{n} = {name}.data_ptr(); _w_k{n} = {name}.dtype; _w_a{n} = not _w_v{n} & 15
        elif _w_t is _w_int:
            _w_v{n} = {name}; _w_a{n} = not {name} & 15
{integer}
        elif _w_t is _w_float or _w_t is _w_bool:
            _w_v{n} = {name}; _w_k{n} = _w_t; _w_a{n} = 0
        elif {name} is None:
            _w_v{n} = _w_k{n} = None; _w_a{n} = 0
        else:
            _w_pair = _w_argument_key({name}, _w_device)
            if _w_pair is None: return _w_full_path({all})
            _w_k{n}, _w_v{n} = _w_pair; _w_a{n} = _w_argument_key
            {check}
"""
_INTEGER = """\
            if -2147483648 <= {name} < 2147483648: _w_k{n} = {name} == 1
            elif -9223372036854775808 <= {name} < 9223372036854775808: _w_k{n} = 2
            elif 0 <= {name} < 18446744073709551616: _w_k{n} = 3
            else: return _w_full_path({all})"""
_RANGE_CHECK = "if not {low} <= _w_v{n} < {high}: return _w_full_path({all})"
_CONSTANT_ARGUMENT = """
        _w_k{n} = _w_type({name})
        if _w_k{n} is not _w_int: _w_k{n} = _w_constant_key({name})
"""
_FUNCTION = """
def {kernel}(_w_grid, /, {parameters}*_w_rest, **_w_options):
    if _w_enter_hooks or _w_exit_hooks or _w_run_hooks or _w_rest: return _w_full_path({all})
    if not _w_settings.number: return _w_full_path({all})
    if _w_references and not _w_globals.unchanged: return _w_full_path({all})
    _w_device = _w_get_device()
    try:
{arguments}
        _w_entry = _w_kernels.get(({key}_w_tuple(_w_options.items()) if _w_options else None))
    except _w_TypeError:
        return _w_full_path({all})  # an unhashable constant
    if _w_entry is None: return _w_full_path({all})
    _w_sizes = _w_grid
    if _w_type(_w_sizes) is not _w_tuple:
        if not _w_callable(_w_sizes): return _w_full_path({all})
        try:
            _w_sizes = _w_sizes({named})
        except _w_KeyError:
            return _w_full_path({all})  # which raises the error
        if _w_type(_w_sizes) is not _w_tuple: return _w_full_path({all})
    _w_n = _w_len(_w_sizes)
    if _w_n == 1:
        _w_x, = _w_sizes; _w_y = _w_z = 1
    elif _w_n == 2:
        _w_x, _w_y = _w_sizes; _w_z = 1
    elif _w_n == 3:
        _w_x, _w_y, _w_z = _w_sizes
    else: return _w_full_path({all})
    if not (_w_type(_w_x) is _w_type(_w_y) is _w_type(_w_z) is _w_int): return _w_full_path({all})
    if _w_x <= 0 or _w_y <= 0 or _w_z <= 0: return _w_full_path({all})
    _w_entry[1](_w_x, _w_y, _w_z, _w_get_stream(_w_device), {values})
    return _w_entry[0]
"""


def _fast_path_source(kernel: KernelFunction) -> str:
    """Generate the fast path of a kernel."""
    names = kernel.parameter_names
    all_ = f"_w_grid, ({''.join(f'{name}, ' for name in names)}), _w_rest, _w_options"
    arguments, key, values = [], ["_w_device", "_w_settings.number"], []
    for n, parameter in enumerate(kernel.parameters):
        if parameter.is_constexpr:
            code = _CONSTANT_ARGUMENT.format(n=n, name=parameter.name, all=all_)
            arguments.append(code.strip("\n"))
            key += [parameter.name, f"_w_k{n}"]
            values.append("None")
        else:
            arguments.append(_runtime_argument_source(n, parameter, all_))
            key += [f"_w_k{n}", f"_w_a{n}"]
            values.append(f"_w_v{n}")
    named = "".join(f"{name!r}: {name}, " for name in names)
    return _FUNCTION.format(
        kernel=_function_name(kernel),
        parameters="".join(f"{name}=_w_d{n}, " for n, name in enumerate(names)),
        all=all_,
        arguments="\n".join(arguments),
        key="".join(f"{part}, " for part in key),
        named=f"{{{named}**_w_options}}",
        values=", ".join(values),
    )


def _function_name(kernel: KernelFunction) -> str:
    return kernel.name if kernel.name.isidentifier() else "kernel"


def _runtime_argument_source(n: int, parameter: Parameter, all_: str) -> str:
    """Generate the code that computes value and key of an argument that is not a constexpr.

    Args:
        n: Position of the parameter.
        parameter: The parameter.
        all_: The arguments of the full path.
    """
    annotation = annotated_type(parameter.annotation) or ""
    if is_integer(annotation):
        low, high = integer_range(annotation)
        check = _RANGE_CHECK.format(n=n, low=low, high=high, all=all_)
        integer = f"{' ' * 12}{check}\n{' ' * 12}_w_k{n} = {parameter.name} == 1"
    else:
        check = "pass"
        integer = _INTEGER.format(n=n, name=parameter.name, all=all_)
    code = _RUNTIME_ARGUMENT.format(
        n=n, name=parameter.name, all=all_, integer=integer, check=check
    )
    return code.strip("\n")


def _constant_key(value: object) -> object:
    """Compute what distinguishes constants that are equal in Python: 0.0 and -0.0, 1 and 1.0.

    Raises:
        TypeError: The value is not hashable.
    """
    if isinstance(value, float):
        return type(value), repr(value)
    if isinstance(value, tuple):
        return type(value), *map(_constant_key, value)
    hash(value)
    return type(value)


class LaunchCache:
    """The loaded kernels of a JITFunction, by the key of a launch.

    Attributes:
        kernel: The kernel that is launched.
        captured_globals: The globals that it reads.
        full_path: Launches without the cache.
        run_hooks: Functions to call before every launch; with any, no launch takes the fast path.
        kernels: The loaded kernel and its launcher, by key.
        launch: What a launch calls, with the grid and the arguments.
    """

    __slots__ = (
        "_compute_key",
        "_recorder",
        "captured_globals",
        "full_path",
        "kernel",
        "kernels",
        "launch",
        "run_hooks",
    )

    def __init__(
        self,
        kernel: KernelFunction,
        captured_globals: CapturedGlobals,
        full_path: FullPath,
        run_hooks: list[Callable[..., object]],
    ) -> None:
        self.kernel, self.captured_globals = kernel, captured_globals
        self.full_path, self.run_hooks = full_path, run_hooks
        self.kernels: dict[object, tuple[LoadedKernel, Launcher]] = {}
        captured_globals.on_change.append(self.kernels.clear)
        self.launch: Launch = self._first_launch
        self._recorder = _KeyRecorder()
        self._compute_key: Launch | None = None

    def _first_launch(self, grid: object, /, *args: object, **kwargs: object) -> object:
        # A caller may keep kernel[grid] from before the first launch and call it many times.
        if self.kernels:
            return self.launch(grid, *args, **kwargs)
        return self.full_path(grid, args, kwargs)

    def add(
        self, args: tuple[object, ...], kwargs: dict[str, object], loaded: LoadedKernel
    ) -> None:
        """Let launches with the same key take the fast path from now on.

        Args:
            args: Positional arguments of the launch.
            kwargs: Keyword arguments and options of the launch.
            loaded: The kernel that it launched.
        """
        torch = sys.modules.get("torch")
        get_device = getattr(getattr(torch, "_C", None), "_cuda_getDevice", None)
        if torch is None or get_device is None:
            return  # the fast path asks torch for the current GPU and stream
        if self._compute_key is None:
            self._compute_key = self._compile_fast_path(torch, get_device, self._recorder)
        self._recorder.key = None
        self._compute_key((1,), *args, **kwargs)
        key = self._recorder.key
        entry = self.kernels.get(key)
        if key is None or (entry is not None and entry[0] is loaded):
            return
        if not self.kernels:
            self.launch = self._compile_fast_path(torch, get_device, self.kernels)
        self.kernels[key] = (loaded, loaded.launch_values)

    def _compile_fast_path(
        self,
        torch: ModuleType,
        get_device: Callable[[], int],
        kernels: dict[object, tuple[LoadedKernel, Launcher]] | _KeyRecorder,
    ) -> Launch:
        """Compile the fast path over a dictionary of kernels, or over what records the key."""
        records = isinstance(kernels, _KeyRecorder)
        scope: dict[str, object] = {
            "_w_KeyError": KeyError,
            "_w_Parameter": torch.nn.Parameter,
            "_w_Tensor": torch.Tensor,
            "_w_TypeError": TypeError,
            "_w_argument_key": argument_key,
            "_w_bool": bool,
            "_w_callable": callable,
            "_w_constant_key": _constant_key,
            "_w_enter_hooks": [] if records else knobs.runtime.launch_enter_hook.calls,
            "_w_exit_hooks": [] if records else knobs.runtime.launch_exit_hook.calls,
            "_w_float": float,
            "_w_full_path": (lambda *call: None) if records else self._take_full_path,
            "_w_get_device": get_device,
            "_w_get_stream": torch._C._cuda_getCurrentRawStream,
            "_w_globals": self.captured_globals,
            "_w_int": int,
            "_w_kernels": kernels,
            "_w_len": len,
            "_w_references": self.captured_globals.references,
            "_w_run_hooks": [] if records else self.run_hooks,
            "_w_settings": knobs.CompileSettings,
            "_w_tuple": tuple,
            "_w_type": type,
        }
        for n, parameter in enumerate(self.kernel.parameters):
            scope[f"_w_d{n}"] = parameter.default if parameter.has_default else _MISSING
        exec(_fast_path_source(self.kernel), scope)
        return cast("Launch", scope[_function_name(self.kernel)])

    def _take_full_path(
        self,
        grid: object,
        values: tuple[object, ...],
        rest: tuple[object, ...],
        options: dict[str, object],
    ) -> object:
        """Launch without the cache, with the arguments that the fast path received."""
        if rest:
            return self.full_path(grid, (*values, *rest), options)
        pairs = zip(self.kernel.parameter_names, values, strict=True)
        named = {name: value for name, value in pairs if value is not _MISSING}
        return self.full_path(grid, (), named | options)


class _KeyRecorder:
    """Takes the place of the dictionary of kernels, and records the key of a lookup."""

    key: object = None

    def get(self, key: object) -> None:
        hash(key)
        self.key = key
