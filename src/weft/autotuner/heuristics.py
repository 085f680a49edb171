"""`weft.heuristics`: meta-parameters computed from the other arguments of a launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weft.errors import LaunchError, did_you_mean
from weft.kernel.jit import Launchable, jit, kernel_of


class Heuristics(Launchable):
    """Add computed arguments to every launch of a kernel.

    Args: fn: a kernel, an autotuner or another heuristic.
          values: parameter → function from the arguments by name to its value.
    Raises: LaunchError: `values` names no parameter, or gives no function.
    """

    def __init__(self, fn: Any, values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None:
        self.fn = fn if isinstance(fn, Launchable) else jit(fn)
        self.values = dict(values)
        self.arg_names = list(kernel_of(self.fn).parameter_names)
        for name, rule in self.values.items():
            if not callable(rule):
                raise LaunchError(
                    f"{kernel_of(self.fn).name}: heuristics computes {name} by a function",
                    found=repr(rule)[:80],
                    accepted=[f'{{"{name}": lambda args: …}}'],
                )
            if name not in self.arg_names:
                raise LaunchError(
                    f"{kernel_of(self.fn).name}: heuristics names an unknown parameter",
                    found=name,
                    accepted=self.arg_names,
                    hint=did_you_mean(name, self.arg_names),
                )

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Compute the values, each seeing those before it, and launch."""
        for name, rule in self.values.items():
            seen = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
            kwargs[name] = rule(seen)
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


def heuristics(
    values: Mapping[str, Callable[[dict[str, Any]], Any]],
) -> Callable[[Any], Heuristics]:
    """Compute parameters of a kernel instead of passing them.

    @weft.heuristics({"BLOCK": lambda args: weft.next_power_of_2(args["n"])})
    @weft.jit
    def kernel(x, n, BLOCK: tl.constexpr): …

    Args: values: parameter → function from the arguments by name to its value.
    Raises: LaunchError: a name that is no parameter.
    """
    return lambda fn: Heuristics(fn, values)
