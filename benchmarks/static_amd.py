"""Count what AMD's kernels of the examples are made of, beside those that Triton makes.

    python -m benchmarks.static_amd [--chip gfx942] [--only matmul] [--different]

Both compile the same TTGIR, weft's own, of every case of every example: weft by its code
generation, Triton 3.7.1 from the file. Rows are instructions in the assembly by kind and width,
registers and scratch memory; a row where they differ is marked `+` where weft's is more, `-`
where it is less, and has its cause, of those that static_amd_causes.toml declares. At the end
stands how many rows have none.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

import weft
from benchmarks.causes import Cause, Difference, because, read_causes
from tests.examples.loading import EXAMPLES, load
from weft.errors import WeftError
from weft.runtime.files import cases
from weft.runtime.machine_code import code_of
from weft.targets import target

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
_MEMORY = "(?:buffer|global|flat)"
KINDS: tuple[tuple[str, str], ...] = (
    ("mfma", r"v_mfma\w*"),
    ("wmma", r"v_wmma\w*"),
    ("lds load 128", r"ds_(?:read|load)(?:_b128|2_b64|2st64_b64)"),
    ("lds load 64", r"ds_(?:read|load)(?:_b64|2_b32|2st64_b32)"),
    ("lds load less", r"ds_(?:read|load)_(?:b96|b32|[ui]8\w*|[ui]16\w*)"),
    ("lds load transposed", r"ds_(?:read|load)\w*_tr\w*"),
    ("lds store 128", r"ds_(?:write|store)(?:_b128|2_b64|2st64_b64)"),
    ("lds store 64", r"ds_(?:write|store)(?:_b64|2_b32|2st64_b32)"),
    ("lds store less", r"ds_(?:write|store)_(?:b96|b32|b8\w*|b16\w*)"),
    ("global load 128", rf"{_MEMORY}_load_(?:dwordx4|b128)"),
    ("global load 64", rf"{_MEMORY}_load_(?:dwordx[23]|b64|b96)"),
    ("global load less", rf"{_MEMORY}_load_(?:dword|b32|[usd]\w*(?:8|16)\w*|\w*(?:byte|short)\w*)"),
    ("global store 128", rf"{_MEMORY}_store_(?:dwordx4|b128)"),
    ("global store 64", rf"{_MEMORY}_store_(?:dwordx[23]|b64|b96)"),
    ("global store less", rf"{_MEMORY}_store_(?:dword|(?:d16_hi_)?b(?:8|16|32)|(?:byte|short)\w*)"),
    ("copy to lds", r"(?:global_load_lds\w*|global_load_async\w*|tensor_load\w*|tensor_store\w*)"),
    ("barrier", r"s_barrier(?:_wait)?"),
    ("exchange", r"(?:ds_bpermute_b32|ds_permute_b32|ds_swizzle_b32|v_permlane\w*)"),
    ("accumulator move", r"v_accvgpr_\w+"),
    ("scratch access", r"scratch_\w+"),
    ("branch", r"s_cbranch\w*"),
)  # fmt: skip
FACTS = {
    "vgprs": r"\.vgpr_count:\s+(\d+)",
    "sgprs": r"\.sgpr_count:\s+(\d+)",
    "scratch bytes": r"\.private_segment_fixed_size:\s+(\d+)",
}
_TRITON = """
import sys
from triton.backends.compiler import GPUTarget
from triton.compiler import compile
made = compile(sys.argv[1], target=GPUTarget("hip", sys.argv[2], int(sys.argv[3])))
print(made.asm["amdgcn"])
"""


def counted(assembly: str) -> Counter[str]:
    """Return how often each kind of instruction stands in assembly, and the kernel's facts."""
    found: Counter[str] = Counter()
    words = Counter(re.findall(r"^\s+([a-z]\w+)", assembly, re.MULTILINE))
    for word, count in words.items():
        found["instructions"] += count if re.match(r"[vsdgbft]\w*_", word) else 0
        for name, pattern in KINDS:
            if re.fullmatch(pattern, word):
                found[name] += count
    for name, pattern in FACTS.items():
        values = re.findall(pattern, assembly)
        found[name] = int(values[-1]) if values else 0
    return found


def by_triton(text: str, chip: str) -> str:
    """Return Triton's assembly of TTGIR; it may end its process, so it gets one of its own.

    Raises: WeftError: Triton does not compile it.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ttgir"
        path.write_text(text, "utf-8")
        lanes = str(target(f"hip:{chip}").threads_per_warp)
        command = [sys.executable, "-c", _TRITON, str(path), chip, lanes]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode:
        raise WeftError("Triton does not compile it", found=said.stderr.strip()[-200:])
    return said.stdout


def kernels(chip: str, only: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, TTGIR and assembly of every case that a chip has.

    Args: only: what the name must contain.
    """
    for example in EXAMPLES:
        for number, case in enumerate(cases(load(example))):
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
                assembly = code_of(compiled.module("ttgir"), "amdgcn", options).decode()
            except WeftError as error:
                print(f"{chip} {name}: {error}".splitlines()[0], file=sys.stderr)
                continue
            yield name, str(compiled.asm["ttgir"]), assembly


def declared() -> tuple[Cause, ...]:
    """Return the causes of differences that are known."""
    text = Path(__file__).with_name("static_amd_causes.toml").read_text("utf-8")
    return read_causes(text, frozenset((*(name for name, _ in KINDS), *FACTS, "instructions")))


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
            theirs = counted(by_triton(text, chip))
        except WeftError as error:
            print(f"{chip} {name}: {error}", file=sys.stderr)
            continue
        ours = counted(assembly)
        for what in (*(name for name, _ in KINDS), *FACTS, "instructions"):
            if ours[what] == theirs[what] and (different or not ours[what]):
                continue
            mark = "" if ours[what] == theirs[what] else "+" if ours[what] > theirs[what] else "-"
            cause = because(causes, Difference(what, mark, name, chip)) if mark else ""
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
