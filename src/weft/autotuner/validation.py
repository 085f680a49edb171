"""Checks of the arguments of `weft.autotune` against the parameters of the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.autotuner.config import Config
from weft.compiler.options import ALL_OPTIONS
from weft.errors import LaunchError, did_you_mean, warn_ignored

__all__ = ["check_configs", "check_hooks", "check_keys", "check_names"]


def check_configs(
    kernel: str, configs: Sequence[Config], parameters: Sequence[str]
) -> list[Config]:
    """Require configurations that set parameters and options.

    Args:
        kernel: The name of the kernel.
        configs: The argument `configs`.
        parameters: The names of the kernel's parameters.

    Raises:
        LaunchError: The argument is no list of configurations, or one sets an unknown name.
    """
    known = (*parameters, *ALL_OPTIONS)
    if isinstance(configs, Config) or not all(isinstance(each, Config) for each in configs):
        raise LaunchError(
            f"{kernel}: autotune takes a list of configurations",
            found=repr(configs)[:80],
            accepted=["[weft.Config({…}), …]"],
        )
    for name in (name for config in configs for name in config.kwargs):
        if name not in known:
            raise LaunchError(
                f"{kernel}: Config sets an unknown parameter",
                found=name,
                accepted=parameters,
                hint=did_you_mean(name, known),
            )
    return list(configs)


def check_names(
    kernel: str, keyword: str, names: Sequence[str], parameters: Sequence[str]
) -> list[str]:
    """Require a list of names of parameters.

    Args:
        kernel: The name of the kernel.
        keyword: The keyword of autotune.
        names: Its argument.
        parameters: The names of the kernel's parameters.

    Raises:
        LaunchError: The argument is one string, or names no parameter.
    """
    if isinstance(names, str):
        raise LaunchError(
            f"{kernel}: {keyword} of autotune must be a list of names",
            found=repr(names),
            accepted=[f"{keyword}=[{names!r}]"],
        )
    for name in names:
        if name not in parameters:
            raise LaunchError(
                f"{kernel}: {keyword} of autotune names an unknown parameter",
                found=name,
                accepted=parameters,
                hint=did_you_mean(name, parameters),
            )
    return list(names)


def check_keys(kernel: str, names: Sequence[str], parameters: Sequence[str]) -> list[str]:
    """Require a list of names; those of no parameter have no effect, as in Triton.

    Packages have such names: of parameters that they have removed, or of another kernel.

    Args:
        kernel: The name of the kernel.
        names: The argument `key` of autotune.
        parameters: The names of the kernel's parameters.

    Returns:
        The names of parameters.

    Raises:
        LaunchError: The argument is one string.
    """
    if isinstance(names, str):
        return check_names(kernel, "key", names, parameters)
    for name in names:
        if name not in parameters:
            hint = did_you_mean(name, parameters)
            reason = f"the kernel has no such parameter{f' ({hint})' if hint else ''}"
            warn_ignored(f"{kernel}: {name} in key of autotune has no effect: {reason}")
    return [name for name in names if name in parameters]


def check_hooks(kernel: str, hooks: Mapping[str, object]) -> None:
    """Require functions.

    Args:
        kernel: The name of the kernel.
        hooks: The arguments of autotune that are functions, None if they are missing.

    Raises:
        LaunchError: One is no function.
    """
    for name, hook in hooks.items():
        if hook is not None and not callable(hook):
            raise LaunchError(
                f"{kernel}: {name} of autotune must be a function",
                found=repr(hook)[:80],
            )
