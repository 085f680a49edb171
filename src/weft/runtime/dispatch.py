"""Launch again quickly: find the compiled kernel by what its arguments look like.

A launch on a GPU takes the driver some microseconds; binding and specialising in full would take
ten times that. So a launch that looks like one before it is recognised by straight-line code that
is written for the form of the call. For `add[grid](x, y, out, n, BLOCK=1024)`:

    t = type(a0)
    if t is Tensor: v0 = a0.data_ptr(); s0 = a0.dtype, not v0 & 15, a0.get_device()
    elif t is int:  v0 = a0; s0 = a0 == 1, not a0 & 15, -2147483648 <= a0 < 2147483648
    …
    found = programs.get((s0, s1, s2, s3, k0))

The key tells at least as much apart as specialisation does, so what it finds is what `run` would
find; where it finds nothing, or meets anything else, `run` is what happens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weft.language.function import KernelFunction

if TYPE_CHECKING:
    from weft.runtime.gpu import GpuProgram

__all__ = ["Dispatch"]

Form = tuple[Any, ...]
Find = Callable[[dict[Any, Any], Any, Any], Any]

_RUNTIME = """\
    t = type(a{n})
    if t is Tensor:
        v{n} = a{n}.data_ptr()
        s{n} = (a{n}.dtype, not v{n} & 15)
        if a{n}.get_device() != device: return None
    elif t is int:
        v{n} = a{n}
        s{n} = (a{n} == 1, not a{n} & 15, -2147483648 <= a{n} < 2147483648)
        if not -9223372036854775808 <= a{n} < 9223372036854775808: return None
    elif t is float or t is bool:
        v{n} = a{n}
        s{n} = t
    elif a{n} is None:
        v{n} = s{n} = None
    else:
        return None
"""


def _source(kernel: KernelFunction, count: int, keywords: tuple[str, ...]) -> str:
    """Return the code that looks at a call of one form: `count` arguments, and keywords."""
    lines = ["def find(programs, args, kwargs):", "    device = get_device()"]
    if count:
        lines.append(f"    {', '.join(f'a{n}' for n in range(count))}, = args")
    values, keys = ["None"] * len(kernel.parameters), []
    for n, parameter in enumerate(kernel.parameters):
        if n >= count and parameter.name not in keywords:
            continue  # its default, the same each time
        if n >= count:
            lines.append(f"    a{n} = kwargs[{parameter.name!r}]")
        if parameter.is_constexpr:
            keys.append(f"a{n}, type(a{n})")
            values[n] = "None"
        else:
            lines += _RUNTIME.format(n=n).rstrip("\n").split("\n")
            keys.append(f"s{n}")
            values[n] = f"v{n}"
    options = [name for name in keywords if name not in kernel.parameter_names]
    keys += [f"kwargs[{name!r}]" for name in options]
    lines.append(f"    hit = programs.get((device, {', '.join(keys)},))")
    lines.append("    if hit is None: return None")
    lines.append(f"    return hit, ({', '.join(values)},), device")
    return "\n".join(lines)


@dataclass(slots=True)
class Dispatch:
    """The launches of a kernel that were seen, by the form of the call and what it was given."""

    kernel: KernelFunction
    forms: dict[Form, tuple[Find, dict[Any, GpuProgram]]] = field(default_factory=dict)

    def find(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[GpuProgram, tuple[Any, ...], int] | None:
        """Return the program of a launch, its parameters' values, and the GPU; None if unknown."""
        form = self.forms.get((len(args), *kwargs))
        if form is None:
            return None
        try:
            return form[0](form[1], args, kwargs)
        except TypeError:  # a constant that no dictionary takes as a key
            return None

    def remember(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], program: GpuProgram
    ) -> None:
        """Recognise launches like this one from now on."""
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_available():
            return  # arrays of other libraries are bound in full
        key = (len(args), *kwargs)
        if key not in self.forms:
            scope: dict[str, Any] = {
                "Tensor": torch.Tensor,
                "get_device": torch._C._cuda_getDevice,
            }
            exec(_source(self.kernel, len(args), tuple(kwargs)), scope)
            self.forms[key] = scope["find"], {}
        find, programs = self.forms[key]
        kept = _Keep(program)
        try:
            find(kept, args, kwargs)  # pyright: ignore
        except TypeError:
            return
        if kept.key is not None:
            programs[kept.key] = program


class _Keep:
    """Stand in for the programs of a form, to be told the key of a launch."""

    def __init__(self, program: GpuProgram) -> None:
        self.program, self.key = program, None

    def get(self, key: Any) -> GpuProgram:
        hash(key)
        self.key = key
        return self.program
