"""`weft run FILE.py …`, `weft run -m MODULE …`: run a program whose kernels weft launches."""

from __future__ import annotations

import runpy
import sys
import traceback
from bdb import BdbQuit
from collections.abc import Sequence
from pathlib import Path

import typer

from weft import knobs
from weft.cli.output import note
from weft.cli.triton_name import triton_name
from weft.errors import WeftError
from weft.kernel.files import syntax_error


def run(
    program: str, args: Sequence[str], as_triton: bool = False, is_module: bool = False
) -> None:
    """Run a program as `python program args`, or `python -m program args`, would.

    Args:
        program: The path of the program, or the name of the module.
        args: Its arguments.
        as_triton: Whether its `import triton` finds weft.
        is_module: Whether `program` names a module.

    Raises:
        WeftError: The program cannot be read or parsed, or raised an error of weft.
        typer.Exit: It raised another exception, whose traceback was printed.
    """
    file = Path(program)
    if not is_module and not file.is_file():
        raise WeftError(
            "cannot read the file",
            found=f"{file}: {'Is a directory' if file.is_dir() else 'No such file or directory'}",
            accepted=["a Python file"],
        )
    for name, hint in knobs.unread_variables().items():
        note(f"the environment variable {name} has no effect" + (f": {hint}" if hint else ""))
    argv, path = sys.argv[:], sys.path[:]
    sys.argv = [program, *args]
    sys.path.insert(0, str(Path.cwd() if is_module else file.resolve().parent))
    try:
        with triton_name(as_triton):
            if is_module:
                runpy.run_module(program, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(program, run_name="__main__")
    except WeftError:
        raise
    except SyntaxError as error:
        raise syntax_error(error) from None
    except BdbQuit:  # the user left the debugger
        raise typer.Exit(1) from None
    except Exception as error:
        _print_traceback(error, file)
        raise typer.Exit(1) from None
    finally:
        sys.argv, sys.path = argv, path


def _print_traceback(error: Exception, file: Path) -> None:
    """Print the traceback from the program's first frame on."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != str(file):
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames or error.__traceback__)
