"""An autotuned kernel: its launches measure the configurations once, then take the fastest.

The choice is kept for each value of the key arguments and each combination of array types. A
configuration that cannot be compiled, because it needs more shared memory or registers than the
device has, loses.
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
from weft.autotuner.validation import check_configs, check_hooks, check_keys, check_names
from weft.compiler.kernel_location import definition_location
from weft.errors import LaunchError, warn_ignored
from weft.kernel.jit import jit
from weft.kernel.kernel_interface import KernelInterface, kernel_of
from weft.launch.argument_views import view_arguments
from weft.launch.arrays import has_dtype
from weft.launch.devices import gpu_of_arrays
from weft.launch.interception import intercept_launches

__all__ = ["Autotuner", "Bench"]

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
        nargs: The arguments of the launch that is measured, by name.
        restore_copies: The copies of the arrays of `restore_value` during a measurement.
        user_defined_pre_hook: Whether `pre_hook` was given.
        user_defined_post_hook: Whether `post_hook` was given.
    """

    def __init__(
        self,
        fn: object,
        arg_names: Sequence[str],
        configs: Sequence[Config],
        key: Sequence[str],
        reset_to_zero: Sequence[str] | None,
        restore_value: Sequence[str] | None,
        pre_hook: Callable[..., object] | None = None,
        post_hook: Callable[..., object] | None = None,
        prune_configs_by: Mapping[str, Any] | None = None,
        warmup: float | None = None,
        rep: float | None = None,
        use_cuda_graph: bool = False,
        do_bench: Bench | None = None,
        cache_results: bool = False,
    ) -> None:
        self.fn = fn if isinstance(fn, KernelInterface) else jit(fn)
        self.base = kernel_of(self.fn)
        self.arg_names = list(arg_names or self.base.parameter_names)
        name, parameters = self.base.name, self.arg_names
        self.configs = check_configs(name, configs, parameters) or [Config({})]
        self.keys = check_keys(name, key, parameters)
        self.reset_to_zero = check_names(name, "reset_to_zero", reset_to_zero or (), parameters)
        self.restore_value = check_names(name, "restore_value", restore_value or (), parameters)
        self.pruning = Pruning.of(name, prune_configs_by or {})
        hooks = {"pre_hook": pre_hook, "post_hook": post_hook, "do_bench": do_bench}
        check_hooks(name, hooks)
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
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
        self.nargs: dict[str, object] | None = None
        self.trials: list[Trial] = []
        self.best_config: Config | None = None
        self.bench_time = 0.0
        self.restore_copies: dict[str, object] = {}
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

    @configs_timings.setter
    def configs_timings(self, timings: Mapping[Config, Sequence[float]]) -> None:
        """Record the measurement of a subclass."""
        self.trials = [Trial(config, tuple(times)) for config, times in timings.items()]

    def run(self, *args: object, grid: object, warmup: bool = False, **kwargs: object) -> object:
        """Launch in the best configuration; measure first if these arguments are new."""
        # A program that clears `cache` wants another measurement.
        is_chosen = self.cache or len(self.configs) == 1
        choice = self._config_cache.find(args, kwargs) if is_chosen and not warmup else None
        if choice is not None:
            self.best_config, config_kwargs = choice
            return self.fn.run(*args, grid=grid, warmup=False, **kwargs, **config_kwargs)
        named = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        if warmup:
            return [
                self.fn.run(*args, grid=grid, warmup=True, **self._merged(config, kwargs))
                for config in self.prune_configs(kwargs)
            ]
        config = self._config_for(args, grid, kwargs, named)
        self.best_config = config
        merged = self._merged(config, kwargs)
        if config.pre_hook is not None:
            config.pre_hook({**named, **config.all_kwargs()})
        else:
            self._config_cache.add(args, kwargs, (config, config.all_kwargs()))
        return self.fn.run(*args, grid=grid, warmup=False, **merged)

    def prune_configs(self, kwargs: Mapping[str, object]) -> list[Config]:
        """List the configurations to measure for a launch; subclasses may choose others.

        Args:
            kwargs: The keyword arguments of the launch; `nargs` has the positional ones.
        """
        named = {**(self.nargs or {}), **kwargs}
        return self.pruning.prune(self.configs, named, kwargs)

    @property
    def early_config_prune(self) -> Callable[..., Sequence[Config]] | None:
        """The entry of `prune_configs_by`."""
        return self.pruning.early_config_prune

    @property
    def perf_model(self) -> Callable[..., float] | None:
        """The entry of `prune_configs_by`."""
        return self.pruning.perf_model

    @property
    def configs_top_k(self) -> float:
        """The entry `top_k` of `prune_configs_by`."""
        return self.pruning.top_k

    @property
    def num_warmups(self) -> float:
        """The ms to spend before measuring a configuration."""
        return self.warmup_ms

    @property
    def num_reps(self) -> float:
        """The ms to spend measuring a configuration."""
        return self.rep_ms

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
        configs = self.prune_configs(kwargs)
        gpu = gpu_of_arrays(view_arguments(self._arguments(named)))
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
        return [
            self._trial(config, args, grid, kwargs, named, gpu)
            for config in with_progress_bar(self.base.name, configs)
        ]

    def _trial(
        self,
        config: Config,
        args: Sequence[object],
        grid: object,
        kwargs: Mapping[str, object],
        named: Mapping[str, object],
        gpu: int | None,
    ) -> Trial:
        merged = self._merged(config, kwargs)
        call = self._kernel_call(config, args, grid, merged, {**named, **merged})
        try:
            times = self._bench_function(gpu)(call, quantiles=_QUANTILES)
        except COMPILE_ERRORS as error:
            return Trial.failed(config, error)
        return Trial(config, _quantile_times(times))

    def _bench(
        self, *args: object, config: Config, grid: object, warmup: bool = False, **kwargs: object
    ) -> list[float]:
        """Measure one configuration; subclasses that choose by themselves call it, as Triton's.

        Args:
            args: The positional arguments of the launch, which `nargs` has by name.
            config: The configuration.
            grid: The grid of the launch.
            warmup: Has no effect.
            kwargs: The keyword arguments of the launch.

        Returns:
            The median, 20 % and 80 % quantile in ms; infinite if it cannot be compiled.
        """
        named = {**(self.nargs or {}), **kwargs}
        gpu = gpu_of_arrays(view_arguments(self._arguments(named)))
        with intercept_launches(None):
            return list(self._trial(config, args, grid, kwargs, named, gpu).times)

    def _arguments(self, named: Mapping[str, object]) -> dict[str, object]:
        return {name: named[name] for name in self.arg_names if name in named}

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
            self.restore_copies = {
                name: copy_array(named[name], name) for name in self.restore_value
            }

    def _restore_arrays(self, named: Mapping[str, object], exception: Exception | None) -> None:
        for name, copy in self.restore_copies.items():
            restore_array(named[name], copy, name)
        self.restore_copies = {}

    def _warn_of_ignored(self, reasons: Mapping[str, object]) -> None:
        """Warn of each keyword that has a reason why it has no effect."""
        for name, reason in reasons.items():
            if reason:
                text = f"{self.base.name}: {name} of autotune has no effect: {reason}"
                warn_ignored(text, definition_location(self.base))


def _quantile_times(result: float | Sequence[float]) -> Times:
    """Convert the result of a do_bench, one time or one per quantile, to at least three times."""
    times = tuple(result) if isinstance(result, Sequence) else (result,)
    return tuple(float(each) for each in (*times, *times[-1:] * 2)[: max(3, len(times))])
