"""Measure the launches of a program one by one.

attention(64, 32)  q k v o: 4×128×64 float16   256 programs  0.0123 ms  340 GB/s  31 % (f16)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from weft.cli.bench.limits import Limits
from weft.cli.bench.request import Request
from weft.cli.output import console, note, write
from weft.cli.program_launches import record_launches
from weft.testing.launch_cost import LaunchCost, LowerBound, launch_cost, lower_bound
from weft.testing.launch_recorder import RecordedLaunch, time_launch

__all__ = ["run_launches"]


def run_launches(
    path: Path, kernel_name: str, gpu: int | None, limits: Limits, request: Request
) -> None:
    """Run a file as a program, or evaluate an expression in it, and measure its launches.

    Args:
        path: The file.
        kernel_name: The kernel to measure; "" for all.
        gpu: The number of the GPU; None for the CPU.
        limits: The limits that apply.
        request: The arguments of the command line.

    Raises:
        WeftError: It launches no kernel, or not this one.
    """
    launches = record_launches(path, kernel_name, gpu, request.arguments, request.call)
    rows: list[tuple[RecordedLaunch, LaunchCost, float]] = []
    for launch in launches:
        cost = launch_cost(launch)
        rows.append((launch, cost, time_launch(launch, request.budget, cost.updated)))
    if request.as_json:
        document = {
            "device": "cpu" if gpu is None else f"cuda:{gpu}",
            "board": limits.board and limits.board.name,
            "launches": [_launch_object(*row, limits) for row in rows],
        }
        write(json.dumps(document, indent=2) + "\n", "-")
        return
    console().print(_table(rows, gpu, limits))
    if any(cost.counted_programs < cost.programs for _, cost, _ in rows):
        note("large launches: a sample of the programs is counted, and arrays count in full")


def _table(
    rows: Sequence[tuple[RecordedLaunch, LaunchCost, float]], gpu: int | None, limits: Limits
) -> Table:
    board = limits.board
    where = "this CPU" if gpu is None else f"GPU {gpu}"
    title = where if board is None else f"{where}, limits of {board.name}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("kernel")
    table.add_column("arrays")
    last = (
        f"of {board.name}" if board and limits.is_measured else f"least ms, {board and board.name}"
    )
    for heading in ("programs", "ms", "GB/s", "TFLOP/s", *([] if board is None else [last])):
        table.add_column(heading, justify="right", no_wrap=True)
    for launch, cost, time in rows:
        operations = sum(cost.operations.values())
        cells = [
            str(cost.programs),
            f"{time:.4g}",
            f"{cost.bytes_moved / time * 1e-6:.4g}",
            f"{operations / time * 1e-9:.4g}" if operations else "",
        ]
        if board is not None:
            cells.append(_share(lower_bound(cost, board), time, limits.is_measured))
        table.add_row(escape(_kernel_text(launch)), escape(_arrays_text(launch)), *cells)
    return table


def _share(bound: LowerBound, time: float, is_measured: bool) -> str:
    value = f"{bound.milliseconds / time:.1%}" if is_measured else f"{bound.milliseconds:.4g}"
    return f"{value} ({bound.limiter})"


def _kernel_text(launch: RecordedLaunch) -> str:
    """Format the kernel with its constants and options."""
    constants = [each.name for each in launch.kernel.parameters if each.is_constexpr]
    arguments = [str(launch.inputs[name]) for name in constants]
    arguments += [f"{name}={value}" for name, value in launch.options.items()]
    return f"{launch.kernel.name}({', '.join(arguments)})"


def _arrays_text(launch: RecordedLaunch) -> str:
    """Format the arrays: names with the same shape and type are grouped."""
    groups: dict[str, list[str]] = {}
    for name, array in launch.arrays.items():
        shape = "×".join(map(str, array.shape)) or "1"
        groups.setdefault(f"{shape} {array.dtype.name}", []).append(name)
    return ", ".join(f"{' '.join(names)}: {kind}" for kind, names in groups.items())


def _launch_object(
    launch: RecordedLaunch, cost: LaunchCost, time: float, limits: Limits
) -> dict[str, object]:
    document: dict[str, object] = {
        "kernel": launch.kernel.name,
        "signature": launch.signature,
        "grid": launch.grid,
        "options": dict(launch.options),
        "milliseconds": time,
        "bytes_read": cost.bytes_read,
        "bytes_written": cost.bytes_written,
        "operations": dict(cost.operations),
        "programs_counted": cost.counted_programs,
        "programs": cost.programs,
    }
    if limits.board is not None:
        bound = lower_bound(cost, limits.board)
        document["least_milliseconds"] = bound.milliseconds
        document["limited_by"] = bound.limiter
        document["fraction"] = bound.milliseconds / time if limits.is_measured else None
    return document
