"""Read the command line of `weft opt`: what is no flag of the table is a pass.

F -split-input-file -canonicalize --convert-triton-to-tritongpu='target=cuda:90'
  │                 │             └ pass with options
  │                 └ pass
  └ file            in order of the line; -p and --pass-pipeline add theirs in their place
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from weft.cli.opt.flags import FLAGS, MARKER, SPELLINGS, Flag, Kind, Options
from weft.errors import UnknownPassError, WeftError, did_you_mean
from weft.passes import REGISTRY

__all__ = ["read_arguments"]

_TRUTHS = {"true": True, "1": True, "": True, "false": False, "0": False}


def read_arguments(arguments: Sequence[str]) -> Options:
    """Return what a command line asks for.

    Raises: WeftError: an unknown flag or pass, a value of the wrong kind, or a second file.
    """
    found: dict[str, Any] = {}
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
                _set(found, argument, flag, value if equals else None, rest)
    if len(files) > 1:
        raise WeftError("weft opt reads one file", found=" ".join(files), accepted=["FILE", "-"])
    return Options(file=files[0] if files else "-", pipeline=tuple(pipeline), **found)


def _name(argument: str) -> str:
    return argument[2:] if argument.startswith("--") else argument[1:]


def _pass(argument: str, name: str, value: str | None) -> str:
    """Return a pass flag as an entry of a pipeline."""
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
    found: dict[str, Any], argument: str, flag: Flag, value: str | None, rest: Iterator[str]
) -> None:
    if flag.kind is Kind.SWITCH:
        found[flag.field] = _truth(argument, value)
    elif flag.kind is Kind.CHOICE:
        chosen = flag.choices[0] if value is None else value
        if chosen not in flag.choices:
            raise _wrong(argument, flag.choices)
        found[flag.field] = chosen
    elif flag.kind is Kind.MARKER:
        switch = _TRUTHS.get(value or "")
        found[flag.field] = value if switch is None else MARKER if switch else ""
    elif flag.kind is Kind.NAMES:
        names = [name for name in _text(argument, flag, value, rest).split(",") if name]
        for name in names:
            _check_pass(argument, name)
        found[flag.field] = (*found.get(flag.field, ()), *names)
    else:
        found[flag.field] = _text(argument, flag, value, rest)


def _truth(argument: str, value: str | None) -> bool:
    truth = _TRUTHS.get((value or "").lower())
    if truth is None:
        raise _wrong(argument, ("true", "false"))
    return truth


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
        f"{name} does not take that value",
        found=argument,
        accepted=[f"{name}={choice}" for choice in choices],
    )
