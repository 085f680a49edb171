"""Launches of whole kernels for `benchmarks.optimum`: those of packages, examples and loops."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

import weft
from benchmarks import gpu, package_kernels, package_workloads, pipelined_kernels
from benchmarks import pipelined_workloads as pipelined
from benchmarks.optimum_kernels import LAYOUTS
from tests.examples.loading import load
from weft import knobs
from weft.compiler.build import build
from weft.compiler.options import options_for
from weft.ir.text import parse_module
from weft.kernel.specialization import specialize
from weft.launch.argument_views import view_arguments
from weft.launch.binding import bind
from weft.launch.interception import intercept_launches
from weft.optimum import module_cost
from weft.targets import target

__all__ = ["Load", "Request", "compile_request", "loads", "requests_of"]

_CONFIGURATIONS = 2
_PIPELINED = ("4096", "3000", "64", "grouped", "attention")


@dataclass(frozen=True, slots=True)
class Load:
    """Launches on tensors of one size.

    Attributes:
        name: For the table.
        launch: Launches the kernels.
        outputs: The tensors that they write.
        error: Computes how far these are from what torch computes.
        bound: The largest error.
    """

    name: str
    launch: Callable[[], object]
    outputs: tuple[torch.Tensor, ...]
    error: Callable[[], float]
    bound: float


@dataclass(frozen=True, slots=True)
class Request:
    """A compile that a launch needs; a process that shares nothing can carry it out.

    Attributes:
        module: The name of the kernel's module.
        kernel: The name of the kernel.
        signature: The signature.
        options: The options.
    """

    module: str
    kernel: str
    signature: Any
    options: dict[str, Any]


def loads(device: str, *, full: bool) -> Iterator[tuple[str, Callable[[], Load]]]:
    """List the name of each load and what makes it.

    Args:
        device: "cuda", or "cpu" for the interpreter.
        full: Whether sizes fill a GPU, or are those that an interpreter can run.
    """
    for work in package_workloads.workloads(device, full=full):
        yield work.name, lambda work=work: _of_package(work)
    if device == "cuda":
        for dtype in (torch.float32, torch.float16):
            for example in gpu.workloads(dtype):
                yield example.name, lambda example=example: _of_example(example)
    ours = pipelined.Compiler("weft", pipelined_kernels, weft.TensorDescriptor.from_tensor)
    for name, make in pipelined.workloads(device, full=full):
        if not any(part in name for part in _PIPELINED) or "bf16" in name:
            continue
        for number in range(_CONFIGURATIONS if full else 1):
            label = f"{name}, {number}"
            yield label, lambda make=make, n=number, label=label: _of_loops(label, make(), ours, n)


def _of_package(work: package_workloads.Workload) -> Load:
    return Load(
        work.name,
        lambda: work.launch(package_kernels),
        tuple(work.outputs),
        lambda: package_workloads.largest_error(work),
        work.bound,
    )


def _of_example(work: gpu.Workload) -> Load:
    tensors = work.make()
    inputs, outputs = tensors[: -work.outputs], tensors[len(tensors) - work.outputs :]
    expected = cache(lambda: work.torch(*inputs).float())
    module, options = load(work.file), dict(work.options)

    def error() -> float:
        away = (outputs[0].float() - expected()).abs() / expected().abs().clamp(min=1.0)
        return away.max().item()

    return Load(work.name, lambda: module.launch(*tensors, **options), outputs, error, 2e-2)


def _of_loops(
    name: str, work: pipelined.Workload, compiler: pipelined.Compiler, number: int
) -> Load:
    config = work.configurations[number]
    expected = cache(work.expected)
    return Load(
        name,
        lambda: work.launch(compiler, config),
        work.outputs,
        lambda: pipelined.largest_error(work.outputs, expected()),
        work.bound,
    )


def requests_of(load_: Load) -> list[Request]:
    """List the compiles that the launches need, without launching."""
    requests: list[Request] = []

    def record(kernel: Any, grid: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        values, options = bind(kernel, args, kwargs)
        signature = specialize(kernel, list(view_arguments(values).values()))
        debug = knobs.runtime.debug or options.get("debug", kernel.debug)
        module = kernel.fn.__module__
        requests.append(Request(module, kernel.name, signature, {**options, "debug": debug}))

    with intercept_launches(record):
        load_.launch()
    return requests


def compile_request(request: Request, chip: str) -> tuple[int, ...]:
    """Compile with each of `LAYOUTS` into the disk cache; return the counted costs."""
    prefix, _, example = request.module.partition("examples_")
    module = load(example) if not prefix and example else importlib.import_module(request.module)
    kernel = getattr(module, request.kernel)
    costs: list[int] = []
    for layouts in LAYOUTS:
        options = options_for(target(chip), {**request.options, "layouts": layouts})
        artifact = build(kernel, request.signature, options, target(chip))
        ttgir = parse_module(artifact.blobs["ttgir"].decode())
        costs.append(module_cost(ttgir, target(chip)))
    return tuple(costs)
