"""How far heuristics are from the optimum of the layouts: the table of `make optimum`.

    python -m benchmarks.optimum_table [--only softmax] [--target cuda:90] [--every 4] [--triton]

For each kernel of the examples, of the corpus of the differential tests and of
`benchmarks.unrolled`: the cost of the layouts of Triton's heuristics, of weft's passes
(`layouts="refined"`), of the optimum that was found, its bound, and the gaps. With --triton the
first column is that of the TTGIR of Triton's wheel; else of weft's passes of the same names, which
choose the same layouts.

A gap is known if the bound is within 5 % of the cost that was found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import weft
from tests.oracle.client import Triton
from tests.oracle.corpus import EXAMPLES, KERNELS, TARGETS, is_for
from weft.errors import WeftError
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module
from weft.kernel.files import load_cases, load_file
from weft.optimum import module_cost, optimize
from weft.targets import target

UNROLLED = Path(__file__).parent / "unrolled.py"
KNOWN = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel on one target.

    Attributes:
        name: File and index of the case.
        chip: The target.
        triton: The cost of Triton's heuristics.
        refined: The cost after weft's own passes.
        cost: The cost of the cheapest assignment that was found.
        bound: No assignment of the candidates costs less.
        seconds: The time of the search.
    """

    name: str
    chip: str
    triton: int
    refined: int
    cost: int
    bound: int
    seconds: float

    @property
    def open_part(self) -> float:
        """How far the bound is from the cost that was found, as a fraction of the bound."""
        return self.cost / self.bound - 1 if self.bound else float(self.cost > 0)

    @property
    def gap(self) -> float:
        """How much more the heuristics' layouts cost than those that were found."""
        return self.triton / self.cost - 1 if self.cost else 0.0

    @property
    def proof(self) -> str:
        """Whether the cost is that of the optimum."""
        return "proved" if self.bound >= self.cost else f"bound {self.open_part:.1%} below"

    def __str__(self) -> str:
        return (
            f"{self.name:34} {self.chip:12} {self.triton:9} {self.refined:9} {self.cost:9} "
            f"{self.bound:9} {self.gap:8.1%}  {self.proof:18} {self.seconds:6.1f}"
        )


HEADER = (
    f"{'kernel':34} {'target':12} {'Triton':>9} {'refined':>9} {'best':>9} {'bound':>9} "
    f"{'gap':>8}  {'proof':18} {'s':>6}"
)


def compiles(only: str, chips: tuple[str, ...], every: int) -> Iterator[tuple[Path, int, str]]:
    """Yield (file, index, target) of the kernels; of the corpus one target per case."""
    chosen: list[tuple[Path, int, str]] = []
    for number, (path, index) in enumerate(EXAMPLES + KERNELS):
        for_case = [chip for chip in chips if is_for(path, index, chip)]
        if (path, index) in KERNELS and for_case:
            for_case = [for_case[number % len(for_case)]]
        chosen += [(path, index, chip) for chip in for_case]
    chosen += [(UNROLLED, index, chip) for index in range(3) for chip in chips]
    matching = [each for each in chosen if only in f"{each[0].stem} {each[1]} {each[2]}"]
    yield from matching[::every]


def row(path: Path, index: int, chip: str, *, with_wheel: bool) -> Row:
    """Compile a kernel and find its optimum.

    Raises:
        WeftError: The kernel does not compile for the target.
    """
    case = load_cases(load_file(str(path)))[index]

    def compiled(**options: object) -> ModuleOp:
        return weft.compile(
            case.kernel,
            signature=case.signature,
            constexprs=case.constexprs,
            target=chip,
            stop_after="ttgir",
            options={**case.options, **options},
        ).module("ttgir")

    module, start = compiled(), time.perf_counter()
    optimum = optimize(module, target(chip))
    seconds = time.perf_counter() - start
    heuristics = optimum.current
    if with_wheel:
        heuristics = module_cost(_from_wheel(path, index, chip), target(chip))
    refined = module_cost(compiled(layouts="refined"), target(chip))
    name = f"{path.stem} {index}"
    return Row(name, chip, heuristics, refined, optimum.cost, optimum.bound, seconds)


def _from_wheel(path: Path, index: int, chip: str) -> ModuleOp:
    """Compile a kernel to TTGIR by Triton's wheel."""
    return parse_module(_wheel().steps(path, index, chip)[-1].after)


@cache
def _wheel() -> Triton:
    return Triton()


def summary(rows: list[Row], failures: int) -> str:
    """Format the counts below the table."""
    proved = sum(each.bound >= each.cost for each in rows)
    known = sum(each.open_part <= KNOWN for each in rows)
    above = [each for each in rows if each.gap > KNOWN]
    refined = sum(each.refined < each.triton for each in rows)
    share = known / max(1, len(rows))
    lines = [
        f"gap known for {known} of {len(rows)} ({share:.0%}): proved {proved}, bound within "
        f"{KNOWN:.0%} {known - proved}",
        f"gap over {KNOWN:.0%}: {len(above)}; none: {sum(each.gap == 0 for each in rows)}",
        f"refined is cheaper for {refined}, never dearer: "
        f"{all(each.refined <= each.triton for each in rows)}",
        f"not compiled: {failures}",
    ]
    unknown = [f"{each.name} {each.chip} ({each.proof})" for each in rows if each.open_part > KNOWN]
    if unknown:
        lines.append("exactness ends at: " + ", ".join(unknown))
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 if fewer than 90 % of the gaps are known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of 'file index target'")
    parser.add_argument("--target", action="append", help="may be given several times")
    parser.add_argument("--every", type=int, default=1, help="every n-th kernel only")
    parser.add_argument("--triton", action="store_true", help="compile with Triton's wheel, too")
    request = parser.parse_args(arguments)
    chips = tuple(request.target or TARGETS)
    print(HEADER)
    rows: list[Row] = []
    failures = 0
    for path, index, chip in compiles(request.only, chips, request.every):
        try:
            rows.append(row(path, index, chip, with_wheel=request.triton))
        except WeftError as error:
            failures += 1
            print(f"{path.stem} {index} {chip}: {error.message}", file=sys.stderr)
            continue
        print(rows[-1], flush=True)
    print(summary(rows, failures))
    return 0 if sum(each.open_part <= KNOWN for each in rows) >= 0.9 * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
