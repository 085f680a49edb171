"""`triton.profiler.proton`: profile a program from the command line.

    python -m triton.profiler.proton -n matmul matmul.py 4096      # writes matmul.hatchet
    python -m triton.profiler.proton pytest test_matmul.py

Calls of `start` in the program have no effect then; its scopes do.
"""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Sequence
from importlib import import_module

from weft.compat.profiler.flags import flags
from weft.compat.profiler.sessions import finalize, start

__all__ = [
    "do_setup_and_execute",
    "execute_as_main",
    "finalize",
    "flags",
    "is_pytest",
    "main",
    "parse_arguments",
    "run_profiling",
    "start",
]


def parse_arguments() -> tuple[Namespace, list[str]]:
    """Parse the command line.

    Returns:
        The options, and the program with its arguments.
    """
    parser = ArgumentParser(description="Profile a script or a run of pytest.")
    parser.add_argument("-n", "--name", help="the file to write, without suffix")
    parser.add_argument("-b", "--backend", help="has no other value than the default")
    parser.add_argument("-c", "--context", default="shadow", help="shadow: kernels by scopes")
    parser.add_argument("-m", "--mode", help="has no other value than the default")
    parser.add_argument("-d", "--data", default="tree", help="tree")
    parser.add_argument("-k", "--hook", help="triton: call the launch_metadata of kernels")
    parser.add_argument("target_args", nargs=REMAINDER, help="a script or pytest, with arguments")
    options = parser.parse_args()
    if not options.target_args:
        parser.error("name a script, or pytest")
    return options, options.target_args


def is_pytest(script: str) -> bool:
    """Check whether the program is pytest."""
    return os.path.basename(script) == "pytest"


def execute_as_main(script: str, args: Sequence[str]) -> int | str | None:
    """Run a script as `python script.py` does; return its exit status."""
    arguments = sys.argv
    sys.argv = [script, *args]
    sys.path.append(os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return end.code
    except KeyboardInterrupt:
        return 1
    except Exception:  # whatever the script raises: the profile is written nevertheless
        traceback.print_exc()
        return 1
    finally:
        sys.argv = arguments
    return 0


def do_setup_and_execute(target_args: Sequence[str]) -> int | str | None:
    """Run the program; return its exit status."""
    flags.command_line = True
    script, *arguments = target_args
    if not is_pytest(script):
        return execute_as_main(script, arguments)
    pytest = import_module("pytest")  # the program's dependency, not weft's
    return int(pytest.main(arguments))


def run_profiling(args: Namespace, target_args: Sequence[str]) -> None:
    """Profile the program, write the profile, and exit with the program's status.

    Raises:
        LaunchError: An option of the profiler that weft does not have.
    """
    names = ("context", "data", "backend", "mode", "hook")
    start(args.name, **{name: getattr(args, name) for name in names})
    try:
        status = do_setup_and_execute(target_args)
    finally:
        flags.command_line = False
        finalize()
    sys.exit(status)


def main() -> None:
    """Profile what the command line names."""
    run_profiling(*parse_arguments())


if __name__ == "__main__":
    main()
