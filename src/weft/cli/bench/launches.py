"""The launches that a program makes, measured one by one.

attention(64, 32)  q k v o: 4×128×64 float16   256 programs  0.0123 ms  340 GB/s  31 % (f16)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from weft.cli.bench.limits import Limits
from weft.cli.bench.request import Request
from weft.cli.report import console, note, write
from weft.cli.run import run
from weft.errors import WeftError, did_you_mean
from weft.kernel.files import load_file
from weft.launch.interception import intercept_launches
from weft.testing.launch_cost import LaunchCost, LowerBound, launch_cost, lower_bound
from weft.testing.launch_recorder import LaunchRecorder, RecordedLaunch, time_launch

__all__ = ["run_launches"]


def run_launches(
    path: Path, wanted: str, gpu: int | None, limits: Limits, request: Request
) -> None:
    """Run a file as a program, or call into it, and measure what it launches.

    Raises: WeftError: it launches nothing, or not the kernel that is wanted.
    """
    recorder = LaunchRecorder(gpu)
    program = _program(path, request)
    with redirect_stdout(sys.stderr), intercept_launches(recorder):
        _run_to_its_end(program, recorder)
    launches = _chosen(recorder.launches, wanted, path)
    rows: list[tuple[RecordedLaunch, LaunchCost, float]] = []
    for launch in launches:
        cost = launch_cost(launch)
        rows.append((launch, cost, time_launch(launch, request.budget, cost.updated)))
    if request.as_json:
        said = {
            "device": "cpu" if gpu is None else f"cuda:{gpu}",
            "board": limits.board and limits.board.name,
            "launches": [_plain(*row, limits) for row in rows],
        }
        write(json.dumps(said, indent=2) + "\n", "-")
        return
    console().print(_table(rows, gpu, limits))
    if any(cost.counted_programs < cost.programs for _, cost, _ in rows):
        note("of large launches a sample of the programs is counted, and arrays count whole")


def _run_to_its_end(program: Callable[[], object], recorder: LaunchRecorder) -> None:
    """Run a program; what it launched before it failed is measured all the same."""
    try:
        program()
    except WeftError:
        raise
    except SystemExit as end:
        if end.code not in (None, 0):
            note(f"the program ended itself with {end.code}: later launches may be missing")
    except Exception as error:
        if not recorder.launches:
            raise
        said = str(error).partition("\n")[0]
        note(f"the program failed, so what it launches later is missing: {said or repr(error)}")


def _program(path: Path, request: Request) -> Callable[[], object]:
    if request.call is not None:
        scope = vars(load_file(str(path)))
        try:
            code = compile(request.call, "--call", "eval")
        except SyntaxError as error:
            raise WeftError(
                f"--call is no Python expression: {error.msg}", found=request.call
            ) from None
        return lambda: eval(code, scope)
    return lambda: run(path, request.arguments)


def _chosen(launches: list[RecordedLaunch], wanted: str, path: Path) -> list[RecordedLaunch]:
    chosen = [each for each in launches if wanted in ("", each.kernel.name)]
    if chosen:
        return chosen
    names = sorted({each.kernel.name for each in launches})
    if names:
        raise WeftError(
            f"{path} does not launch this kernel",
            found=wanted,
            accepted=names,
            hint=did_you_mean(wanted, names),
        )
    raise WeftError(
        f"{path} launches no kernel when it is run",
        found="no launch, and no BENCHES",
        hint="launch under `if __name__ == '__main__'`, or say what to call: --call 'check(4096)'",
    )


def _table(
    rows: Sequence[tuple[RecordedLaunch, LaunchCost, float]], gpu: int | None, limits: Limits
) -> Table:
    board = limits.board
    where = "this CPU" if gpu is None else f"GPU {gpu}"
    title = where if board is None else f"{where}, limits of {board.name}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("kernel")
    table.add_column("arrays")
    last = f"of {board.name}" if board and limits.is_here else f"least ms, {board and board.name}"
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
            cells.append(_share(lower_bound(cost, board), time, limits.is_here))
        table.add_row(escape(_named(launch)), escape(_arrays(launch)), *cells)
    return table


def _share(bound: LowerBound, time: float, is_here: bool) -> str:
    value = f"{bound.milliseconds / time:.1%}" if is_here else f"{bound.milliseconds:.4g}"
    return f"{value} ({bound.limiter})"


def _named(launch: RecordedLaunch) -> str:
    """Return the kernel with its constants and options."""
    constants = [each.name for each in launch.kernel.parameters if each.is_constexpr]
    said = [str(launch.inputs[name]) for name in constants]
    said += [f"{name}={value}" for name, value in launch.options.items()]
    return f"{launch.kernel.name}({', '.join(said)})"


def _arrays(launch: RecordedLaunch) -> str:
    """Return the arrays in short: names of those that are alike together."""
    alike: dict[str, list[str]] = {}
    for name, array in launch.arrays.items():
        shape = "×".join(map(str, array.shape)) or "1"
        alike.setdefault(f"{shape} {array.dtype.name}", []).append(name)
    return ", ".join(f"{' '.join(names)}: {kind}" for kind, names in alike.items())


def _plain(launch: RecordedLaunch, cost: LaunchCost, time: float, limits: Limits) -> dict[str, Any]:
    said: dict[str, Any] = {
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
        said["least_milliseconds"] = bound.milliseconds
        said["limited_by"] = bound.limiter
        said["fraction"] = bound.milliseconds / time if limits.is_here else None
    return said
