"""Compare the counts of plans with those of the simulator, by kind and width.

The arguments fill every tile, so that masks are true but for those of a software pipeline. The
iterations of loops whose bounds are arguments are those with which most counts agree: how often
every instruction was executed has to follow from one number per loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import ml_dtypes
import numpy as np

import weft
from tests.codegen.comparing import arguments_for, kernel_of
from weft.compiler.machine_code import lower_ttgir
from weft.explain.counts import Counts, count
from weft.explain.trip_counts import trip_counts
from weft.ir import scf, tt, ttng
from weft.ir.builtin import ModuleOp
from weft.ir.constants import constant_attribute
from weft.ir.rewriting import ancestors
from weft.kernel.files import Case
from weft.simulator import Count, Counters, run_module
from weft.targets import target
from weft.testing import simulate

__all__ = ["SimulatedCounts", "Table", "entry_arguments", "simulate_counts"]

ITERATIONS = 3
"""Of a loop over tiles of the arguments."""
_ITERATIONS_OF_ONE, _ITERATIONS_OF_SEVERAL = range(10), range(5)
FIELDS = ("text", "requests", "wavefronts", "conflicts", "sectors")
NOT_COMPARED = ("warp barrier", "scalar load")
"""Barriers of a warp that LLVM IR does not have; loads of AMD's dispatch packet."""

Key = tuple[str, int]
"""A kind of instruction and the bits of a lane."""
Table = dict[Key, Count]
DTYPES = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16, "fp8e5": ml_dtypes.float8_e5m2}
Loop = scf.ForOp | scf.WhileOp


@dataclass(frozen=True)
class SimulatedCounts:
    """The counts of a kernel, from its plans and from the simulator.

    Attributes:
        counts: Of the plans.
        simulated: Of one simulated program.
    """

    counts: Counts
    simulated: Table

    @cached_property
    def iterations(self) -> dict[Loop, int]:
        """The iterations of each loop whose bounds are arguments."""
        loops = list(
            dict.fromkeys(
                loop for one in self.counts.operations for loop in _unknown_loops(one.source)
            )
        )
        choices = _ITERATIONS_OF_ONE if len(loops) < 2 else _ITERATIONS_OF_SEVERAL
        candidates = (
            dict(zip(loops, numbers, strict=True))
            for numbers in product(choices, repeat=len(loops))
        )
        return min(candidates, key=self._differing_requests)

    def planned(
        self,
        iterations: Mapping[Loop, int] | None = None,
        *,
        conditionals: bool = True,
        prologues: bool = True,
    ) -> Table:
        """Add up the counts of the plans.

        Args:
            iterations: The iterations of each loop whose bounds are arguments; None for those
                that were found.
            conditionals: Whether to count what is under a condition or a mask, too.
            prologues: Whether to count what is in no loop, too.
        """
        iterations = self.iterations if iterations is None else iterations
        table: Table = {}
        for one in self.counts.operations:
            if not conditionals and _is_conditional(one.source):
                continue
            if not prologues and not _unknown_loops(one.source):
                continue
            unknown = prod(iterations[loop] for loop in _unknown_loops(one.source))
            times = unknown * prod(number for number in one.trip_counts if number is not None)
            for each in one.instructions if times else ():
                key = each.kind, each.bits
                table[key] = table.get(key, Count()) + Count(
                    each.count,
                    each.requests * times,
                    each.wavefronts * times,
                    each.conflicts * times,
                    each.sectors * times,
                    each.ideal_sectors * times,
                    each.requests * times if each.sectors else 0,
                )
        return table

    def _differing_requests(self, iterations: Mapping[Loop, int]) -> int:
        planned = self.planned(iterations)
        return sum(
            getattr(planned.get(key), field, 0) != getattr(self.simulated.get(key), field, 0)
            for key in {*planned, *self.simulated}
            for field in ("text", "requests")
        )

    def differences(self) -> dict[Key, tuple[Count, Count]]:
        """List the kinds and widths whose planned and simulated counts differ."""
        return dict(self._differences(self.planned()))

    def _differences(self, planned: Table) -> Iterator[tuple[Key, tuple[Count, Count]]]:
        for key in sorted({*planned, *self.simulated}):
            one, other = planned.get(key, Count()), self.simulated.get(key, Count())
            if key[0] not in NOT_COMPARED and any(
                getattr(one, name) != getattr(other, name) for name in FIELDS
            ):
                yield key, (one, other)

    def tile_sectors(self, key: Key) -> int:
        """Find the sectors of the smallest operation of a kind and width."""
        return min(
            each.sectors
            for one in self.counts.operations
            for each in one.instructions
            if (each.kind, each.bits) == key
        )

    def knows_addresses(self, key: Key) -> bool:
        """Check whether the addresses of all accesses of a kind and width are known."""
        return all(
            each.certain
            for one in self.counts.operations
            for each in one.instructions
            if (each.kind, each.bits) == key
        )

    def before_last(self, iterations: int) -> Table:
        """Add up the counts of the plans without the last iterations of loops.

        In a software pipeline they copy nothing, as there is no later tile.
        """
        return self.planned({loop: max(0, n - iterations) for loop, n in self.iterations.items()})


