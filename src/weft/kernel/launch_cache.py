"""Launch again quickly: find the compiled kernel by what its arguments look like.

A launch on a GPU takes the driver two microseconds; binding and specialising in full would take
forty times that. So a launch that looks like one before it is recognised by straight-line code that
is written for the kernel. For `def add(x, n, BLOCK: tl.constexpr, STEP: tl.constexpr = 2)`:

    def add(_grid, /, x=MISSING, n=MISSING, BLOCK=MISSING, STEP=2, *_rest, **_options):
        device = get_device()
        t = type(x)
        if t is Tensor: v0 = x.data_ptr(); k0 = x.dtype; a0 = not v0 & 15
        elif t is int:  v0 = x; k0 = x == 1; a0 = not x & 15
        …
        else:           k0, v0 = form(x, device); a0 = form     # tuples, descriptors, …: forms.py
        …
        found = programs.get((device, k0, a0, k1, a1, BLOCK, type(BLOCK), …))
        …
        found.direct(grid_x, grid_y, grid_z, get_stream(device), v0, v1, None, None)

The key tells at least as much apart as specialisation does, so what it finds is what a launch in
full would find; where it finds nothing, or meets anything else, the launch is made in full.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from weft import knobs
from weft.compiler import type_names
from weft.compiler.fingerprint import Captured
from weft.kernel.specialization_key import form
from weft.language.kernel_function import KernelFunction, Parameter

if TYPE_CHECKING:
    from weft.launch.drivers.cuda.kernel import GpuProgram

__all__ = ["Dispatch"]

Launch = Callable[..., Any]
InFull = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


class _Missing:
    """Stands for an argument that a launch does not give."""

    __slots__ = ()


_MISSING = _Missing()

_RUNTIME = """
        _w_t = _w_type({name})
        if _w_t is _w_Tensor or _w_t is _w_Parameter:
            if {name}.get_device() != _w_device: return _w_full({all})
            _w_v{n} = {name}.data_ptr(); _w_k{n} = {name}.dtype; _w_a{n} = not _w_v{n} & 15
        elif _w_t is _w_int:
            _w_v{n} = {name}; _w_a{n} = not {name} & 15
{integer}
        elif _w_t is _w_float or _w_t is _w_bool:
            _w_v{n} = {name}; _w_k{n} = _w_t; _w_a{n} = 0
        elif {name} is None:
            _w_v{n} = _w_k{n} = None; _w_a{n} = 0
        else:
            _w_f = _w_form({name}, _w_device)
            if _w_f is None: return _w_full({all})
            _w_k{n}, _w_v{n} = _w_f; _w_a{n} = _w_form
            {check}
"""
_INTEGER = """\
            if -2147483648 <= {name} < 2147483648: _w_k{n} = {name} == 1
            elif -9223372036854775808 <= {name} < 9223372036854775808: _w_k{n} = 2
            elif 0 <= {name} < 18446744073709551616: _w_k{n} = 3
            else: return _w_full({all})"""
_BOUNDED = "if not {low} <= _w_v{n} < {high}: return _w_full({all})"
_CONSTANT = """
        _w_k{n} = _w_type({name})
        if _w_k{n} is not _w_int: _w_k{n} = _w_exact({name})
"""
_BODY = """
def {kernel}(_w_grid, /, {parameters}*_w_rest, **_w_options):
    if _w_hooks or _w_exit_hooks or _w_run_hooks or _w_rest: return _w_full({all})
    if _w_seen and not _w_captured.unchanged: return _w_full({all})
    _w_device = _w_get_device()
    try:
{arguments}
        _w_found = _w_programs.get(({key}_w_tuple(_w_options.items()) if _w_options else None))
    except _w_TypeError:
        return _w_full({all})  # a constant that no dictionary takes as a key
    if _w_found is None: return _w_full({all})
    _w_sizes = _w_grid
    if _w_type(_w_sizes) is not _w_tuple:
        if not _w_callable(_w_sizes): return _w_full({all})
        try:
            _w_sizes = _w_sizes({named})
        except _w_KeyError:
            return _w_full({all})  # which says what there is
        if _w_type(_w_sizes) is not _w_tuple: return _w_full({all})
    _w_n = _w_len(_w_sizes)
    if _w_n == 1:
        _w_x, = _w_sizes; _w_y = _w_z = 1
    elif _w_n == 2:
        _w_x, _w_y = _w_sizes; _w_z = 1
    elif _w_n == 3:
        _w_x, _w_y, _w_z = _w_sizes
    else: return _w_full({all})
    if not (_w_type(_w_x) is _w_type(_w_y) is _w_type(_w_z) is _w_int): return _w_full({all})
    if _w_x <= 0 or _w_y <= 0 or _w_z <= 0: return _w_full({all})
    _w_found[1](_w_x, _w_y, _w_z, _w_get_stream(_w_device), {values})
    return _w_found[0]
