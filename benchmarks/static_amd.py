"""Count instructions and registers of the examples' AMD kernels beside Triton's.

    python -m benchmarks.static_amd [--chip gfx942] [--only matmul] [--different]

Both compile the same TTGIR, weft's own, of every case of every example: weft by its code
generation, Triton 3.7.1 from the file. Rows are instructions in the assembly by kind and width,
registers, scratch and LDS memory; a row where they differ is marked `+` where weft's is more, `-`
where it is less, and has its cause:

    registers       the occupancy in warps per SIMD; if weft's is lower, the cause
    instructions    the classes that differ, and the cause of the largest difference
    all others      the cause

Causes are declared in static_amd_causes.toml; the last line counts the rows without one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

import weft
from benchmarks.amd_assembly import CLASSES, FACTS, KINDS, by_class, counted, warps
from benchmarks.causes import Cause, Difference, because, read_causes
from tests.examples.loading import EXAMPLES, load
from weft.compiler.machine_code import emit_code
from weft.errors import WeftError
from weft.kernel.files import load_cases
from weft.targets import target

_CLASSES_SHOWN = 3  # beside the first
_MOST_SECONDS = 300  # the fp8 matmul for gfx1100 takes more than 11 minutes
CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
_TRITON = """
import sys
from triton.backends.compiler import GPUTarget
from triton.compiler import compile
made = compile(sys.argv[1], target=GPUTarget("hip", sys.argv[2], int(sys.argv[3])))
print(made.asm["amdgcn"])
print("; lds_bytes:", made.metadata.shared)
"""


def by_triton(text: str, chip: str) -> str:
    """Compile TTGIR with Triton in a separate process, which an assertion may abort.

    Raises: WeftError: Triton does not compile it, or takes more than five minutes.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ttgir"
        path.write_text(text, "utf-8")
        lanes = str(target(f"hip:{chip}").threads_per_warp)
        command = [sys.executable, "-c", _TRITON, str(path), chip, lanes]
        try:
            process = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_MOST_SECONDS
            )
        except subprocess.TimeoutExpired as error:
            raise WeftError(f"Triton does not compile it in {_MOST_SECONDS} seconds") from error
    if process.returncode:
        raise WeftError("Triton does not compile it", found=process.stderr.strip()[-200:])
    return process.stdout


def kernels(chip: str, only: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, TTGIR and assembly of every case that a chip has.

    Args: only: what the name must contain.
    """
    for example in EXAMPLES:
        for number, case in enumerate(load_cases(load(example))):
            name = f"{example} {number}"
            if only not in name or (case.targets and f"hip:{chip}" not in case.targets):
                continue
            try:
                compiled = weft.compile(
                    case.kernel,
                    signature=case.signature,
                    constexprs=case.constexprs,
                    target=f"hip:{chip}",
                    **case.options,
                )
                options = compiled.metadata.options
                assembly = emit_code(compiled.module("ttgir"), "amdgcn", options).decode()
                assembly += f"; lds_bytes: {compiled.metadata.shared}\n"
            except WeftError as error:
                print(f"{chip} {name}: {error}".splitlines()[0], file=sys.stderr)
                continue
            yield name, str(compiled.asm["ttgir"]), assembly


def declared() -> tuple[Cause, ...]:
    """Read the declared causes."""
    text = Path(__file__).with_name("static_amd_causes.toml").read_text("utf-8")
    return read_causes(text, frozenset((*(name for name, _ in (*KINDS, *CLASSES)), *FACTS)))


def why(causes: tuple[Cause, ...], row: Difference, ours: str, theirs: str) -> str:
    """Return the cause of a row that differs, "" if none is known.

    Args: ours, theirs: assembly.
    """
    if row.what == "instructions":
        return _by_classes(causes, row, by_class(ours), by_class(theirs))
    if row.what in ("vgprs", "sgprs"):
        fit, fit_theirs = (
            warps(row.chip, {row.what: counted(text)[row.what]}) for text in (ours, theirs)
        )
        if fit == fit_theirs:
            return f"{fit} warps fit, as of Triton's"
        if fit > fit_theirs:
            return f"{fit} warps fit, {fit_theirs} of Triton's"
    return because(causes, row)


def _by_classes(
    causes: tuple[Cause, ...], row: Difference, ours: Mapping[str, int], theirs: Mapping[str, int]
) -> str:
    """Return by which classes instructions differ, and why by the first; "" if unknown."""
    direction = 1 if row.sign == "+" else -1
    by = {name: ours.get(name, 0) - theirs.get(name, 0) for name, _ in CLASSES}
    first, *others = sorted(by, key=lambda name: (-by[name] * direction, -abs(by[name])))
    reason = because(causes, Difference(first, row.sign, row.kernel, row.chip))
    others = sorted((name for name in others if by[name]), key=lambda name: -abs(by[name]))
    rest = ", ".join(f"{by[name]:+d} {name}" for name in others[:_CLASSES_SHOWN])
    return reason and f"{by[first]:+d} {first} ({reason}){rest and f', {rest}'}"


def compared(
    chip: str, only: str, *, different: bool, causes: tuple[Cause, ...]
) -> tuple[Table, int, int]:
    """Return a table of a chip's kernels, and how many rows differ, and differ for no known cause.

    Args: causes: that are known.
    """
    table = Table(title=chip)
    for column in ("kernel", "what", "weft", "Triton", "", "because"):
        table.add_column(column, justify="right" if column in ("weft", "Triton") else "left")
    differ = unexplained = 0
    for name, text, assembly in kernels(chip, only):
        try:
            triton = by_triton(text, chip)
        except WeftError as error:
            print(f"{chip} {name}: {error}", file=sys.stderr)
            continue
        ours, theirs = counted(assembly), counted(triton)
        for what in (*(name for name, _ in KINDS), *FACTS, "instructions"):
            if ours[what] == theirs[what] and (different or not ours[what]):
                continue
            mark = "" if ours[what] == theirs[what] else "+" if ours[what] > theirs[what] else "-"
            row = Difference(what, mark, name, chip)
            cause = why(causes, row, assembly, triton) if mark else ""
            differ += bool(mark)
            unexplained += bool(mark) and not cause
            shown = cause or ("unexplained" if mark else "")
            table.add_row(name, what, str(ours[what]), str(theirs[what]), mark, shown)
    return table, differ, unexplained


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chip", choices=CHIPS, action="append")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--different", action="store_true", help="only rows that differ")
    chosen = parser.parse_args()
    causes, differ, unexplained = declared(), 0, 0
    for chip in chosen.chip or CHIPS:
        table, *counts = compared(chip, chosen.only, different=chosen.different, causes=causes)
        Console(width=160).print(table)
        differ, unexplained = differ + counts[0], unexplained + counts[1]
    print(f"{differ} rows differ, {unexplained} of them unexplained")


if __name__ == "__main__":
    main()
