"""Check that every pass of a pipeline preserves the results of a kernel on random data.

    python -m tests.oracle.meaning [--only matmul] [--target gfx942] [--every 3] [--num-stages 4]

The kernel runs as TTIR, and again after each pass of the stages convert, layout, loops and final;
all arrays are compared. The interpreter ignores layouts, so that a layout pass must not change any
result. Triton is not needed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import weft
from tests.oracle import weft_side
from tests.oracle.corpus import CHIPS, EXAMPLES, KERNELS, is_for, name
from weft.compiler.options import options_for
from weft.compiler.remaining_stages import remaining_passes
from weft.errors import LaunchError, WeftError
from weft.interpreter import run
from weft.ir import attributes, tt, types
from weft.ir.builtin import ModuleOp
from weft.ir.text import print_module
from weft.passes import Pass, run_pipeline
from weft.targets import target as lookup
from weft.testing.pass_equivalence import compare_arrays, random_argument

ELEMENTS = 1 << 17
# Numbers that are, and are not, known to be multiples of 16. The first pair gives loops several
# iterations; kernels that then leave their arrays, or take long, run with the second.
SIZES = ((256, 203), (64, 37))
SLOW = 2.0  # seconds
GRID = (2,)


class Unsuitable(Exception):
    """The kernel cannot run on random data: its arguments have constraints beyond their types."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A pass that changed the results of a kernel.

    Attributes:
        compile: The name of the compile.
        stage: The pass.
        what: The differences.
    """

    compile: str
    stage: str
    what: str


def check(
    path: Path, index: int, target: str, num_stages: int | None = None
) -> tuple[int, list[Wrong]]:
    """Run a kernel after each pass and compare its results with those of its TTIR.

    Returns:
        The number of checked passes, and the first pass that changed the results.

    Raises:
        Unsuitable: The TTIR cannot run on random data.
        WeftError: A pass failed.
    """
    kernel, signature, constexprs, options, *_ = weft_side.load(path).CASES[index]
    if num_stages is not None:
        options = options | {"num_stages": num_stages}
    chip = lookup(target)
    module = weft.compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=chip,
        stop_after="ttir",
        **options,
    ).module("ttir")
    function = next(op for op in module.walk() if isinstance(op, tt.FuncOp) and op.is_public)
    sizes, expected = _suitable(module, function)
    tolerance = tolerance_of(function)
    wrong: list[Wrong] = []
    checked, text = 0, print_module(module)

    def after(pass_: Pass, changed: ModuleOp) -> None:
        nonlocal checked, text
        before, text = text, print_module(changed)
        checked += 1
        if wrong or before == text:
            return
        now = next(op for op in changed.walk() if isinstance(op, tt.FuncOp) and op.is_public)
        try:
            differences = [
                str(difference)
                for at, pair in enumerate(zip(expected, results(changed, now, sizes), strict=True))
                if (difference := compare_arrays(at, 0, *pair, tolerance)) is not None
            ]
        except LaunchError as error:  # a deadlock, or an operation that the interpreter lacks
            differences = [" ".join(str(error).split())]
        if differences:
            what = "; ".join(differences)
            wrong.append(Wrong(name(path, index, target), pass_.name, what))

    passes = remaining_passes(module, "final", chip, options_for(chip, options))
    run_pipeline(passes, module, after=after)
    return checked, wrong


def _suitable(module: ModuleOp, function: tt.FuncOp) -> tuple[tuple[int, int], list[object]]:
    """Find sizes that a kernel runs with; return them and its results."""
    for sizes in SIZES:
        start = time.perf_counter()
        try:
            expected = results(module, function, sizes)
        except LaunchError as error:  # out of bounds, or a loop that waits for other data
            if sizes is SIZES[-1]:
                raise Unsuitable(str(error).splitlines()[0]) from error
            continue
        if time.perf_counter() - start < SLOW or sizes is SIZES[-1]:
            return sizes, expected
    raise AssertionError("unreachable")


def results(module: ModuleOp, function: tt.FuncOp, sizes: tuple[int, int]) -> list[object]:
    """Run a kernel on random arguments, the same in each call; return them after the run.

    Args:
        module: The module of the kernel.
        function: The kernel.
        sizes: The integer arguments that are, and are not, known to be multiples of 16.
    """
    random = np.random.default_rng(0)
    arguments: list[Any] = []
    for at, type_ in enumerate(function.function_type.inputs.data):
        if types.is_pointer(type_) and not types.is_tensor(type_.pointee):
            arguments.append(random_argument(type_, ELEMENTS, random))
        elif types.is_float(type_):
            arguments.append(0.5)
        elif types.is_integer(type_):
            arguments.append(_number(function, at, types.bit_width(type_), sizes))
        else:
            raise Unsuitable(f"an argument of type {type_}")
    run(module, function.symbol, GRID, arguments)
    return arguments


def _number(function: tt.FuncOp, at: int, bits: int, sizes: tuple[int, int]) -> int:
    if bits == 1:
        return 1
    divisibility = function.argument_attributes(at).get("tt.divisibility")
    return sizes[attributes.number(divisibility) != 16]


def tolerance_of(function: tt.FuncOp) -> float:
    """Compute the tolerance of results: passes reorder sums and change intermediate rounding."""
    bits = [
        types.bit_width(type_.pointee)
        for type_ in function.function_type.inputs.data
        if types.is_pointer(type_) and types.is_float(type_.pointee)
    ]
    return {8: 0.3, 16: 0.05}.get(min(bits, default=32), 0.02)


def tally(
    compiles: Iterable[tuple[Path, int, str]], num_stages: int | None = None
) -> tuple[Counter[str], list[str]]:
    """Count the compiles that are right, wrong, unsuitable or in error, with notes."""
    counts: Counter[str] = Counter()
    notes: list[str] = []
    for each in compiles:
        try:
            checked, wrong = check(*each, num_stages)
        except Unsuitable as problem:
            counts["unsuitable"] += 1
            notes.append(f"unsuitable {name(*each)}: {problem}")
            continue
        except WeftError as error:
            counts["error"] += 1
            notes.append(f"error {name(*each)}: {str(error).splitlines()[0]}")
            continue
        counts["passes"] += checked
        counts["wrong" if wrong else "right"] += 1
        notes += [f"wrong {each.compile} after {each.stage}: {each.what}" for each in wrong]
    return counts, notes


def main() -> int:
    """Print the counts; exit with 1 if a pass changed a result."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--target", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--num-stages", type=int)
    options = parser.parse_args()
    compiles = [
        (*case, chip)
        for case in EXAMPLES + KERNELS
        for chip in CHIPS
        if options.only in f"{case[0].stem}-{name(*case)}"
        and options.target in chip
        and is_for(*case, chip)
    ]
    counts, notes = tally(compiles[:: options.every], options.num_stages)
    print("\n".join(notes))
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return int(bool(counts["wrong"] or counts["error"]))


if __name__ == "__main__":
    sys.exit(main())
