"""Parse the command line of `weft opt`: an argument that is not a flag of the table is a pass.

F -split-input-file -canonicalize --convert-triton-to-tritongpu='target=cuda:90'
  │                 │             └ pass with options
  │                 └ pass
  └ file            passes run in order, among those of -p and --pass-pipeline
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from weft.cli.opt.flags import FLAGS, MARKER, SPELLINGS, Flag, Kind, Options
from weft.errors import UnknownPassError, WeftError, did_you_mean
from weft.passes import REGISTRY

__all__ = ["read_arguments"]

_BOOLEANS = {"true": True, "1": True, "": True, "false": False, "0": False}


def read_arguments(arguments: Sequence[str]) -> Options:
    """Parse a command line.

    Raises:
        WeftError: An unknown flag or pass, a wrong value, or a second file.
    """
    values: dict[str, Any] = {}
    files: list[str] = []
    pipeline: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            files += rest
        elif argument == "-" or not argument.startswith("-"):
            files.append(argument)
        else:
            name, equals, value = _name(argument).partition("=")
            flag = SPELLINGS.get(name)
            if flag is None:
                pipeline.append(_pass(argument, name, value if equals else None))
            elif flag.field == "pipeline":
                pipeline.append(_text(argument, flag, value if equals else None, rest))
            else:
                _set(values, argument, flag, value if equals else None, rest)
    if len(files) > 1:
        raise WeftError("weft opt takes one file", found=" ".join(files), accepted=["FILE", "-"])
    return Options(file=files[0] if files else "-", pipeline=tuple(pipeline), **values)


def _name(argument: str) -> str:
    return argument[2:] if argument.startswith("--") else argument[1:]


def _pass(argument: str, name: str, value: str | None) -> str:
    """Convert a pass flag to an entry of a pipeline."""
    if name not in REGISTRY:
        known = [*REGISTRY, *(spelling for flag in FLAGS for spelling in flag.spellings)]
        raise UnknownPassError(
            f"unknown flag or pass {argument.partition('=')[0]}",
            found=argument,
            accepted=["a pass of weft opt --list-passes", "a flag of weft opt --help"],
            hint=did_you_mean(name, known),
        )
    return name if value is None else f"{name}{{{value}}}"


def _set(
    values: dict[str, Any], argument: str, flag: Flag, value: str | None, rest: Iterator[str]
) -> None:
    if flag.kind is Kind.SWITCH:
        values[flag.field] = _parse_bool(argument, value)
    elif flag.kind is Kind.CHOICE:
        chosen = flag.choices[0] if value is None else value
        if chosen not in flag.choices:
            raise _wrong(argument, flag.choices)
        values[flag.field] = chosen
    elif flag.kind is Kind.MARKER:
        switch = _BOOLEANS.get(value or "")
        values[flag.field] = value if switch is None else MARKER if switch else ""
    elif flag.kind is Kind.NAMES:
        names = [name for name in _text(argument, flag, value, rest).split(",") if name]
        for name in names:
            _check_pass(argument, name)
        values[flag.field] = (*values.get(flag.field, ()), *names)
    else:
        values[flag.field] = _text(argument, flag, value, rest)


def _parse_bool(argument: str, value: str | None) -> bool:
    boolean = _BOOLEANS.get((value or "").lower())
    if boolean is None:
        raise _wrong(argument, ("true", "false"))
    return boolean


def _text(argument: str, flag: Flag, value: str | None, rest: Iterator[str]) -> str:
    if value is None and (value := next(rest, None)) is None:
        raise WeftError(
            f"{argument} needs {flag.kind.value}",
            found=argument,
            accepted=[f"{argument}={flag.metavar}"],
        )
    return value


def _check_pass(argument: str, name: str) -> None:
    if name not in REGISTRY:
        raise UnknownPassError(
            f"unknown pass {name}",
            found=argument,
            accepted=["a pass of weft opt --list-passes"],
            hint=did_you_mean(name, REGISTRY),
        )


def _wrong(argument: str, choices: Sequence[str]) -> WeftError:
    name = argument.partition("=")[0]
    return WeftError(
        f"invalid value of {name}",
        found=argument,
        accepted=[f"{name}={choice}" for choice in choices],
    )
