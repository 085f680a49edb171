"""Does machine code compute what the kernel says? LLVM IR in the simulator beside the interpreter.

    python -m tests.oracle.lowered [--only matmul] [--target gfx942] [--every 7] [--own]

The final TTGIR of Triton, pipelined loops and all, is lowered, and the LLVM text run lane by lane;
the interpreter runs the TTIR that it was made from, on the same random arrays. `--own` lowers what
weft's own passes make instead, for which no Triton is needed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import weft
from tests.codegen.comparing import arguments_for, kernel_of
from tests.oracle import weft_side
from tests.oracle.client import TritonError, triton
from tests.oracle.corpus import EXAMPLES, KERNELS, is_for, name
from tests.oracle.meaning import tolerance_of
from weft.codegen import LlvmModule, lower
from weft.errors import LaunchError, OutOfBoundsError, WeftError
from weft.interpreter import run as interpret
from weft.interpreter.arguments import name_of
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module
from weft.ir.tt import FuncOp
from weft.simulator import run as simulate
from weft.simulator.llvm_ir.types import Type
from weft.simulator.memory.memory import Memory
from weft.simulator.synchronization.cluster_order import ClusterOrder
from weft.testing.pass_equivalence import compare_arrays

CHIPS = (
    *("hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1201", "hip:gfx1250"),
    *("cuda:70", "cuda:75", "cuda:80", "cuda:90", "cuda:100", "cuda:120"),
)
Compile = tuple[Path, int, str]
_SMALL = 50
_MAX_LENGTH = 64
"""At least the largest random number: lengths of rows are such numbers."""


class Unsuitable(Exception):
    """The kernel cannot be compared on random data, or on this chip."""


@dataclass(slots=True)
class Conflicts:
    """Conflicts between threads in global memory, which make a result depend on their order.

    Attributes:
        writers: For each byte of global memory, the thread that wrote it, or -1.
        detected: Whether a thread accessed a byte that another thread wrote.
    """

    writers: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    detected: bool = False

    def touch(
        self, memory: Memory, mask: np.ndarray, places: np.ndarray, values: np.ndarray | None
    ) -> None:
        """Record an access to memory.

        Args:
            memory: Global memory.
            mask: The threads.
            places: The offsets of the bytes, [thread, byte].
            values: The bytes that a store writes, None for a load.
        """
        threads = np.flatnonzero(mask)[:, None]
        if len(self.writers) != len(memory.bytes):
            self.writers = np.full(len(memory.bytes), -1)
        others = (self.writers[places] >= 0) & (self.writers[places] != threads)
        if values is not None:
            others &= memory.bytes[places] != values
            self.writers[places] = threads
            # Two threads of one store write the same byte.
            self.detected |= len(np.unique(places)) < places.size
        self.detected |= bool(others.any())


@contextmanager
def recording_conflicts(conflicts: Conflicts) -> Iterator[None]:
    """Record the accesses of the simulator to global memory."""
    load, store = Memory.load, Memory.store

    def places(type_: Type, addresses: np.ndarray, mask: np.ndarray) -> np.ndarray:
        size = type_.size
        first = np.broadcast_to(addresses, mask.shape)[mask]
        return first[:, None] + np.arange(size)

    def loading(
        self: Memory,
        type_: Type,
        addresses: np.ndarray,
        mask: np.ndarray,
        reader: ClusterOrder | None = None,
        *,
        alignment: int = 1,
    ) -> np.ndarray:
        result = load(self, type_, addresses, mask, reader, alignment=alignment)
        if self.races is None:
            conflicts.touch(self, mask, places(type_, addresses, mask), None)
        return result

    def storing(
        self: Memory,
        type_: Type,
        addresses: np.ndarray,
        values: np.ndarray,
        mask: np.ndarray,
        *,
        alignment: int = 1,
    ) -> None:
        before = self.bytes.copy() if self.races is None else None
        store(self, type_, addresses, values, mask, alignment=alignment)
        if before is None:
            return
        where = places(type_, addresses, mask)
        stored = self.bytes[where]
        self.bytes, after = before, self.bytes
        conflicts.touch(self, mask, where, stored)
        self.bytes = after

    Memory.load, Memory.store = loading, storing
    try:
        yield
    finally:
        Memory.load, Memory.store = load, store


def check(modules: Callable[[], tuple[ModuleOp, ModuleOp]]) -> str:
    """Run TTIR in the interpreter and its TTGIR in the simulator, and compare global memory.

    Args:
        modules: Creates the TTIR and the TTGIR compiled from it.

    Returns:
        A description of the differences, "" if there are none.

    Raises:
        Unsuitable: The kernel cannot be compared.
        WeftError: The TTGIR cannot be lowered, or the simulator does not support an instruction.
    """
    ttir, ttgir = modules()
    llvm = lower(ttgir)
    kernel = kernel_of(ttir)
    expected = _arguments(kernel)
    try:
        interpret(ttir, kernel.symbol, (1,), expected)
    except (LaunchError, OutOfBoundsError) as error:
        raise Unsuitable(str(error).splitlines()[0]) from error
    result = _simulated(llvm, _arguments(kernel))
    difference = _difference(kernel, expected, result)
    if difference:
        conflicts = Conflicts()
        with recording_conflicts(conflicts):
            _simulated(llvm, _arguments(kernel))
        if conflicts.detected:
            raise Unsuitable("threads of the kernel itself write to the same places")
    return difference


def _arguments(kernel: FuncOp) -> list[Any]:
    """Create random arguments that leave one result.

    Values of i8 are small, so that sums do not overflow: the conversion of a float to an integer
    type that cannot represent it is undefined. Strides are at least as long as a row can be: where
    rows overlap, the result depends on the order of threads.
    """
    names = [name_of(parameter) for parameter in kernel.body.blocks[0].args]
    return [
        _defined(value, is_stride="stride" in name)
        for name, value in zip(names, arguments_for(kernel, 0), strict=True)
    ]


def _defined(value: object, *, is_stride: bool) -> object:
    if isinstance(value, np.ndarray) and value.dtype == np.int8:
        return value % _SMALL
    if isinstance(value, int) and is_stride:
        return value + _MAX_LENGTH
    return value


def _simulated(llvm: LlvmModule, arguments: list[Any]) -> list[Any]:
    simulate(
        llvm.text,
        grid=(1,),
        arguments=arguments,
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )
    return arguments


def _difference(kernel: Any, some: list[Any], others: list[Any]) -> str:
    tolerance = tolerance_of(kernel)
    pairs = enumerate(zip(some, others, strict=True))
    result = [compare_arrays(at, 0, *pair, tolerance) for at, pair in pairs]
    return "; ".join(str(each) for each in result if each is not None)


def from_triton(worker: Any, each: Compile) -> tuple[ModuleOp, ModuleOp]:
    """Compile with Triton to TTIR and final TTGIR.

    Raises:
        Unsuitable: Triton does not compile the kernel for this target.
    """
    try:
        steps = worker.steps(*each)
    except TritonError as error:
        raise Unsuitable(f"Triton refuses it: {str(error)[:80]}") from error
    return parse_module(steps[0].before), parse_module(steps[-1].after)


def from_weft(each: Compile) -> tuple[ModuleOp, ModuleOp]:
    """Compile with weft to TTIR and TTGIR."""
    path, index, target = each
    kernel, signature, constexprs, options, *_ = weft_side.load(path).CASES[index]
    compiled = weft.compile(
        kernel, signature=signature, constexprs=constexprs, target=target, **options
    )
    return compiled.module("ttir"), compiled.module("ttgir")


def compiles(only: str, target: str) -> list[Compile]:
    """List the compiles whose names contain `only`, for chips whose names contain `target`."""
    return [
        (*case, chip)
        for case in EXAMPLES + KERNELS
        for chip in CHIPS
        if only in name(*case) and target in chip and is_for(*case, chip)
    ]


def main() -> int:
    """Print the differences and their number; exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--target", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--own", action="store_true")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with triton() as worker:
        for each in compiles(options.only, options.target)[:: options.every]:
            modules = (
                partial(from_weft, each) if options.own else partial(from_triton, worker, each)
            )
            try:
                difference = check(modules)
                verdict = "wrong" if difference else "right"
            except Unsuitable as problem:
                verdict, difference = "unsuitable", str(problem)
            except WeftError as error:
                verdict, difference = "error", str(error).splitlines()[0]
            counts[verdict] += 1
            if difference:
                print(f"{verdict} {name(*each)}: {difference}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return int(bool(counts["wrong"] or counts["error"]))


if __name__ == "__main__":
    sys.exit(main())