def _unknown_loops(op) -> list[Loop]:
    """List the loops around an operation whose bounds are not constants."""
    loops = [each for each in ancestors(op) if isinstance(each, scf.ForOp | scf.WhileOp)]
    numbers = reversed(trip_counts(op))
    return [loop for loop, number in zip(loops, numbers, strict=True) if number is None]


def _is_conditional(op) -> bool:
    """Check whether an operation may not be executed; AMD's masks of loads are branches."""
    is_masked = isinstance(op, tt.LoadOp) and op.mask is not None
    if isinstance(op, ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp):
        is_masked = constant_attribute(op.pred) is None
    return is_masked or any(isinstance(outer, scf.IfOp) for outer in ancestors(op))


def _numbers(constants: Mapping[str, int]) -> dict[str, int]:
    """Choose arguments that fill the tiles of the examples' kernels."""
    block, m, n, k = (constants.get(name, 1) for name in ("BLOCK", "BLOCK_M", "BLOCK_N", "BLOCK_K"))
    head, tiles = constants.get("HEAD", 0), constants.get("TILES", 1)
    if head:  # attention
        length = ITERATIONS * max(m, n)
        return {"length": length, "stride": head, "head_stride": length * head}
    columns = block if block > 1 else n
    depth = ITERATIONS * k
    return {
        "M": m,
        "N": n,
        "K": depth,
        "a_stride": depth,
        "b_stride": n,
        "c_stride": n,
        "x_stride": max(columns, m, n),
        "out_stride": max(columns, m, n),
        "stride": columns,
        "columns": columns,
        "rows": m if m > 1 else ITERATIONS,
        "length": ITERATIONS * constants["BLOCK_T"] if "BLOCK_T" in constants else block * tiles,
        "bins": constants.get("BINS", 1),
        "partials": ITERATIONS * m,
        "heads": constants.get("BLOCK_H", 1),
        "pairs": constants.get("BLOCK_P", 1),
    }


def entry_arguments(case: Case, module: ModuleOp) -> list[object]:
    """Create the arguments of the entry."""
    names = list(case.kernel.arg_names)
    texts = [text.strip() for text in str(case.signature).split(",")]
    pairs = list(zip(names, texts, strict=True))
    numbers = _numbers({name: int(text) for name, text in pairs if text.isdigit()})
    runtime = [
        name for name, text in pairs if text.startswith(("*", "i", "fp")) and text != "constexpr"
    ]
    arguments = arguments_for(kernel_of(module), 0)
    for position, (name, value) in enumerate(zip(runtime, arguments, strict=False)):
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "i":
                value[...] = 0  # indices and flags
        elif name in numbers:
            arguments[position] = numbers[name]
    return arguments


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A tensor descriptor of the host."""

    base: np.ndarray
    shape: list[int]
    strides: list[int]
    block_shape: list[int]


def _launch_from_host(case: Case, chip: str) -> tuple[ModuleOp, Counters]:
    """Simulate a launch of a kernel that takes descriptors of A, B and C, and the size of K."""
    arguments: list[object] = []
    depth = 0
    for kind, shape in re.findall(r"tensordesc<(\w+)\[([\d, ]+)\]>", str(case.signature)):
        rows, columns = (int(size) for size in shape.split(","))
        is_result = len(arguments) == 2
        sizes = [rows, columns if is_result else ITERATIONS * columns]
        array = np.zeros(sizes, DTYPES[kind])
        arguments.append(Descriptor(array, sizes, [sizes[1], 1], [rows, columns]))
        depth = depth or sizes[1]
    with simulate(chip, counters=True) as simulation:
        compiled = case.kernel[(1,)](*arguments, depth, **case.options)
    (launch,) = simulation.launches
    assert launch.report.counters is not None
    return compiled.module("ttgir"), launch.report.counters


def simulate_counts(case: Case, chip: str) -> SimulatedCounts:
    """Compile a case of an example, and count one program both ways."""
    if "tensordesc" in str(case.signature):
        module, counters = _launch_from_host(case, chip)
    else:
        compiled = weft.compile(
            case.kernel,
            signature=case.signature,
            constexprs=case.constexprs,
            target=chip,
            **case.options,
        )
        module = compiled.module("ttgir")
        report = run_module(
            lower_ttgir(module, compiled.metadata.options),
            grid=(1,),
            arguments=entry_arguments(case, module),
            counted_for=target(chip),
        )
        assert report.counters is not None
        counters = report.counters
    simulated: Table = {}
    for each in counters.lines():
        key = each.kind, each.bits
        simulated[key] = simulated.get(key, Count()) + each.count
    return SimulatedCounts(count(module), simulated)
