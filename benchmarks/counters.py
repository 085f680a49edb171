"""Compare the counters of Nsight Compute with those of the plans and of the simulator.

    python -m benchmarks.counters [--only softmax] [--json FILE]      # on a GPU, with ncu

For 20 cases of the examples, one program is predicted, simulated, and run on the GPU under ncu with
the same arguments. Counted are requests and sectors of global memory, and wavefronts of shared
memory. A row is marked `!` where ncu differs from the simulator by more than 1 %.

What ncu's counters are: `t_requests` and `t_sectors` are of tags of the L1 cache, so a request that
hits counts, too. Copies by cp.async count as loads from global memory, but not as stores to shared
memory; those that fill zeros for a tile that does not exist are no requests. The plans count them,
and the simulator does not.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.explain.simulated_counts import Table, entry_arguments, simulate_counts
from tests.oracle.corpus import EXAMPLES, is_for
from weft.errors import WeftError
from weft.kernel.files import Case, load_cases, load_file

if TYPE_CHECKING:
    import torch

__all__ = ["CASES", "METRICS", "compare", "parse", "predicted_metrics", "to_tensor"]

_PREFIX = "l1tex__"
METRICS: dict[str, tuple[tuple[str, ...], str]] = {
    "t_requests_pipe_lsu_mem_global_op_ld.sum": (("global load", "async copy"), "global_requests"),
    "t_sectors_pipe_lsu_mem_global_op_ld.sum": (("global load", "async copy"), "sectors"),
    "t_requests_pipe_lsu_mem_global_op_st.sum": (("global store",), "global_requests"),
    "t_sectors_pipe_lsu_mem_global_op_st.sum": (("global store",), "sectors"),
    "data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": (("shared load", "matrix load"), "wavefronts"),
    "data_pipe_lsu_wavefronts_mem_shared_op_st.sum": (
        ("shared store", "matrix store"),
        "wavefronts",
    ),
}
"""Metric of ncu, without its prefix → the kinds and the field that it counts."""
_MOST_CASES = 20
_FILES = (
    *("transpose", "softmax", "matmul", "attention", "layer_norm", "cross_entropy"),
    *("rotary_embedding", "vector_add"),
)
CASES = sorted(
    ((path, index) for path, index in EXAMPLES if path.stem in _FILES),
    key=lambda case: _FILES.index(case[0].stem),
)[:_MOST_CASES]


@dataclass(frozen=True, slots=True)
class Row:
    """A metric of a case, from three sources; None where ncu did not run."""

    case: str
    metric: str
    planned: int
    simulated: int
    measured: int | None

    @property
    def is_close(self) -> bool:
        """Whether ncu counts what the simulator does, within 1 %."""
        return self.measured is None or abs(self.measured - self.simulated) * 100 <= self.simulated

    def __str__(self) -> str:
        measured = "-" if self.measured is None else str(self.measured)
        mark = "" if self.is_close else " !"
        numbers = f"{self.planned:9} {self.simulated:9} {measured:>9}"
        return f"{self.case:24} {self.metric:48} {numbers}{mark}"


def predicted_metrics(table: Table) -> dict[str, int]:
    """Add up the counts that each metric covers."""
    return {
        metric: sum(getattr(each, field) for (kind, _), each in table.items() if kind in kinds)
        for metric, (kinds, field) in METRICS.items()
    }


def parse(text: str) -> dict[str, int]:
    """Read the values of the metrics from ncu's CSV; lines before its header are the program's."""
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    values: dict[str, int] = {}
    for row in csv.DictReader(StringIO("\n".join(lines[start:]))):
        name = row["Metric Name"].removeprefix(_PREFIX)
        if name in METRICS:
            number = float(row["Metric Value"].replace(",", ""))
            values[name] = values.get(name, 0) + int(number)
    return values


def compare(
    name: str, planned: Table, simulated: Table, measured: Mapping[str, int] | None
) -> Iterable[Row]:
    """Yield the row of each metric that any source counts."""
    first, second = predicted_metrics(planned), predicted_metrics(simulated)
    for metric in METRICS:
        value = None if measured is None else measured.get(metric, 0)
        if first[metric] or second[metric] or value:
            yield Row(name, metric, first[metric], second[metric], value)


def _measure(path: Path, index: int, chip: str) -> dict[str, int]:
    """Run a case in a child process under ncu."""
    command = [
        *("ncu", "--csv", "--clock-control", "none"),  # no counter depends on the clock
        *("--metrics", ",".join(_PREFIX + name for name in METRICS)),
        *(sys.executable, "-m", "benchmarks.counters", "--launch", f"{path}:{index}"),
        *("--chip", chip),
    ]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        raise SystemExit(f"ncu fails on {path}:{index}\n{process.stdout}{process.stderr}")
    return parse(process.stdout)


def to_tensor(array: np.ndarray) -> torch.Tensor:
    """Copy an array, which may have a type that numpy takes from ml_dtypes, into a flat tensor."""
    import torch

    octets = torch.from_numpy(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    return octets.clone().view(getattr(torch, array.dtype.name))


def _launch(case: Case, chip: str) -> None:
    """Launch one program of a case on the GPU, with the arguments of the simulator."""
    import torch

    import weft

    compiled = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=chip,
        **case.options,
    )
    arguments = [
        to_tensor(each).cuda() if isinstance(each, np.ndarray) else each
        for each in entry_arguments(case, compiled.module("ttgir"))
    ]
    compiled[(1,)](*arguments)
    torch.cuda.synchronize()


def main() -> None:
    """Print the table; exit with 1 if a row is not close."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="part of an example's name")
    parser.add_argument("--chip", default="cuda:90")
    parser.add_argument("--json", type=Path, help="write the rows to a file")
    parser.add_argument("--launch", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.launch:
        file, _, index = arguments.launch.rpartition(":")
        _launch(load_cases(load_file(file))[int(index)], arguments.chip)
        return
    has_ncu = shutil.which("ncu") is not None
    if not has_ncu:
        print("note: there is no ncu: predictions and the simulator only", file=sys.stderr)
    rows: list[Row] = []
    for path, index in CASES:
        if arguments.only not in path.stem or not is_for(path, index, arguments.chip):
            continue
        counts = simulate_counts(load_cases(load_file(str(path)))[index], arguments.chip)
        measured = _measure(path, index, arguments.chip) if has_ncu else None
        for row in compare(f"{path.stem} {index}", counts.planned(), counts.simulated, measured):
            rows.append(row)
            print(row)
    if arguments.json:
        fields = ("case", "metric", "planned", "simulated", "measured")
        data = [{name: getattr(row, name) for name in fields} for row in rows]
        arguments.json.write_text(json.dumps(data, indent=1), "utf-8")
    if not all(row.is_close for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    try:
        main()
    except WeftError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
