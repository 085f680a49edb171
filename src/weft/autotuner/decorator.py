"""`weft.autotune`: measure a kernel in several configurations once, then launch the fastest.

    @weft.autotune([weft.Config({"BLOCK": 256}), weft.Config({"BLOCK": 1024}, num_warps=8)],
                   key=["n"])
    @weft.jit
    def kernel(x, n, BLOCK: tl.constexpr): …

    kernel[lambda args: (weft.cdiv(args["n"], args["BLOCK"]),)](x, n)

The choice is kept for each value of the key arguments and each combination of array types. Since a
kernel runs several times while it is measured, name the arrays that it updates in `reset_to_zero`
or `restore_value`. A configuration that cannot be compiled, because it needs more shared memory or
registers than the device has, loses. WEFT_PRINT_AUTOTUNING=1 prints the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.autotuner.autotuner import Autotuner, Bench
from weft.autotuner.config import Config

__all__ = ["autotune"]


def autotune(
    configs: Sequence[Config],
    key: Sequence[str],
    prune_configs_by: Mapping[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable[..., object] | None = None,
    post_hook: Callable[..., object] | None = None,
    warmup: float | None = None,
    rep: float | None = None,
    use_cuda_graph: bool = False,
    do_bench: Bench | None = None,
    cache_results: bool = False,
) -> Callable[[object], Autotuner]:
    """Choose meta-parameters by measurement; the arguments are Triton's.

    Args:
        configs: The configurations to try.
        key: The parameters whose values select a choice.
        prune_configs_by: "early_config_prune" maps (configs, arguments, **kwargs) to configs;
            "perf_model" maps **arguments to an estimated time, and "top_k" configurations are kept.
        reset_to_zero: Arrays to set to zero before each run.
        restore_value: Arrays to restore after each run.
        pre_hook: Called with (arguments, reset_only=…) before each run, in place of the resets.
        post_hook: Called with (arguments, exception=…) after each run, in place of the restores.
        warmup: ms to spend before measuring a configuration.
        rep: ms to spend measuring it.
        use_cuda_graph: Time CUDA graphs on a GPU, without the host's launch overhead.
        do_bench: Maps (call, quantiles=…) to times, in place of the device's clock.
        cache_results: Save the times on disk for other processes on such a device, unless a
            configuration has a pre_hook.

    Returns:
        A decorator. It raises LaunchError for unknown names.
    """
    return lambda fn: Autotuner(
        fn,
        getattr(fn, "arg_names", ()),
        configs,
        key,
        reset_to_zero,
        restore_value,
        prune_configs_by=prune_configs_by,
        pre_hook=pre_hook,
        post_hook=post_hook,
        do_bench=do_bench,
        warmup=warmup,
        rep=rep,
        use_cuda_graph=use_cuda_graph,
        cache_results=cache_results,
    )
