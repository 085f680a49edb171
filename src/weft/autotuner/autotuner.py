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

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from weft import knobs
from weft.autotuner.array_state import copy_array, restore_array, zero_array
from weft.autotuner.config import Config
from weft.autotuner.config_cache import ConfigCache
from weft.autotuner.progress import print_trials, with_progress_bar
from weft.autotuner.pruning import Pruning
from weft.autotuner.timing import DEFAULT_REP, DEFAULT_WARMUP, time_on_cpu, time_on_gpu
from weft.autotuner.trials import (
    COMPILE_ERRORS,
    Times,
    Trial,
    best_config,
    device_description,
    load_trials,
    save_trials,
)
from weft.compiler.kernel_location import definition_location
from weft.compiler.options import ALL_OPTIONS
from weft.errors import LaunchError, did_you_mean, warn_ignored
from weft.kernel.jit import KernelInterface, jit, kernel_of
from weft.launch.argument_views import view_arguments
from weft.launch.arrays import has_dtype
from weft.launch.devices import gpu_of_arrays
from weft.launch.interception import intercept_launches

__all__ = ["Autotuner", "autotune"]

Bench = Callable[..., float | Sequence[float]]
"""Times a call: takes it and `quantiles`, and returns one time or one per quantile, in ms."""

_QUANTILES = (0.5, 0.2, 0.8)


