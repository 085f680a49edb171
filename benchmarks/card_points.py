"""Compile a configuration of a sweep, and predict its time from its card.

    prediction = predict(point, "cuda:90", board("H200 SXM"))
    prediction.us                     # µs of the launch; None if no block fits
    prediction.launch                 # what the model reads of the launch

Kernels go to the disk cache, from which a launch on the GPU then takes them. The prediction needs
nvdisasm, which Triton's wheel and the CUDA toolkit have.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import prod
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from benchmarks.card_sweeps import SWEEPS, Inputs, Point, Sweep
from benchmarks.cubin_resources import read_resources
from weft.compiler.build import build
from weft.compiler.cache import DiskCache
from weft.compiler.machine_code import disassemble_cubin
from weft.compiler.options import options_for
from weft.errors import OutOfResourcesError
from weft.explain.block_time import nest_loops, read_sass, time_block
from weft.explain.card import build_card
from weft.explain.card_model import Card
from weft.explain.card_time import LaunchWork, predict_seconds
from weft.explain.global_traffic import find_global_traffic
from weft.explain.loop_iterations import LoopIterations
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.ir.scf import ForOp, WhileOp
from weft.ir.text import parse_module
from weft.kernel.specialization import specialize
from weft.launch.binding import bind
from weft.launch.grid import grid_sizes
from weft.launch.interception import intercept_launches
from weft.targets import target
from weft.targets.boards import Board, board
from weft.targets.instruction_timing import instruction_timing
from weft.targets.multiprocessor import multiprocessor

__all__ = ["Launch", "Prediction", "predict", "predict_all", "predict_cached"]

_MOST_WORKERS = 16  # a container may have fewer cores than it sees


@dataclass(frozen=True, slots=True)
class Launch:
    """What the model reads of a launch.

    Attributes:
        kernel: Name of the kernel.
        key: The kernel's key in the disk cache.
        grid: The programs along x, y and z.
        numbers: Integer arguments and constants by name.
        tensors: Bytes of the tensors among the arguments, by name.
        num_warps: Warps of a program.
        options: Compile options of the launch.
    """

    kernel: str
    key: str
    grid: tuple[int, int, int]
    numbers: dict[str, int]
    tensors: dict[str, int]
    num_warps: int
    options: dict[str, object]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The prediction of one configuration.

    Attributes:
        name: Name of the configuration.
        us: Predicted µs; None if no block of it fits.
        launch: The launch; None if the kernel cannot be compiled.
        card: The card of the kernel; None likewise.
        work: What the launch does; None likewise.
        error: Why no block of it fits.
    """

    name: str
    us: float | None
    launch: Launch | None = None
    card: Card | None = None
    work: LaunchWork | None = None
    error: str = ""


def predict(point: Point, chip: str, on: Board) -> Prediction:
    """Predict the time of a configuration from its card.

    Args:
        point: The configuration; its launch is one of one kernel.
        chip: The chip to compile for: "cuda:90".
        on: The board.

    Raises:
        ValueError: The board's size is not known.
    """
    predictions: list[Prediction] = []

    def handle(kernel: Any, grid: object, args: tuple[object, ...], kwargs: dict[str, Any]) -> None:
        predictions.append(_predict_launch(point.name, kernel, grid, args, kwargs, chip, on))

    with intercept_launches(handle):
        try:
            point.launch()
        except OutOfResourcesError as error:
            return Prediction(point.name, None, error=error.message)
    (prediction,) = predictions
    return prediction


def _predict_launch(
    name: str,
    kernel: Any,
    grid: object,
    args: tuple[object, ...],
    kwargs: dict[str, Any],
    chip: str,
    on: Board,
) -> Prediction:
    """Compile the kernel of a launch as a GPU with the chip would, and predict its time."""
    values, options = bind(kernel, args, kwargs)
    x, y, z = grid_sizes(kernel, grid, values | options)
    signature = specialize(kernel, list(values.values()))
    chosen = options_for(target(chip), {**options, "debug": kernel.debug})
    artifact = build(kernel, signature, chosen, target(chip))
    launch = Launch(
        kernel.name,
        artifact.hash,
        (x, y, z),
        {each: int(value) for each, value in values.items() if isinstance(value, int)},
        {each: value.nbytes for each, value in values.items() if isinstance(value, torch.Tensor)},
        chosen.num_warps,
        dict(options),
    )
    return _predict_compiled(name, launch, artifact.blobs, chip, on)


def predict_cached(name: str, launch: Launch, cache: Path, chip: str, on: Board) -> Prediction:
    """Predict the time of a launch whose kernel is in a folder of the disk cache.

    Args:
        name: Name of the configuration.
        launch: The launch.
        cache: The folder.
        chip: The chip that the kernel is compiled for.
        on: The board.

    Raises:
        ValueError: The folder does not have the kernel, or the board's size is not known.
    """
    entry = DiskCache(cache).get(launch.key)
    if entry is None:
        raise ValueError(f"{cache} has no kernel {launch.key}")
    return _predict_compiled(name, launch, entry.blobs, chip, on)


def _predict_compiled(
    name: str, launch: Launch, blobs: Mapping[str, bytes], chip: str, on: Board
) -> Prediction:
    """Predict the time of a launch from the kernel's TTGIR and cubin."""
    module = parse_module(blobs["ttgir"].decode(), f"{launch.kernel}.ttgir")
    card = build_card(module, read_resources(blobs["cubin"]))
    if card.occupancy is None or not card.occupancy.blocks:
        return Prediction(name, None, launch, card, error="no block fits")
    work = launch_work(module, disassemble_cubin(blobs["cubin"]), launch, chip)
    seconds = predict_seconds(work, card.occupancy.blocks, on, chip)
    if seconds is None:
        raise ValueError(f"the number of multiprocessors of {on.name} is not known")
    return Prediction(name, 1e6 * seconds, launch, card, work)


def launch_work(module: ModuleOp, sass: str, launch: Launch, chip: str) -> LaunchWork:
    """Find what a launch does from its kernel's TTGIR and SASS."""
    iterations = LoopIterations(launch.numbers)
    trips = [iterations.of_loop(op) for op in walk(module) if isinstance(op, ForOp | WhileOp)]
    partitions = multiprocessor(chip).partitions
    body = nest_loops(read_sass(sass), trips)
    return LaunchWork(
        time_block(body, launch.num_warps, instruction_timing(chip), partitions),
        find_global_traffic(module, launch.numbers, launch.tensors, launch.grid),
        prod(launch.grid),
    )


def predict_all(
    names: Sequence[str], chip: str, on: Board
) -> Iterator[tuple[str, list[Prediction]]]:
    """Predict the times of sweeps of full size, in processes that compile at the same time.

    Args:
        names: Names of SWEEPS.
        chip: The chip.
        on: The board.

    Yields:
        The name of each sweep and its predictions, as soon as they are complete.
    """
    workers = min(_MOST_WORKERS, len(os.sched_getaffinity(0)))
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        futures = {
            name: [
                pool.submit(_predict_numbered, name, number, chip, on.name)
                for number in range(len(_sweep(name).points))
            ]
            for name in names
        }
        for name, predictions in futures.items():
            yield name, [each.result() for each in predictions]


def _predict_numbered(name: str, number: int, chip: str, on: str) -> Prediction:
    return predict(_sweep(name).points[number], chip, board(on))


@cache
def _sweep(name: str) -> Sweep:
    """Make a sweep of full size on tensors without contents."""
    return SWEEPS[name](Inputs("cpu", full=True))
