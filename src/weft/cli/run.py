"""`weft run FILE.py …`: run a program whose kernels weft launches."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import typer

from weft import knobs
from weft.cli.report import note
from weft.compat.as_triton import as_triton
from weft.errors import WeftError
from weft.kernel.files import syntax_error


def run(file: Path, args: Sequence[str], import_triton_as_weft: bool = False) -> None:
    """Run a program as `python file args` would.

    Args:
        file: The program.
        args: Its arguments.
        import_triton_as_weft: Whether its `import triton` finds weft.

    Raises:
        WeftError: The program cannot be read or parsed, or raised an error of weft.
        typer.Exit: It raised another exception, whose traceback was printed.
    """
    if not file.is_file():
        raise WeftError(
            "cannot read the file",
            found=f"{file}: {'Is a directory' if file.is_dir() else 'No such file or directory'}",
            accepted=["a Python file"],
        )
    for name, hint in knobs.unread_variables().items():
        note(f"the environment variable {name} has no effect" + (f": {hint}" if hint else ""))
    argv, path = sys.argv[:], sys.path[:]
    sys.argv = [str(file), *args]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        with as_triton() if import_triton_as_weft else nullcontext():
            runpy.run_path(str(file), run_name="__main__")
    except WeftError:
        raise
    except SyntaxError as error:
        raise syntax_error(error) from None
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
