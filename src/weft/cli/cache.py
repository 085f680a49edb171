"""`weft cache`: what is kept on disk, and how to be rid of it."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from weft.cli.report import console

app = typer.Typer(
    no_args_is_help=True, help="List, measure or clear what weft keeps on disk (WEFT_CACHE_DIR)."
)

_SECONDS = {"days": 86400.0, "hours": 3600.0, "minutes": 60.0}
_DIGITS = 12  # of a key, as many as tell it from the others


@app.command(name="path")
def path() -> None:
    """Print the directory."""
    typer.echo(_store().path)


@app.command(name="size")
def size() -> None:
    """Print how many kernels and results there are, and what they take."""
    entries = _store().files()
    total = sum(each.size for each in entries)
    typer.echo(f"{_counted(len(entries))}, {_amount(total)} in {_store().path}")


@app.command(name="list")
def list_() -> None:
    """List the entries, the one used last first."""
    from rich.table import Table

    table = Table("kernel", "made for", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("size", "used"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("key", no_wrap=True)
    now = time.time()
    for each in _store().files():
        facts = each.metadata()
        name = str(facts.get("name", "?"))
        made_for = [str(facts.get("target", "?"))]
        if "trials" in facts:
            name += " (autotune)"
        elif "signature" in facts:
            made_for.append(str(facts["signature"]))
        table.add_row(
            name,
            ": ".join(made_for),
            _amount(each.size),
            _ago(now - each.last_used),
            each.key[:_DIGITS],
        )
    if table.rows:
        console().print(table, markup=False)
    else:
        typer.echo("nothing is kept")


@app.command(name="clear")
def clear(
    older_than: Annotated[
        float,
        typer.Option("--older-than", metavar="DAYS", min=0, help="Only what was not used since."),
    ] = 0.0,
) -> None:
    """Delete entries; what is needed again is made again."""
    count, freed = _store().clear(older_than * _SECONDS["days"])
    typer.echo(f"deleted {_counted(count)}, {_amount(freed)}")


def _store() -> Any:
    from weft.compiler.cache import DiskCache

    return DiskCache.open()


def _counted(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _amount(size: int) -> str:
    for unit, bytes_ in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= bytes_:
            return f"{size / bytes_:.1f} {unit}"
    return f"{size} bytes"


def _ago(seconds: float) -> str:
    for unit, length in _SECONDS.items():
        if seconds >= length:
            return f"{seconds / length:.0f} {unit if seconds >= 2 * length else unit[:-1]} ago"
    return "just now"
