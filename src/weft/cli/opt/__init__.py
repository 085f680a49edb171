"""`weft opt`: passes over IR text, as a drop-in for triton-opt.

    weft opt F.mlir -split-input-file -canonicalize -cse --mlir-print-ir-after-all

`flags` is the table of what may be written, `arguments` reads a command line by it, `session`
does the work; each way to watch the work (`dumps`, `diff`, `timing`) and each verb besides it
(`listing`, `diagnostics`) is a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["run"]


def run(arguments: Sequence[str]) -> int:
    """Do what a command line asks for.

    Args: arguments: what follows `weft opt`.
    Returns: the exit code: 1 where a part of the input could not be read, verified or rewritten.
    Raises: WeftError: a mistake in the command line, or a file that cannot be read or written.
    """
    from weft.cli.opt import listing
    from weft.cli.opt.arguments import read_arguments

    options = read_arguments(arguments)
    if options.help:
        listing.print_help()
    elif options.list_passes:
        listing.print_passes()
    elif options.show_dialects:
        listing.print_dialects()
    else:
        from weft.cli.opt.session import Session

        return Session(options).run()
    return 0
