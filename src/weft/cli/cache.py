"""`weft cache`: list and clear the disk cache."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from weft.cli.output import console
from weft.compiler.cache import DiskCache

app = typer.Typer(
    no_args_is_help=True, help="List, measure or clear the disk cache (WEFT_CACHE_DIR)."
)

_SECONDS = {"days": 86400.0, "hours": 3600.0, "minutes": 60.0}
_KEY_DIGITS = 12


@app.command(name="path")
def path() -> None:
    """Print the directory."""
    typer.echo(_cache().path)


@app.command(name="size")
def size() -> None:
    """Print the number of entries and their size."""
    files = _cache().files()
    total = sum(file.size for file in files)
    typer.echo(f"{_count_text(len(files))}, {_size_text(total)} in {_cache().path}")


@app.command(name="list")
def list_() -> None:
    """List the entries, most recently used first."""
    from rich.table import Table

    table = Table("kernel", "target: signature", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("size", "used"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("key", no_wrap=True)
    now = time.time()
    for each in _cache().files():
        metadata = each.metadata()
        name = str(metadata.get("name", "?"))
        description = [str(metadata.get("target", "?"))]
        if "trials" in metadata:
            name += " (autotune)"
        elif "signature" in metadata:
            description.append(str(metadata["signature"]))
        table.add_row(
            name,
            ": ".join(description),
            _size_text(each.size),
            _age_text(now - each.last_used),
            each.key[:_KEY_DIGITS],
        )
    if table.rows:
        console().print(table, markup=False)
    else:
        typer.echo("the cache is empty")


@app.command(name="clear")
def clear(
    older_than: Annotated[
        float,
        typer.Option(
            "--older-than",
            metavar="DAYS",
            min=0,
            help="Only entries that were not used for this long.",
        ),
    ] = 0.0,
) -> None:
    """Delete entries. Kernels are compiled again when they are needed."""
    count, freed = _cache().clear(older_than * _SECONDS["days"])
    typer.echo(f"deleted {_count_text(count)}, {_size_text(freed)}")


def _cache() -> DiskCache:
    return DiskCache.open()


def _count_text(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _size_text(size: int) -> str:
    for unit, bytes_ in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= bytes_:
            return f"{size / bytes_:.1f} {unit}"
    return f"{size} bytes"


def _age_text(seconds: float) -> str:
    for unit, length in _SECONDS.items():
        if seconds >= length:
            return f"{seconds / length:.0f} {unit if seconds >= 2 * length else unit[:-1]} ago"
    return "just now"
