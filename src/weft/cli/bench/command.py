"""Which of the two `weft bench` does: a file's own BENCHES, or the launches of a program."""

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
    """Measure, and print a table or an object; draw a plot where a path is given.

    Raises: WeftError: a file that launches nothing, a kernel that has no bench, a device that is
            not there, a board that nobody knows.
    """
    path, _, wanted = request.file.partition("::")
    gpu = _gpu(request.device)
    limits = limits_of(request.target, gpu)
    found = () if request.call is not None else getattr(load_file(path), "BENCHES", ())
    if found:
        run_benches(found, wanted, gpu, limits, request)
    elif request.plot is not None:
        raise WeftError(
            "a plot is drawn over the sizes of a file's BENCHES", found=f"no BENCHES in {path}"
        )
    else:
        run_launches(Path(path), wanted, gpu, limits, request)


def _gpu(device: str | None) -> int | None:
    """Return the GPU to run on; where nothing is asked for, the one that there is."""
    if device not in (None, *_DEVICES):
        raise WeftError("unknown device", found=device, accepted=_DEVICES)
    if device == "cpu":
        return None
    if importlib.util.find_spec("torch") is not None:
        importlib.import_module("torch")
    gpu = current_gpu(initialized_only=False)
    if gpu is None and device == "cuda":
        raise WeftError("there is no GPU that torch knows of", found=device, accepted=["cpu"])
    return gpu
