"""`weft targets`: list the supported targets."""

from __future__ import annotations

from rich.table import Table

from weft.cli.output import console
from weft.targets import derived_targets, known_targets, target

_NOT_RUN = "Launches on AMD GPUs are not run on hardware: they are tested with a fake HIP library."


def run() -> None:
    """Print a table of the supported targets."""
    table = Table("target", "chip", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("lanes", "shared memory", "8-bit floats"):
        table.add_column(column, justify="left" if column == "8-bit floats" else "right")
    for column in table.columns:
        column.no_wrap = True
    for name in (*known_targets(), *derived_targets()):
        chip = target(name)
        table.add_row(
            name,
            chip.description,
            str(chip.threads_per_warp),
            f"{chip.lds_bytes / 1024:g} KiB",
            " ".join(chip.supported_fp8_dtypes),
        )
    console().print(table)
    console().print("\n" + _NOT_RUN, highlight=False)
