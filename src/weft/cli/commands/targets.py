"""The arguments and options of `weft targets`."""

from __future__ import annotations

__all__ = ["targets"]


def targets() -> None:
    """List the supported targets."""
    from weft.cli import targets as command

    command.run()
