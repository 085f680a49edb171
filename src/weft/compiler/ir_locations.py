"""`knobs.compilation.use_ir_loc`: the positions in printed IR as source locations.

    USE_IR_LOC=ttgir python script.py
    # Creating new locations for …/KEY/matmul.ttgir

The output of the named stage is written to the cache's directory, and each operation gets the
location of its line there, so that line tables, profilers and `cuda-gdb` show IR in place of
Python. A file of IR that is compiled keeps its text: its operations get their positions in it.

Source: Triton 3.7.1, which writes the same file; MLIR's `generateLocationsFromIR` counts lines
from 1 and columns from 0. Triton writes a file of IR anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from weft import knobs
from weft.compiler.kernel_files import MAX_FILE_STEM
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp

__all__ = ["takes_locations_from_file", "use_ir_locations"]


def takes_locations_from_file() -> bool:
    """Check whether the operations of a file of IR get their positions in it as locations."""
    return bool(knobs.compilation.use_ir_loc)


def use_ir_locations(module: ModuleOp, stage: str, name: str, key: Callable[[], str]) -> None:
    """Write the output of a stage and locate its operations there, if the knob names the stage.

    Locations of arguments, and those that are unknown, stay.

    Args:
        module: The output of the stage; the locations of its operations are replaced.
        stage: The stage: "ttir" or "ttgir".
        name: The kernel's symbol.
        key: Computes the name of the folder in the cache's directory.

    Raises:
        WeftError: The directory cannot be written.
    """
    if knobs.compilation.use_ir_loc != stage:
        return
    from weft.ir import locations  # xDSL, which a kernel from the cache does not load
    from weft.ir.text.operation_lines import print_with_lines

    text, lines = print_with_lines(module, locations=True)
    path = Path(knobs.cache.dir, key(), f"{name[:MAX_FILE_STEM]}.{stage}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WeftError(
            f"cannot write IR for its locations: {error.strerror}", found=str(path)
        ) from error
    text_lines = text.splitlines()
    for op, line in lines.items():
        column = len(text_lines[line]) - len(text_lines[line].lstrip())
        op.location = locations.file(str(path), line + 1, column)
    print(f"Creating new locations for {path}")
