"""Bind the arguments of a launch to the parameters of a kernel, and set the options apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.compiler.options import ALL_OPTIONS
from weft.errors import LaunchError, did_you_mean
from weft.language.kernel_function import KernelFunction


def bind(
    kernel: KernelFunction, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the value of every parameter, defaults included and in order, and the options.

    A keyword that names a parameter is one, even if an option has the same name.

    Raises: LaunchError: too many arguments, one given twice, one missing, or an unknown keyword.
    """
    names = kernel.parameter_names
    if len(args) > len(names):
        raise LaunchError(
            f"{kernel.name} takes {len(names)} arguments and got {len(args)}",
            found=f"{len(args)} positional arguments",
            accepted=names,
        )
    given = dict(zip(names, args, strict=False))
    options: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name in given:
            raise LaunchError(
                f"{kernel.name}: parameter {name} is given twice",
                found=f"argument {names.index(name)} and {name}=…",
                accepted=["one of them"],
            )
        if name in names:
            given[name] = value
        elif name in ALL_OPTIONS:
            options[name] = value
        else:
            raise _unknown(kernel, name)
    return _complete(kernel, given), options


def _complete(kernel: KernelFunction, given: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    missing: list[str] = []
    for parameter in kernel.parameters:
        if parameter.name in given:
            values[parameter.name] = given[parameter.name]
        elif parameter.has_default:
            values[parameter.name] = parameter.default
        else:
            missing.append(parameter.name)
    if missing:
        constants = [each.name for each in kernel.parameters if each.is_constexpr]
        keyword = next((name for name in missing if name in constants), None)
        raise LaunchError(
            f"{kernel.name}: no value for {', '.join(missing)}",
            found=", ".join(given) or "no argument",
            accepted=kernel.parameter_names,
            hint=f"constants are usually given by name: {keyword}=…" if keyword else None,
        )
    return values


def _unknown(kernel: KernelFunction, name: str) -> LaunchError:
    known = (*kernel.parameter_names, *ALL_OPTIONS)
    return LaunchError(
        f"{kernel.name} has no parameter {name}, and it is no compile option",
        found=f"{name}=…",
        accepted=(*kernel.parameter_names, *ALL_OPTIONS),
        hint=did_you_mean(name, known),
    )
