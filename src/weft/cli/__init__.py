"""The command `weft`. Each subcommand imports what it needs when it runs."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process."""
    from weft.cli.app import app

    app()
