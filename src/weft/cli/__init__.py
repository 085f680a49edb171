"""The command `weft`: thin verbs over the library, each loading only what it needs."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process."""
    from weft.cli.app import app

    app()