class Autotuner(KernelInterface[Any]):
    """A kernel whose configuration is chosen by measurement; see `autotune` for the arguments.

    Attributes:
        fn: The kernel, or heuristics around it.
        base: The kernel.
        configs: The configurations to try.
        cache: The chosen configurations by key.
        best_config: The configuration of the latest launch.
        trials: The results of the latest measurement.
        bench_time: The seconds that it took.
    """

    def __init__(
        self,
        fn: object,
        configs: Sequence[Config],
        key: Sequence[str],
        *,
        prune_configs_by: Mapping[str, Any] | None = None,
        reset_to_zero: Sequence[str] | None = None,
        restore_value: Sequence[str] | None = None,
        pre_hook: Callable[..., object] | None = None,
        post_hook: Callable[..., object] | None = None,
        do_bench: Bench | None = None,
        warmup: float | None = None,
        rep: float | None = None,
        use_cuda_graph: bool = False,
        cache_results: bool = False,
    ) -> None:
        self.fn = fn if isinstance(fn, KernelInterface) else jit(fn)
        self.base = kernel_of(self.fn)
        self.arg_names = list(self.base.parameter_names)
        self.configs = self._checked_configs(configs) or [Config({})]
        self.keys = self._checked_names(key, "key")
        self.reset_to_zero = self._checked_names(reset_to_zero or (), "reset_to_zero")
        self.restore_value = self._checked_names(restore_value or (), "restore_value")
        self.pruning = Pruning.of(self.base.name, prune_configs_by or {})
        hooks = {"pre_hook": pre_hook, "post_hook": post_hook, "do_bench": do_bench}
        for name, hook in hooks.items():
            if hook is not None and not callable(hook):
                raise LaunchError(
                    f"{self.base.name}: {name} of autotune must be a function",
                    found=repr(hook)[:80],
                )
        self.pre_hook = pre_hook or self._reset_arrays
        self.post_hook = post_hook or self._restore_arrays
        self.do_bench = do_bench
        self.warmup_ms = DEFAULT_WARMUP if warmup is None else warmup
        self.rep_ms = DEFAULT_REP if rep is None else rep
        self.use_cuda_graph = use_cuda_graph
        self.cache_results = cache_results
        budget = {"warmup": warmup, "rep": rep, "use_cuda_graph": use_cuda_graph or None}
        self._warn_of_ignored(
            {
                "reset_to_zero": reset_to_zero and pre_hook and "pre_hook replaces it",
                "restore_value": restore_value and (pre_hook or post_hook) and "a hook replaces it",
                "top_k": self.pruning.top_k != 1.0
                and self.pruning.perf_model is None
                and "there is no perf_model",
                "cache_results": cache_results
                and any(config.pre_hook for config in self.configs)
                and "times of configurations with a pre_hook are not saved",
                **{
                    name: do_bench and value is not None and "do_bench measures"
                    for name, value in budget.items()
                },
            }
        )
        self.cache: dict[tuple[object, ...], Config] = {}
        self.trials: list[Trial] = []
        self.best_config: Config | None = None
        self.bench_time = 0.0
        self._copies: dict[str, object] = {}
        self._lock = threading.RLock()
        self._config_cache = ConfigCache(self.arg_names, self.keys)

    @property
    def base_fn(self) -> Callable[..., object]:
        """The kernel's Python function, as Triton calls it."""
        return self.base.fn

    @property
    def configs_timings(self) -> dict[Config, Times]:
        """The times of the latest measurement: median, 20 % and 80 % quantile, in ms."""
        return {trial.config: trial.times for trial in self.trials}

    def run(self, *args: object, grid: object, warmup: bool = False, **kwargs: object) -> object:
        """Launch in the best configuration; measure first if these arguments are new."""
        # A program that clears `cache` wants another measurement.
        is_chosen = self.cache or len(self.configs) == 1
        choice = self._config_cache.find(args, kwargs) if is_chosen and not warmup else None
        if choice is not None:
            self.best_config, config_kwargs = choice
            return self.fn.run(*args, grid=grid, warmup=False, **kwargs, **config_kwargs)
        named = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        if warmup:
            return [
                self.fn.run(*args, grid=grid, warmup=True, **self._merged(config, kwargs))
                for config in self.pruning.prune(self.configs, named, kwargs)
            ]
        config = self._config_for(args, grid, kwargs, named)
        self.best_config = config
        merged = self._merged(config, kwargs)
        if config.pre_hook is not None:
            config.pre_hook({**named, **config.all_kwargs()})
        else:
            self._config_cache.add(args, kwargs, (config, config.all_kwargs()))
        return self.fn.run(*args, grid=grid, warmup=False, **merged)

    def _config_for(
        self,
        args: Sequence[object],
        grid: object,
        kwargs: Mapping[str, object],
        named: Mapping[str, object],
    ) -> Config:
        if len(self.configs) == 1:
            return self.configs[0]
        key = self._key(named)
        if key not in self.cache:
            with self._lock:  # two measurements at a time would slow each other down
                if key not in self.cache:
                    with intercept_launches(None):
                        self.cache[key] = self._choose(key, args, grid, kwargs, named)
        return self.cache[key]

    def _key(self, named: Mapping[str, object]) -> tuple[object, ...]:
        arguments = [named[name] for name in self.arg_names if name in named]
        types = [str(argument.dtype) for argument in arguments if has_dtype(argument)]
        return (*(named[name] for name in self.keys if name in named), *types)

    def _merged(self, config: Config, kwargs: Mapping[str, object]) -> dict[str, object]:
        """Add what a configuration passes to the keyword arguments of a launch."""
        config_kwargs = config.all_kwargs()
        conflicts = sorted(kwargs.keys() & config_kwargs.keys())
        if conflicts:
            raise LaunchError(
                f"{self.base.name}: Conflicting meta-parameters: {', '.join(conflicts)}",
                found=", ".join(f"{name}={kwargs[name]!r}" for name in conflicts),
                accepted=["arguments that no configuration sets"],
                hint="Make sure that you don't re-define auto-tuned symbols",
            )
        return {**kwargs, **config_kwargs}

    def _choose(
        self,
        key: tuple[object, ...],
        args: Sequence[object],
        grid: object,
        kwargs: Mapping[str, object],
        named: Mapping[str, object],
    ) -> Config:
        """Choose the fastest configuration, by results on disk or by a measurement."""
        start = time.perf_counter()
        configs = self.pruning.prune(self.configs, named, kwargs)
        arguments = {name: named[name] for name in self.arg_names if name in named}
        gpu = gpu_of_arrays(view_arguments(arguments))
        uses_disk = self.cache_results or knobs.autotuning.cache
        # A hook may depend on anything, so times with hooks are only valid in this process.
        uses_disk = uses_disk and not any(config.pre_hook for config in configs)
        device = device_description(gpu) if uses_disk else ""
        saved = load_trials(self.base, key, configs, device) if uses_disk else None
        trials = saved or self._measure(configs, args, grid, kwargs, named, gpu)
        best = best_config(trials)
        if saved is None:
            self.pre_hook({**named, **self._merged(best, kwargs)}, reset_only=True)
            if uses_disk:
                save_trials(self.base, key, trials, device)
        self.trials, self.bench_time = trials, time.perf_counter() - start
        if knobs.autotuning.print:
            source = "from disk" if saved else f"in {self.bench_time:.2f} s"
            key_text = ", ".join(map(str, key)) or "all arguments"
            title = f"{self.base.name} for {key_text}: {len(trials)} configurations {source}"
            print_trials(title, trials, best)
        return best

    def _measure(
        self,
        configs: Sequence[Config],
        args: Sequence[object],
        grid: object,
        kwargs: Mapping[str, object],
        named: Mapping[str, object],
        gpu: int | None,
    ) -> list[Trial]:
        """Measure every configuration. Those that cannot be compiled record the reason."""
        bench, trials = self._bench_function(gpu), []
        for config in with_progress_bar(self.base.name, configs):
            merged = self._merged(config, kwargs)
            call = self._kernel_call(config, args, grid, merged, {**named, **merged})
            try:
                times = bench(call, quantiles=_QUANTILES)
                trials.append(Trial(config, _quantile_times(times)))
            except COMPILE_ERRORS as error:
                trials.append(Trial.failed(config, error))
        return trials

    def _bench_function(self, gpu: int | None) -> Bench:
        """Get the function that times a call: the user's `do_bench`, or the device's."""
        if self.do_bench is not None:
            return self.do_bench
        if gpu is None:
            return partial(time_on_cpu, warmup=self.warmup_ms, rep=self.rep_ms)
        return partial(
            time_on_gpu,
            gpu=gpu,
            warmup=self.warmup_ms,
            rep=self.rep_ms,
            use_cuda_graph=self.use_cuda_graph,
        )

    def _kernel_call(
        self,
        config: Config,
        args: Sequence[object],
        grid: object,
        merged: Mapping[str, object],
        named: dict[str, object],
    ) -> Callable[[], None]:
        def kernel_call() -> None:
            if config.pre_hook is not None:
                config.pre_hook(named)
            self.pre_hook(named)
            try:
                self.fn.run(*args, grid=grid, warmup=False, **merged)
            except Exception as error:
                try:
                    self.post_hook(named, exception=error)
                finally:
                    raise error  # even if the hook raises another one
            self.post_hook(named, exception=None)

        return kernel_call

    def _reset_arrays(self, named: Mapping[str, object], reset_only: bool = False) -> None:
        for name in self.reset_to_zero:
            zero_array(named[name], name)
        if not reset_only:
            self._copies = {name: copy_array(named[name], name) for name in self.restore_value}

    def _restore_arrays(self, named: Mapping[str, object], exception: Exception | None) -> None:
        for name, copy in self._copies.items():
            restore_array(named[name], copy, name)
        self._copies = {}

    def _warn_of_ignored(self, reasons: Mapping[str, object]) -> None:
        """Warn of each keyword that has a reason why it has no effect."""
        for name, reason in reasons.items():
            if reason:
                text = f"{self.base.name}: {name} of autotune has no effect: {reason}"
                warn_ignored(text, definition_location(self.base))

    def _checked_configs(self, configs: Sequence[Config]) -> list[Config]:
        known = (*self.arg_names, *ALL_OPTIONS)
        if isinstance(configs, Config) or not all(isinstance(each, Config) for each in configs):
            raise LaunchError(
                f"{self.base.name}: autotune takes a list of configurations",
                found=repr(configs)[:80],
                accepted=["[weft.Config({…}), …]"],
            )
        for name in (name for config in configs for name in config.kwargs):
            if name not in known:
                raise LaunchError(
                    f"{self.base.name}: Config sets an unknown parameter",
                    found=name,
                    accepted=self.arg_names,
                    hint=did_you_mean(name, known),
                )
        return list(configs)

    def _checked_names(self, names: Sequence[str], what: str) -> list[str]:
        if isinstance(names, str):
            raise LaunchError(
                f"{self.base.name}: {what} of autotune must be a list of names",
                found=repr(names),
                accepted=[f"{what}=[{names!r}]"],
            )
        for name in names:
            if name not in self.arg_names:
                raise LaunchError(
                    f"{self.base.name}: {what} of autotune names an unknown parameter",
                    found=name,
                    accepted=self.arg_names,
                    hint=did_you_mean(name, self.arg_names),
                )
        return list(names)


def _quantile_times(result: float | Sequence[float]) -> Times:
    """Convert the result of a do_bench, one time or one per quantile, to at least three times."""
    times = tuple(result) if isinstance(result, Sequence) else (result,)
    return tuple(float(each) for each in (*times, *times[-1:] * 2)[: max(3, len(times))])


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
        configs,
        key,
        prune_configs_by=prune_configs_by,
        reset_to_zero=reset_to_zero,
        restore_value=restore_value,
        pre_hook=pre_hook,
        post_hook=post_hook,
        do_bench=do_bench,
        warmup=warmup,
        rep=rep,
        use_cuda_graph=use_cuda_graph,
        cache_results=cache_results,
    )
