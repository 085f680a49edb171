"""Check a chip's folder: every file by its reader. The command line checks all of them.

python -m weft.targets.checking                # all chips of weft
python -m weft.targets.checking chips/gfx943   # a folder anywhere
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from weft.errors import WeftError
from weft.targets.boards import read_boards
from weft.targets.buffer_instructions import read_buffer_instructions
from weft.targets.chip import read_chip
from weft.targets.derived import read_derived
from weft.targets.float_conversions import read_float_conversions
from weft.targets.instruction_timing import read_instruction_timing
from weft.targets.loading import chip_file, chip_folders
from weft.targets.matrix_units import read_matrix_units
from weft.targets.multiprocessor import read_multiprocessor
from weft.targets.registry import derive_chip
from weft.targets.schema import Tables, check_choice, parse_toml
from weft.targets.tensor_cores import read_tensor_cores
from weft.targets.wait_counters import read_wait_counters

__all__ = ["READERS", "check_folder", "main"]

READERS: dict[str, Callable[[str | Tables, str], object]] = {
    "boards": read_boards,
    "buffer_instructions": read_buffer_instructions,
    "float_conversions": read_float_conversions,
    "instruction_timing": read_instruction_timing,
    "multiprocessor": read_multiprocessor,
    "tensor_cores": read_tensor_cores,
    "wait_counters": read_wait_counters,
}
"""Kind of file → its reader, for all kinds but chip.toml and matrix_units.toml."""


def check_folder(folder: Path) -> None:
    """Read every file of a chip's folder.

    Args:
        folder: A folder such as chips/gfx942; it need not be a part of weft.

    Raises:
        WeftError: A file is unknown, missing or malformed; the message names file and row.
    """
    name = folder.name
    texts = {file.name: file.read_text("utf-8") for file in sorted(folder.iterdir())}
    file_names = ["chip.toml", "matrix_units.toml", *(f"{kind}.toml" for kind in READERS)]
    for file_name in texts:
        check_choice(f"{name}: unknown file {file_name}", file_name, file_names)
    if "chip.toml" not in texts:
        raise WeftError(f"{name}: the folder has no chip.toml", found=list(texts))
    lanes = _check_chip(parse_toml(texts.pop("chip.toml"), f"{name}/chip.toml"), name)
    for file_name, text in texts.items():
        if file_name == "matrix_units.toml":
            read_matrix_units(text, name, lanes)
        else:
            READERS[file_name.removesuffix(".toml")](text, name)


def _check_chip(tables: Tables, folder: str) -> int:
    """Check a chip.toml and return the lanes of the chip's warps."""
    derived = read_derived(tables, folder)
    chip = read_chip(tables, folder) if derived is None else derive_chip(folder, derived)
    return chip.threads_per_warp


def main(arguments: Sequence[str]) -> int:
    """Check folders, all of weft's if none is given, and print the first error of each."""
    folders = [Path(each) for each in arguments] or [
        chip_file("chip", folder).parent for folder in chip_folders()
    ]
    failed = False
    for folder in folders:
        try:
            check_folder(folder)
        except WeftError as error:
            print(error)
            failed = True
        else:
            print(f"{folder.name}: all files are valid")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
