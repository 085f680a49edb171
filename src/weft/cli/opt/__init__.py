"""`weft opt`: run passes on IR text, as a drop-in for triton-opt.

    weft opt F.mlir -split-input-file -canonicalize -cse --mlir-print-ir-after-all

flags.py, arguments.py          the flags, and how a command line is parsed
session.py, parts.py, stages.py  read, check, rewrite and print each part of the input
dumps.py, diff.py, timing.py     what is printed about passes while they run
reproducer.py                    --run-reproducer, and what a failing pass writes
diagnostics.py                   --verify-diagnostics
listing.py, names.py             lists of flags, passes and dialects
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["run"]


def run(arguments: Sequence[str]) -> int:
    """Run a command line.

    Args:
        arguments: What follows `weft opt`.

    Returns:
        The exit code: 1 if a part of the input could not be parsed, verified or rewritten.

    Raises:
        WeftError: A mistake in the command line, or a file that cannot be read or written.
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