"""


def _source(kernel: KernelFunction) -> str:
    """Return the code that looks at a launch of a kernel."""
    names = kernel.parameter_names
    every = f"_w_grid, ({''.join(f'{name}, ' for name in names)}), _w_rest, _w_options"
    arguments, key, values = [], ["_w_device"], []
    for n, parameter in enumerate(kernel.parameters):
        if parameter.is_constexpr:
            arguments.append(_CONSTANT.format(n=n, name=parameter.name, all=every).strip("\n"))
            key += [parameter.name, f"_w_k{n}"]
            values.append("None")
        else:
            arguments.append(_runtime(n, parameter, every))
            key += [f"_w_k{n}", f"_w_a{n}"]
            values.append(f"_w_v{n}")
    named = "".join(f"{name!r}: {name}, " for name in names)
    return _BODY.format(
        kernel=kernel.name if kernel.name.isidentifier() else "kernel",
        parameters="".join(f"{name}=_w_d{n}, " for n, name in enumerate(names)),
        all=every,
        arguments="\n".join(arguments),
        key="".join(f"{part}, " for part in key),
        named=f"{{{named}**_w_options}}",
        values=", ".join(values),
    )


def _runtime(n: int, parameter: Parameter, every: str) -> str:
    """Return the code that looks at one argument of the compiled kernel.

    Args: n: its number.  every: what a launch in full is given.
    """
    declared = type_names.declared(parameter.annotation) or ""
    integer, check = _INTEGER.format(n=n, name=parameter.name, all=every), ""
    if type_names.is_integer(declared):
        low, high = type_names.range_of(declared)
        check = _BOUNDED.format(n=n, low=low, high=high, all=every)
        integer = f"{' ' * 12}{check}\n{' ' * 12}_w_k{n} = {parameter.name} == 1"
    code = _RUNTIME.format(
        n=n, name=parameter.name, all=every, integer=integer, check=check or "pass"
    )
    return code.strip("\n")


def _exact(value: object) -> object:
    """Return what tells a constant from others that are equal: 0.0 and -0.0, (1,) and (1.0,).

    Raises: TypeError: it cannot be told by its value.
    """
    if isinstance(value, float):
        return type(value), repr(value)
    if isinstance(value, tuple):
        return type(value), *map(_exact, value)
    hash(value)
    return type(value)


class Dispatch:
    """The launches of a kernel that were seen, by what they were given.

    Args: kernel: that is launched.  in_full: makes a launch in full, from the grid, the positional
          arguments and those by name.  run_hooks: functions to call before every launch.

    `launch` is what a launch calls, with the grid and then the kernel's own arguments.
    """

    __slots__ = (
        "_asks",
        "_kept",
        "captured",
        "in_full",
        "kernel",
        "launch",
        "programs",
        "run_hooks",
    )

    def __init__(
        self,
        kernel: KernelFunction,
        captured: Captured,
        in_full: InFull,
        run_hooks: list[Callable[..., object]],
    ) -> None:
        self.kernel, self.captured, self.run_hooks = kernel, captured, run_hooks
        self.in_full = in_full
        self.programs: dict[Any, tuple[GpuProgram, Launch]] = {}
        self.launch: Launch = self._first
        self._kept = _Keep()
        self._asks: Launch | None = None

    def _first(self, grid: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Launch where nothing was launched yet, when whoever calls asked for what to call."""
        if self.programs:
            return self.launch(grid, *args, **kwargs)
        return self.in_full(grid, args, kwargs)

    def remember(self, args: tuple[Any, ...], kwargs: dict[str, Any], program: GpuProgram) -> None:
        """Recognise launches like this one from now on."""
        torch = sys.modules.get("torch")
        get_device = getattr(getattr(torch, "_C", None), "_cuda_getDevice", None)
        if torch is None or get_device is None:
            return  # nothing says which GPU and which stream is the current one
        if self._asks is None:
            self._asks = self._written(torch, get_device, self._kept)
        self._kept.key = None
        self._asks((1,), *args, **kwargs)
        key = self._kept.key
        known = self.programs.get(key)
        if key is None or (known is not None and known[0] is program):
            return
        if not self.programs:
            self.launch = self._written(torch, get_device, self.programs)
        self.programs[key] = (program, program.direct)

    def _written(self, torch: Any, get_device: Any, programs: Any) -> Launch:
        """Return the code for the kernel, over what finds a program by its key."""
        only_asks = isinstance(programs, _Keep)
        scope: dict[str, Any] = {
            "_w_KeyError": KeyError,
            "_w_Parameter": torch.nn.Parameter,
            "_w_Tensor": torch.Tensor,
            "_w_TypeError": TypeError,
            "_w_bool": bool,
            "_w_callable": callable,
            "_w_captured": self.captured,
            "_w_exact": _exact,
            "_w_exit_hooks": [] if only_asks else knobs.runtime.launch_exit_hook.calls,
            "_w_float": float,
            "_w_form": form,
            "_w_full": (lambda *call: None) if only_asks else self._in_full,
            "_w_get_device": get_device,
            "_w_get_stream": torch._C._cuda_getCurrentRawStream,
            "_w_hooks": [] if only_asks else knobs.runtime.launch_enter_hook.calls,
            "_w_int": int,
            "_w_len": len,
            "_w_programs": programs,
            "_w_run_hooks": [] if only_asks else self.run_hooks,
            "_w_seen": self.captured.seen,
            "_w_tuple": tuple,
            "_w_type": type,
        }
        for n, parameter in enumerate(self.kernel.parameters):
            scope[f"_w_d{n}"] = parameter.default if parameter.has_default else _MISSING
        exec(_source(self.kernel), scope)
        return scope[self.kernel.name if self.kernel.name.isidentifier() else "kernel"]

    def _in_full(
        self, grid: Any, given: tuple[Any, ...], rest: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Make a launch in full, of what the written code was given."""
        if rest:
            return self.in_full(grid, (*given, *rest), options)
        names = self.kernel.parameter_names
        pairs = zip(names, given, strict=True)
        named = {name: value for name, value in pairs if value is not _MISSING}
        return self.in_full(grid, (), named | options)


class _Keep:
    """Stand in for the programs of a kernel, to be told the key of a launch."""

    key: Any = None

    def get(self, key: Any) -> None:
        hash(key)
        self.key = key
