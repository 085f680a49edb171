"""The arguments and options of `weft opt`."""

from __future__ import annotations

import typer

__all__ = ["opt"]


def opt(ctx: typer.Context) -> None:
    """Run passes on IR text, with the flags of triton-opt; see `weft opt --help`."""
    from weft.cli import opt as command

    if code := command.run(ctx.args):
        raise typer.Exit(code)
