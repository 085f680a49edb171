"""Bind the arguments of a launch to the parameters of a kernel, and separate the options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from weft.compiler.options import ALL_OPTIONS, UNSUPPORTED, unsupported_option
from weft.errors import LaunchError, did_you_mean
from weft.language.kernel_function import KernelFunction

__all__ = ["bind", "bind_compiled"]

Value = TypeVar("Value")


SHARED_NAMES = frozenset({"num_ctas", "num_stages", "num_warps"})
"""The options that a keyword for a parameter of the same name sets, too."""


def bind(
    kernel: KernelFunction, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """Bind arguments to parameters.

    A keyword that names a parameter is an argument, even if an option has the same name. One of
    `SHARED_NAMES` is both, as in Triton: Gluon kernels compute layouts from `num_warps`.

    Args:
        kernel: The kernel.
        args: Positional arguments.
        kwargs: Keyword arguments, and compile options.

    Returns:
        The value of every parameter, in order and with defaults; and the compile options.

    Raises:
        LaunchError: Too many arguments, one given twice, one missing, or an unknown keyword.
    """
    names = kernel.parameter_names
    if len(args) > len(names):
        raise LaunchError(
            f"{kernel.name} takes {len(names)} arguments but {len(args)} were given",
            found=f"{len(args)} positional arguments",
            accepted=names,
        )
    arguments = dict(zip(names, args, strict=False))
    options: dict[str, Value] = {}
    for name, value in kwargs.items():
        if name in arguments:
            raise LaunchError(
                f"{kernel.name} got multiple values for argument {name}",
                found=f"argument {names.index(name)} and {name}=…",
                accepted=["one of them"],
            )
        if name in names:
            arguments[name] = value
            if name in SHARED_NAMES and value is not None:
                options[name] = value
        elif name in ALL_OPTIONS:
            options[name] = value
        elif name in UNSUPPORTED:
            raise unsupported_option(name, kernel.name)
        else:
            accepted = (*names, *ALL_OPTIONS)
            raise LaunchError(
                f"{kernel.name}: Keyword argument {name} was specified but unrecognised",
                found=f"{name}=…",
                accepted=accepted,
                hint=did_you_mean(name, accepted),
            )
    return _with_defaults(kernel, arguments), options


def _with_defaults(kernel: KernelFunction, arguments: Mapping[str, Value]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    missing: list[str] = []
    for parameter in kernel.parameters:
        if parameter.name in arguments:
            values[parameter.name] = arguments[parameter.name]
        elif parameter.has_default:
            values[parameter.name] = cast("Value", parameter.default)
        else:
            missing.append(parameter.name)
    if missing:
        constexprs = [each.name for each in kernel.parameters if each.is_constexpr]
        example = next((name for name in missing if name in constexprs), None)
        raise LaunchError(
            f"{kernel.name} missing required arguments: {', '.join(missing)}",
            found=", ".join(arguments) or "no argument",
            accepted=kernel.parameter_names,
            hint=f"pass constants by name: {example}=…" if example else None,
        )
    return values


def bind_compiled(
    kernel: KernelFunction, constants: Mapping[int, Value], args: Sequence[Value]
) -> dict[str, Value]:
    """Bind the arguments of a launch of a compiled kernel, which may leave constants out.

    Either all `tl.constexpr` parameters are left out, or constants at the end.

    Args:
        kernel: The kernel.
        constants: The value of each constant that it was compiled for, by position.
        args: The arguments.

    Returns:
        The value of every parameter, in order and with defaults.

    Raises:
        LaunchError: Too many arguments, or one is missing.
    """
    parameters, keywords = kernel.parameters, dict[str, Value]()
    if len(args) < len(parameters):
        names = [each.name for each in parameters if not each.is_constexpr]
        if len(args) != len(names):
            names = list(kernel.parameter_names)
        keywords = dict(zip(names, args, strict=False))
        for each in parameters:
            if each.index in constants:
                keywords.setdefault(each.name, constants[each.index])
        args = ()
    return bind(kernel, args, keywords)[0]
