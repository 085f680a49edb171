"""`weft.heuristics`: meta-parameters and options computed from the arguments of a launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.compiler.options import ALL_OPTIONS
from weft.errors import LaunchError, did_you_mean
from weft.kernel.jit import jit
from weft.kernel.kernel_interface import KernelInterface, kernel_of

__all__ = ["Heuristics", "heuristics"]

Rule = Callable[[dict[str, Any]], object]
"""Maps the arguments of a launch by name to the value of a parameter or option."""


class Heuristics(KernelInterface[KernelInterface[object]]):
    """A kernel with parameters that are computed at each launch.

    Args:
        fn: A kernel, an autotuner or other heuristics.
        arg_names: The names of its parameters; () to read them from the kernel.
        values: The rule of each parameter or compile option, such as num_warps.

    Raises:
        LaunchError: `values` names an unknown parameter, or has a value that is not a function.
    """

    def __init__(self, fn: object, arg_names: Sequence[str], values: Mapping[str, Rule]) -> None:
        self.fn = fn if isinstance(fn, KernelInterface) else jit(fn)
        self.values = dict(values)
        kernel = kernel_of(self.fn)
        self.arg_names = list(arg_names or kernel.parameter_names)
        for name, rule in self.values.items():
            if not callable(rule):
                raise LaunchError(
                    f"{kernel.name}: heuristics needs a function for {name}",
                    found=repr(rule)[:80],
                    accepted=[f'{{"{name}": lambda args: …}}'],
                )
            if name not in self.arg_names and name not in ALL_OPTIONS:
                raise LaunchError(
                    f"{kernel.name}: heuristics names an unknown parameter",
                    found=name,
                    accepted=self.arg_names,
                    hint=did_you_mean(name, self.arg_names),
                )

    def run(self, *args: object, grid: object, warmup: bool = False, **kwargs: object) -> object:
        """Compute the values in order and launch. A rule sees the values before it."""
        for name, rule in self.values.items():
            arguments = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
            kwargs[name] = rule(arguments)
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


def heuristics(values: Mapping[str, Rule]) -> Callable[[object], Heuristics]:
    """Compute parameters of a kernel instead of passing them.

        @weft.heuristics({"BLOCK": lambda args: weft.next_power_of_2(args["n"])})
        @weft.jit
        def kernel(x, n, BLOCK: tl.constexpr): …

    Args:
        values: The rule of each parameter or compile option.

    Raises:
        LaunchError: As Heuristics.
    """
    return lambda fn: Heuristics(fn, getattr(fn, "arg_names", ()), values)
