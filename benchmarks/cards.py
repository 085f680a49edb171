"""Compare the order of configurations that the card predicts with their measured order.

    python -m benchmarks.cards [--only matmul] [--json FILE]     # on a GPU
    python -m benchmarks.cards --chip cuda:90 --board "H200 SXM" # predictions, without a GPU
    python -m benchmarks.cards --measured FILE --cache FOLDER    # correlations, without a GPU

A sweep is a kernel in the configurations that an autotuner would try (`benchmarks.card_sweeps`).
For each, the card of the compiled kernel predicts the time of the launch
(`weft.explain.card_time`); on a GPU the launches are timed, in turns. Configurations of which no
block fits on a multiprocessor are left out.

The correlation is Spearman's, of the two orders: 1 if they are the same. Times that differ by less
than a repetition of the measurement share a rank: from the shortest time on, measured times up to
2 % longer, and predicted times up to 1 % longer, are a group of equal rank.

--json writes for each configuration the launch, the card and what the launch does with the
measured times. --measured FILE predicts again for the launches of such a file, without a GPU, and
compares with its times; --cache is the folder of the disk cache with their kernels. The model's
constants that are `fitted` (`weft/targets/chips/sm_90/instruction_timing.toml`) were chosen that
way, for all sweeps together; the correlations to quote are those of another run.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

import torch
from msgspec import convert

from benchmarks.card_points import Launch, Prediction, predict_all, predict_cached
from benchmarks.card_sweeps import SWEEPS, Inputs, Sweep
from weft import knobs
from weft.targets.boards import Board, board

__all__ = ["Row", "compare", "group_ranks", "read_measured", "spearman"]

MEASURED_TIE, PREDICTED_TIE = 0.02, 0.01


@dataclass(frozen=True, slots=True)
class Row:
    """A sweep's predictions, and measurements if there is a GPU.

    Attributes:
        name: Name of the sweep.
        predictions: The configurations that fit.
        unfit: The configurations that do not.
        measured: The µs of each that fits, by name: the first quartile, median and third quartile.
        correlation: Spearman's rank correlation, None without measurements.
    """

    name: str
    predictions: tuple[Prediction, ...]
    unfit: tuple[Prediction, ...]
    measured: dict[str, tuple[float, float, float]]
    correlation: float | None


def group_ranks(values: Sequence[float], tie: float) -> list[float]:
    """Number groups of values by size from 0; values of a group share the mean of their numbers.

    Args:
        values: The values.
        tie: A group has the values up to this share larger than its least: 0.02 for 2 %.
    """
    order = sorted(range(len(values)), key=lambda index: values[index])
    ranks = [0.0] * len(values)
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or values[order[end]] > values[order[start]] * (1 + tie):
            for index in order[start:end]:
                ranks[index] = (start + end - 1) / 2
            start = end
    return ranks


def spearman(
    predicted: Sequence[float],
    measured: Sequence[float],
    ties: tuple[float, float] = (PREDICTED_TIE, MEASURED_TIE),
) -> float:
    """Compute the rank correlation of two lists; 0 if all values of one share a rank.

    Args:
        predicted: A list.
        measured: The other.
        ties: For each list, how much longer a time of the same rank may be.
    """
    a, b = group_ranks(predicted, ties[0]), group_ranks(measured, ties[1])
    mean = (len(a) - 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    squares = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return product / squares**0.5 if squares else 0.0


def measure(sweep: Sweep, names: Sequence[str]) -> dict[str, tuple[float, float, float]]:
    """Time configurations in turns, in µs: the quartiles of all rounds."""
    from benchmarks.cuda_timing import time_alternately

    points = [point for point in sweep.points if point.name in names]
    for point in points:
        point.launch()
    rounds = time_alternately([point.launch for point in points])
    times: dict[str, tuple[float, float, float]] = {}
    for point, values in zip(points, rounds, strict=True):
        first, _, third = quantiles(values, n=4)
        times[point.name] = first, median(values), third
    return times


def compare(name: str, predictions: Sequence[Prediction], *, measures: bool) -> Row:
    """Measure a sweep of full size, if there is a GPU, and compare it with its predictions."""
    fitting = [each for each in predictions if each.us is not None]
    unfit = [each for each in predictions if each.us is None]
    measured: dict[str, tuple[float, float, float]] = {}
    correlation = None
    if measures:
        sweep = SWEEPS[name](Inputs("cuda", full=True))
        measured = measure(sweep, [each.name for each in fitting])
        correlation = _correlation(fitting, measured)
    return Row(name, tuple(fitting), tuple(unfit), measured, correlation)


def read_measured(file: Path, only: str, cache: Path, chip: str, on: Board) -> Iterator[Row]:
    """Predict again for the launches of a file, and compare with its times.

    Args:
        file: What --json wrote.
        only: Part of a sweep's name.
        cache: The folder of the disk cache with the kernels.
        chip: The chip that they are compiled for.
        on: The board.
    """
    for sweep in json.loads(file.read_text("utf-8")):
        if only not in sweep["name"]:
            continue
        points = [point for point in sweep["points"] if point["measured"]]
        predictions = tuple(
            predict_cached(point["name"], _read_launch(point["launch"]), cache, chip, on)
            for point in points
        )
        measured = {point["name"]: tuple(point["measured"]) for point in points}
        yield Row(sweep["name"], predictions, (), measured, _correlation(predictions, measured))


def _read_launch(fields: Mapping[str, object]) -> Launch:
    """Read a launch as JSON has it; a flag is a number."""
    numbers = convert(fields["numbers"], dict[str, int | bool])
    rest = {name: value for name, value in fields.items() if name != "numbers"}
    return convert(rest | {"numbers": {name: int(numbers[name]) for name in numbers}}, Launch)


def _correlation(
    predictions: Sequence[Prediction], measured: Mapping[str, tuple[float, float, float]]
) -> float:
    """Compute the correlation of predicted times and measured medians."""
    medians = [measured[each.name][1] for each in predictions]
    return spearman([each.us or 0.0 for each in predictions], medians)


def print_row(row: Row) -> None:
    """Print a sweep in the order of the predictions."""
    correlation = "-" if row.correlation is None else f"{row.correlation:.3f}"
    print(
        f"{row.name:16} {len(row.predictions):3} configurations, {len(row.unfit)} do not fit"
        f"  correlation {correlation}"
    )
    for each in sorted(row.predictions, key=lambda each: each.us or 0.0):
        us = f"{row.measured[each.name][1]:9.1f}" if row.measured else ""
        print(f"  {each.name:24} predicted {each.us:9.1f} µs  {us}".rstrip(), flush=True)


def to_json(row: Row) -> dict[str, object]:
    """Convert a sweep to what JSON has, with the inputs of the model."""
    return {
        "name": row.name,
        "correlation": row.correlation,
        "points": [
            asdict(each) | {"measured": row.measured.get(each.name)} for each in row.predictions
        ],
        "unfit": {each.name: each.error for each in row.unfit},
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description="Compare the order of configurations that the card predicts with the measured."
    )
    parser.add_argument("--only", default="", help="part of a sweep's name")
    parser.add_argument("--chip", help="predict for this chip, without a GPU")
    parser.add_argument("--board", default="H200 SXM", help="its board, with --chip")
    parser.add_argument("--json", type=Path, help="write the rows to a file")
    parser.add_argument("--measured", type=Path, help="predict again for the rows of such a file")
    parser.add_argument("--cache", type=Path, help="disk cache with the kernels of --measured")
    arguments = parser.parse_args()
    if arguments.measured is not None:
        cache = arguments.cache or Path(knobs.cache.dir)
        on = board(arguments.board)
        for row in read_measured(arguments.measured, arguments.only, cache, "cuda:90", on):
            print_row(row)
        return
    measures = arguments.chip is None
    on = board(torch.cuda.get_device_name() if measures else arguments.board)
    major, minor = torch.cuda.get_device_capability() if measures else (0, 0)
    chip = arguments.chip or f"cuda:{10 * major + minor}"
    rows: list[dict[str, object]] = []
    names = [name for name in SWEEPS if arguments.only in name]
    # Launches are timed once all kernels are compiled: compilers would slow down the host.
    for name, predictions in list(predict_all(names, chip, on)):
        row = compare(name, predictions, measures=measures)
        print_row(row)
        rows.append(to_json(row))
        if arguments.json:
            arguments.json.write_text(json.dumps(rows, indent=1), "utf-8")


if __name__ == "__main__":
    main()
