"""How long a kernel takes, and whether it is right: Triton's `do_bench` and `assert_close`.

do_bench(lambda: launch(x, out))                               # mean, in ms
do_bench(lambda: launch(x, out), quantiles=(0.5, 0.2, 0.8))    # [median, faster, slower]

Where torch uses a GPU, its own events measure, and each run finds the L2 cache emptied; else the
wall clock does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median
from typing import Any

import numpy as np

from weft.autotuner.timing import DEFAULT_REP, DEFAULT_WARMUP, on_gpu, wall_clock
from weft.errors import LaunchError
from weft.launch.devices import current_gpu

__all__ = ["assert_close", "do_bench", "do_bench_cudagraph"]

_MODES: dict[str, Callable[[Sequence[float]], Any]] = {
    "all": list,
    "max": max,
    "mean": fmean,
    "median": median,
    "min": min,
}


def do_bench(
    fn: Callable[[], object],
    warmup: float = DEFAULT_WARMUP,
    rep: float = DEFAULT_REP,
    grad_to_none: Iterable[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Time a call.

    Args: warmup, rep: ms to spend before and while measuring.  grad_to_none: tensors whose
          gradients are dropped before each run.  return_mode: "mean", "median", "min", "max" or
          "all", where no quantiles are asked for.
    Returns: ms; a list of them for several quantiles, or for "all".
    Raises: LaunchError: a mode that is none.
    """
    return _timed(_without_gradients(fn, grad_to_none), warmup, rep, quantiles, return_mode, False)


def do_bench_cudagraph(
    fn: Callable[[], object],
    rep: float = DEFAULT_REP,
    grad_to_none: Iterable[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Time a call as part of a CUDA graph of many, so that no cost of the host counts.

    Args and returns: as `do_bench`'s.  Where there is no GPU, the wall clock measures.
    """
    call = _without_gradients(fn, grad_to_none)
    return _timed(call, DEFAULT_WARMUP, rep, quantiles, return_mode, True)


def _without_gradients(
    fn: Callable[[], object], tensors: Iterable[Any] | None
) -> Callable[[], object]:
    if tensors is None:
        return fn
    dropped = list(tensors)

    def call() -> object:
        for tensor in dropped:
            tensor.grad = None
        return fn()

    return call


def _timed(
    call: Callable[[], object],
    warmup: float,
    rep: float,
    quantiles: Sequence[float] | None,
    mode: str,
    by_graph: bool,
) -> Any:
    if mode not in _MODES:
        raise LaunchError("unknown return_mode", found=mode, accepted=sorted(_MODES))
    shares = None if quantiles is None else tuple(quantiles)
    gpu = current_gpu(used=True)
    if gpu is None:
        times = wall_clock(call, shares, warmup, rep)
    else:
        times = on_gpu(call, gpu, shares, warmup, rep, by_graph)
    if shares is None:
        return _MODES[mode](times)
    return times[0] if len(times) == 1 else times


def assert_close(
    x: Any, y: Any, atol: float | None = None, rtol: float | None = None, err_msg: str = ""
) -> None:
    """Require that two arrays, of numpy or torch, are the same but for rounding.

    Args: atol, rtol: absolute and relative tolerance, 0.01 and 0 where they are left out.
    """
    np.testing.assert_allclose(
        _as_numpy(x),
        _as_numpy(y),
        atol=1e-2 if atol is None else atol,
        rtol=0.0 if rtol is None else rtol,
        err_msg=err_msg,
        equal_nan=True,
    )


def _as_numpy(values: Any) -> np.ndarray:
    if hasattr(values, "detach"):
        values = values.detach().to("cpu").double().numpy()
    return np.asarray(values).astype(np.float64)
