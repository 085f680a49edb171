"""docs/reference/command_line.md: the subcommands of `weft`, their arguments and options."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator

import typer
from typer.models import ArgumentInfo, OptionInfo

from docs.generator.docstrings import parse
from docs.generator.markdown import code, contract, page, table
from weft.cli.app import app
from weft.cli.opt.flags import FLAGS, Flag

__all__ = ["render"]

# Subcommand: an example that the tests run, with its output; `...` matches any text.
_EXAMPLES = {
    "compile": """\
$ weft compile examples/vector_add.py --case 0 --target cuda:90 --emit ttir
...
  tt.func public @vector_add(...
...""",
    "explain": """\
$ weft explain examples/vector_add.py --target cuda:90
vector_add  cuda:90  4 warps × 32 lanes
...""",
    "report": """\
$ weft report examples/vector_add.py --target cuda:90 -o report.html
...
note: open file://...""",
    "check": """\
$ weft check examples/vector_add.py --target cuda:90 --baseline costs.json --update
...new
$ weft check examples/vector_add.py --target cuda:90 --baseline costs.json
... the same""",
    "opt": """\
$ weft opt docs/guides/weft_opt.mlir -canonicalize -cse
module {
  tt.func public @twice(%arg0: !tt.ptr<f32>, %arg1: i32) {
...""",
    "run": """\
$ weft run examples/vector_add.py
...""",
    "bench": """\
$ weft bench examples/softmax.py --device cpu --call "check(np.float32, 64, 777)" --ms 1
...""",
    "layout": """\
$ weft layout 'BlockedEncoding((1, 2), (1, 4), (1, 1), (1, 0))' -t 'tensor<1x8xf16>'
...
[[T0:0, T0:1, T1:0, T1:1, T2:0, T2:1, T3:0, T3:1]]""",
    "targets": """\
$ weft targets
target...
...""",
    "cache path": """\
$ weft cache path
...weft""",
    "cache size": """\
$ weft cache size
0 entries, 0 bytes in ...""",
    "cache list": """\
$ weft cache list
the cache is empty""",
    "cache clear": """\
$ weft cache clear --older-than 30
deleted 0 entries, 0 bytes""",
}


def render() -> str:
    """Render the page: a section per subcommand."""
    commands = dict(_commands(app))
    return page(
        "The command line",
        "`weft --version` prints the release, `weft VERB --help` the options of a subcommand. The "
        "exit code is 0 on success, 1 after an error of the input, which is printed on stderr, and "
        "2 after an error of the command line ([errors.md](errors.md)).",
        table(
            ("command", "effect"),
            ([f"[`weft {name}`](#weft-{name.replace(' ', '-')})", parse(function).summary]
             for name, function in commands.items()),
        ),
        *(_section(name, function) for name, function in commands.items()),
    )  # fmt: skip


def _commands(group: typer.Typer, prefix: str = "") -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield (name, function) of each subcommand, those of groups included."""
    for info in group.registered_commands:
        if info.callback is not None:
            yield f"{prefix}{info.name}", info.callback
    for each in group.registered_groups:
        if each.typer_instance is not None:
            yield from _commands(each.typer_instance, f"{prefix}{each.name} ")


def _section(name: str, function: Callable[..., object]) -> str:
    rows = [_flag(flag) for flag in FLAGS] if name == "opt" else list(_parameters(function))
    return "\n\n".join(
        filter(
            None,
            [
                f"## `weft {name}`",
                contract(parse(function)),
                f"```console\n{_EXAMPLES[name]}\n```",
                table(("option", "value", "default", "effect"), rows) if rows else "",
            ],
        )
    )


def _parameters(function: Callable[..., object]) -> Iterator[list[str]]:
    """Yield the row of each argument and option of a subcommand."""
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        for info in getattr(hints[name], "__metadata__", ()):
            kind = typing.get_args(hints[name])[0]
            if isinstance(info, ArgumentInfo):
                yield [code(info.metavar or name.upper()), "", "", info.help or ""]
            elif isinstance(info, OptionInfo):
                default = None if parameter.default is parameter.empty else parameter.default
                value = info.metavar or _type_name(kind)
                is_flag = kind is bool
                yield [
                    _names(name, info, is_flag),
                    "" if is_flag else code(value),
                    "" if is_flag else code(default),
                    info.help or "",
                ]


def _names(name: str, info: OptionInfo, is_flag: bool) -> str:
    # In Annotated[…, typer.Option("--name", "-n")] the first name is the parameter `default`.
    first = (info.default,) if isinstance(info.default, str) else ()
    decls = (*first, *(info.param_decls or ())) or (f"--{name.replace('_', '-')}",)
    if is_flag and not first:
        decls = (*decls, f"--no-{name.replace('_', '-')}")
    return ", ".join(code(each) for each in decls)


def _type_name(kind: object) -> str:
    """Name the type of an option as the command line shows it: TEXT, INTEGER, FLOAT."""
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    name = next(each for each in kinds if each is not type(None))
    return {int: "INTEGER", float: "FLOAT"}.get(name, "TEXT")


def _flag(flag: Flag) -> list[str]:
    names = (f"{'-' if len(each) == 1 else '--'}{each}" for each in flag.spellings)
    return [", ".join(map(code, names)), code(flag.metavar.lstrip("=")), "", flag.help]
