"""Measure a file's BENCHES, or the launches of a program."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

from weft.cli.bench.benches import run_benches
from weft.cli.bench.launches import run_launches
from weft.cli.bench.limits import limits_of
from weft.cli.bench.request import Request
from weft.errors import WeftError
from weft.kernel.files import load_file
from weft.launch.devices import current_gpu

__all__ = ["run"]

_DEVICES = ("cpu", "cuda")


def run(request: Request) -> None:
    """Measure, print a table or JSON, and draw a plot on request.

    Raises:
        WeftError: A file that launches no kernel, a kernel without a bench, a device that does not
            exist, or an unknown board.
    """
    path, _, kernel_name = request.file.partition("::")
    gpu = _gpu(request.device)
    limits = limits_of(request.target, gpu)
    benches = () if request.call is not None else getattr(load_file(path), "BENCHES", ())
    if benches and request.arguments:
        raise WeftError("BENCHES take no arguments", found=" ".join(request.arguments))
    if benches:
        run_benches(benches, kernel_name, gpu, limits, request)
    elif request.plot is not None:
        raise WeftError("--plot needs a file with BENCHES", found=f"no BENCHES in {path}")
    else:
        run_launches(Path(path), kernel_name, gpu, limits, request)


def _gpu(device: str | None) -> int | None:
    """Choose the GPU to run on: by default the one that torch has."""
    if device not in (None, *_DEVICES):
        raise WeftError("unknown device", found=device, accepted=_DEVICES)
    if device == "cpu":
        return None
    if importlib.util.find_spec("torch") is not None:
        importlib.import_module("torch")
    gpu = current_gpu(initialized_only=False)
    if gpu is None and device == "cuda":
        raise WeftError("torch has no GPU", found=device, accepted=["cpu"])
    return gpu
