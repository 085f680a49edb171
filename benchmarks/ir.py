"""Time reading, printing, checking and cleaning of IR beside Triton's own, over growing modules.

    make bench        or        python -m benchmarks.ir [--sizes 100 1000 10000]

Each module is one kernel of about so many operations: loads, arithmetic, a loop and a conditional
per block of lines, as a kernel unrolled ever further. A cell is the median, in ms per 1,000
operations: a flat column is linear time. Both sides run in the same process, in turns.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from triton._C.libtriton import ir as triton_ir
from triton._C.libtriton import passes as triton_passes

from benchmarks.timing import milliseconds, show_ms
from weft.ir.rewriting import clone, walk
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes import parse_pipeline, run_pipeline
from weft.pipelines import ttir

BLOCK = """
    %o{i} = arith.constant dense<{i}> : tensor<128xi32>
    %c{i} = arith.constant 0 : i32
    %s{i} = arith.addi %n, %c{i} : i32
    %w{i} = tt.splat %s{i} : i32 -> tensor<128xi32>
    %a{i} = arith.addi %r, %o{i} : tensor<128xi32>
    %m{i} = arith.cmpi slt, %a{i}, %w{i} : tensor<128xi32>
    %p{i} = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %q{i} = tt.addptr %p{i}, %a{i} : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v{i} = tt.load %q{i}, %m{i} : tensor<128x!tt.ptr<f32>>
    %e{i} = math.exp %v{i} : tensor<128xf32>
    %t{i} = scf.for %k{i} = %c{i} to %n step %one
        iter_args(%u{i} = %e{i}) -> (tensor<128xf32>) : i32 {{
      %d{i} = arith.addf %u{i}, %v{i} : tensor<128xf32>
      scf.yield %d{i} : tensor<128xf32>
    }}
    %b{i} = arith.cmpi sgt, %n, %c{i} : i32
    scf.if %b{i} {{
      tt.store %q{i}, %t{i}, %m{i} : tensor<128x!tt.ptr<f32>>
    }}
"""
OPERATIONS = 18  # per block, with its constants and terminators
HEAD = """module {
  tt.func public @kernel(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32)
      attributes {noinline = false} {
    %one = arith.constant 1 : i32
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
"""


def text_of(size: int) -> str:
    """Return a kernel of about `size` operations, in the text that both sides read."""
    blocks = "".join(BLOCK.format(i=index) for index in range(max(size // OPERATIONS, 1)))
    return f"{HEAD}{blocks}    tt.return\n  }}\n}}\n"


class Triton:
    """Triton's own reader, printer and passes on one text."""

    def __init__(self, text: str, folder: Path) -> None:
        self.path = folder / "kernel.mlir"
        self.path.write_text(text)
        self.context = triton_ir.context()
        triton_ir.load_dialects(self.context)

    def parse(self) -> object:
        """Return the module that the text spells."""
        module = triton_ir.parse_mlir_module(str(self.path), self.context)
        module.context = self.context
        return module

    def run(self, *adders: Callable[[object], None]) -> Callable[[object], None]:
        """Return a function that runs passes on a module."""

        def call(module: object) -> None:
            manager = triton_ir.pass_manager(self.context)
            for add in adders:
                add(manager)
            manager.run(module, "benchmark")

        return call


MAKE_TTIR = (
    triton_passes.common.add_inliner,
    triton_passes.ttir.add_rewrite_tensor_pointer,
    triton_passes.common.add_canonicalizer,
    triton_passes.ttir.add_combine,
    triton_passes.ttir.add_reorder_broadcast,
    triton_passes.common.add_cse,
    triton_passes.ttir.add_triton_licm,
    triton_passes.common.add_symbol_dce,
    triton_passes.ttir.add_loop_unroll,
)


def on_fresh(make: Callable[[], object], call: Callable[[object], object], runs: int) -> float:
    """Return the median ms of `call` on a module made anew, and not timed, for each run."""
    call(make())
    times = []
    for _ in range(runs):
        module = make()
        times.append(milliseconds(lambda module=module: call(module), runs=1, warm=False))
    return sorted(times)[len(times) // 2]


def measure(
    size: int, folder: Path, runs: int
) -> tuple[int, dict[str, tuple[float, float | None]]]:
    """Return the number of operations and, per task, the ms of weft and of Triton."""
    text = text_of(size)
    theirs = Triton(text, folder)
    module = parse_module(text)
    count = sum(1 for _ in walk(module))
    reference = theirs.parse()

    def ours(passes: tuple[object, ...]) -> float:
        run = lambda fresh: run_pipeline(passes, fresh)  # noqa: E731
        return on_fresh(lambda: parse_module(text), run, runs)

    rows: dict[str, tuple[float, float | None]] = {
        "parse": (milliseconds(lambda: parse_module(text), runs), milliseconds(theirs.parse, runs)),
        "print": (
            milliseconds(lambda: print_module(module), runs),
            milliseconds(reference.str_nodebug, runs),
        ),
        "verify": (
            milliseconds(lambda: verify(module), runs),
            milliseconds(reference.verify, runs),
        ),
        "clone": (milliseconds(lambda: clone(module, {}), runs), None),
    }
    for name, adder in (
        ("canonicalize", triton_passes.common.add_canonicalizer),
        ("cse", triton_passes.common.add_cse),
    ):
        rows[name] = (
            ours(parse_pipeline(name)),
            on_fresh(theirs.parse, theirs.run(adder), runs),
        )
    rows["make_ttir"] = (ours(ttir.PASSES), on_fresh(theirs.parse, theirs.run(*MAKE_TTIR), runs))
    return count, rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300, 1000, 3000, 10000])
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    table = Table(title="ms per 1,000 operations: weft (Triton)")
    table.add_column("operations", justify="right")
    tasks = ("parse", "print", "verify", "clone", "canonicalize", "cse", "make_ttir")
    for task in tasks:
        table.add_column(task, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        for size in arguments.sizes:
            count, rows = measure(size, Path(folder), arguments.runs)
            cells = []
            for task in tasks:
                mine, other = rows[task]
                beside = f" ({show_ms(other / count * 1000)})" if other is not None else ""
                cells.append(f"{show_ms(mine / count * 1000)}{beside}")
            table.add_row(f"{count:,}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
