"""Time calls and compare arrays, with the functions of `triton.testing`.

    do_bench(lambda: launch(x, out), quantiles=(0.5, 0.2, 0.8))    # [median, faster, slower]

If torch uses a GPU, its events measure, and each run starts with a cold L2 cache. Otherwise the
wall clock measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from weft.autotuner.timing import DEFAULT_REP, DEFAULT_WARMUP, time_on_cpu, time_on_gpu
from weft.errors import LaunchError
from weft.launch.devices import current_gpu

__all__ = ["assert_close", "do_bench", "do_bench_cudagraph"]

Times = float | list[float]

_RETURN_MODES: dict[str, Callable[[Sequence[float]], Times]] = {
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
    grad_to_none: Iterable[object] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Time a call.

    Args:
        fn: The call.
        warmup: ms to spend before measuring.
        rep: ms to spend measuring.
        grad_to_none: Tensors whose gradients are dropped before each run.
        quantiles: The quantiles to return; None for what `return_mode` selects.
        return_mode: "mean", "median", "min", "max" or "all".

    Returns:
        ms; a list of them for several quantiles, or for "all".

    Raises:
        LaunchError: An unknown return_mode.
    """
    call = _without_gradients(fn, grad_to_none)
    return _time(call, warmup, rep, quantiles, return_mode, use_cuda_graph=False)


def do_bench_cudagraph(
    fn: Callable[[], object],
    rep: float = 20,
    grad_to_none: Iterable[object] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Time a call in a CUDA graph of many, without the host's launch overhead.

    Arguments and result are those of `do_bench`. Without a GPU, the wall clock measures.
    """
    call = _without_gradients(fn, grad_to_none)
    return _time(call, DEFAULT_WARMUP, rep, quantiles, return_mode, use_cuda_graph=True)


class _HasGradient(Protocol):
    """A torch tensor."""

    grad: object


def _without_gradients(
    fn: Callable[[], object], tensors: Iterable[object] | None
) -> Callable[[], object]:
    if tensors is None:
        return fn
    with_gradients = [cast("_HasGradient", tensor) for tensor in tensors]

    def call() -> object:
        for tensor in with_gradients:
            tensor.grad = None
        return fn()

    return call


def _time(
    call: Callable[[], object],
    warmup: float,
    rep: float,
    quantiles: Sequence[float] | None,
    return_mode: str,
    use_cuda_graph: bool,
) -> Times:
    if return_mode not in _RETURN_MODES:
        raise LaunchError("unknown return_mode", found=return_mode, accepted=sorted(_RETURN_MODES))
    shares = None if quantiles is None else tuple(quantiles)
    gpu = current_gpu()
    if gpu is None:
        times = time_on_cpu(call, shares, warmup, rep)
    else:
        times = time_on_gpu(call, gpu, shares, warmup, rep, use_cuda_graph)
    if shares is None:
        return _RETURN_MODES[return_mode](times)
    return times[0] if len(times) == 1 else times


def assert_close(
    x: object,
    y: object,
    atol: float | None = None,
    rtol: float | None = None,
    err_msg: str = "",
) -> None:
    """Assert that two arrays of numpy or torch are equal up to rounding.

    Args:
        x: The first array.
        y: The second array.
        atol: Absolute tolerance; None for 0.01.
        rtol: Relative tolerance; None for 0.
        err_msg: Message of the AssertionError.
    """
    np.testing.assert_allclose(
        _as_float64(x),
        _as_float64(y),
        atol=1e-2 if atol is None else atol,
        rtol=0.0 if rtol is None else rtol,
        err_msg=err_msg,
        equal_nan=True,
    )


def _as_float64(values: object) -> NDArray[np.float64]:
    detach = getattr(values, "detach", None)  # a torch tensor
    host_values = values if detach is None else detach().to("cpu").double().numpy()
    return np.asarray(host_values).astype(np.float64)
