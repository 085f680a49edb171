"""`weft.autotune`: run a kernel in several configurations once, then in the fastest.

    @weft.autotune([weft.Config({"BLOCK": 256}), weft.Config({"BLOCK": 1024}, num_warps=8)],
                   key=["n"])
    @weft.jit
    def kernel(x, n, BLOCK: tl.constexpr): …

    kernel[lambda args: (weft.cdiv(args["n"], args["BLOCK"]),)](x, n)

The choice is kept for each value of the key arguments and each combination of array types. A
kernel runs several times while it is measured: name what it updates in `reset_to_zero` or
`restore_value`. A configuration that cannot be compiled, because it needs more shared memory or
registers than there are, is left out; WEFT_PRINT_AUTOTUNING=1 shows what was tried, and why not.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from weft import knobs
from weft.autotuner import trials as tried
from weft.autotuner.array_state import clear, copied, put_back
from weft.autotuner.config import Config
from weft.autotuner.config_cache import Choices
from weft.autotuner.timing import DEFAULT_REP, DEFAULT_WARMUP, on_gpu, wall_clock
from weft.autotuner.trials import SKIPPED, Timing, Trial
from weft.compiler.options import ALL_OPTIONS
from weft.errors import LaunchError, did_you_mean
from weft.kernel.jit import Launchable, jit, kernel_of
from weft.launch.devices import gpu_of, opened
from weft.launch.interception import observed

__all__ = ["Autotuner", "autotune"]

_QUANTILES = (0.5, 0.2, 0.8)
_PRUNING = ("perf_model", "top_k", "early_config_prune")


class Autotuner(Launchable):
    """Choose among configurations by measurement; see `autotune` for the arguments.

    best_config: of the latest launch.  configs_timings: of the latest measurement, in ms.
    trials: the same, with the reasons of those that failed.  bench_time: seconds that it took.
    """

    def __init__(
        self,
        fn: Any,
        configs: Sequence[Config],
        key: Sequence[str],
        *,
        prune_configs_by: Mapping[str, Any] | None = None,
        reset_to_zero: Sequence[str] | None = None,
        restore_value: Sequence[str] | None = None,
        pre_hook: Callable[..., object] | None = None,
        post_hook: Callable[..., object] | None = None,
        do_bench: Callable[..., Any] | None = None,
        warmup: float | None = None,
        rep: float | None = None,
        use_cuda_graph: bool = False,
        cache_results: bool = False,
    ) -> None:
        self.fn = fn if isinstance(fn, Launchable) else jit(fn)
        self.base = kernel_of(self.fn)
        self.arg_names = list(self.base.parameter_names)
        self.configs = self._checked(configs) or [Config({})]
        self.keys = self._known(key, "key")
        self.reset_to_zero = self._known(reset_to_zero or (), "reset_to_zero")
        self.restore_value = self._known(restore_value or (), "restore_value")
        self.pruning = self._pruning(prune_configs_by or {})
        hooks = {"pre_hook": pre_hook, "post_hook": post_hook, "do_bench": do_bench}
        for name, hook in (hooks | self.pruning).items():
            self._require_callable(name, hook)
        self.pre_hook = pre_hook or self._reset
        self.post_hook = post_hook or self._restore
        self.do_bench = do_bench
        self.warmup_ms = DEFAULT_WARMUP if warmup is None else warmup
        self.rep_ms = DEFAULT_REP if rep is None else rep
        self.use_cuda_graph = use_cuda_graph
        self.cache_results = cache_results
        self.cache: dict[tuple[object, ...], Config] = {}
        self.trials: list[Trial] = []
        self.best_config: Config | None = None
        self.bench_time = 0.0
        self._saved: dict[str, Any] = {}
        self._tuning = threading.RLock()
        self._choices = Choices(self.arg_names, self.keys)

    @property
    def base_fn(self) -> Any:
        """Return the kernel's Python function, as Triton calls it."""
        return self.base.fn

    @property
    def configs_timings(self) -> dict[Config, Timing]:
        """Return the times of the latest measurement: median, 20 % and 80 % quantile, in ms."""
        return {trial.config: trial.times for trial in self.trials}

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Launch in the best configuration, measured first where these arguments are new."""
        is_chosen = self.cache or len(self.configs) == 1  # whoever clears the cache measures again
        if not warmup and is_chosen and (known := self._choices.find(args, kwargs)) is not None:
            self.best_config, added = known
            return self.fn.run(*args, grid=grid, **kwargs, **added)
        named = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        if warmup:
            return [
                self.fn.run(*args, grid=grid, warmup=True, **self._merged(config, kwargs))
                for config in self._pruned(named, kwargs)
            ]
        config = self.configs[0]
        if len(self.configs) > 1:
            key = self._key(named)
            if key not in self.cache:
                with self._tuning:  # one measurement at a time: two would slow each other down
                    if key not in self.cache:
                        with observed(None):
                            self.cache[key] = self._choose(key, args, grid, kwargs, named)
            config = self.cache[key]
        self.best_config = config
        merged = self._merged(config, kwargs)
        if config.pre_hook is not None:
            config.pre_hook({**named, **config.all_kwargs()})
        else:
            self._choices.keep(args, kwargs, config, config.all_kwargs())
        return self.fn.run(*args, grid=grid, **merged)

    def _key(self, named: Mapping[str, Any]) -> tuple[object, ...]:
        arguments = [named[name] for name in self.arg_names if name in named]
        types = [str(argument.dtype) for argument in arguments if hasattr(argument, "dtype")]
        return (*(named[name] for name in self.keys if name in named), *types)

    def _merged(self, config: Config, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        added = config.all_kwargs()
        clash = sorted(kwargs.keys() & added.keys())
        if clash:
            raise LaunchError(
                f"{self.base.name}: {', '.join(clash)} is given by the launch and by autotune",
                found=", ".join(f"{name}={kwargs[name]!r}" for name in clash),
                accepted=["arguments that no configuration sets"],
            )
        return {**kwargs, **added}

    def _choose(
        self,
        key: tuple[object, ...],
        args: Sequence[Any],
        grid: Any,
        kwargs: Mapping[str, Any],
        named: Mapping[str, Any],
    ) -> Config:
        """Return the fastest configuration: as measured now, or before by another process."""
        start = time.perf_counter()
        configs = self._pruned(named, kwargs)
        gpu = gpu_of(opened({name: named[name] for name in self.arg_names if name in named}))
        keeps = self.cache_results or knobs.autotuning.cache
        keeps = keeps and not any(config.pre_hook for config in configs)
        device = tried.device_name(gpu) if keeps else ""
        known = tried.load(self.base, key, configs, device) if keeps else None
        trials = known or self._measured(configs, args, grid, kwargs, named, gpu)
        best = tried.chosen(trials)
        if known is None:
            self.pre_hook({**named, **self._merged(best, kwargs)}, reset_only=True)
            if keeps:
                tried.save(self.base, key, trials, device)
        self.trials, self.bench_time = trials, time.perf_counter() - start
        if knobs.autotuning.print:
            source = "from the disk" if known else f"in {self.bench_time:.2f} s"
            said = ", ".join(map(str, key)) or "all arguments"
            tried.show(
                f"{self.base.name} for {said}: {len(trials)} configurations {source}", trials, best
            )
        return best

    def _measured(
        self,
        configs: Sequence[Config],
        args: Sequence[Any],
        grid: Any,
        kwargs: Mapping[str, Any],
        named: Mapping[str, Any],
        gpu: int | None,
    ) -> list[Trial]:
        """Run every configuration; those that cannot be compiled keep their reason."""
        bench, trials = self._bench(gpu), []
        for config in tried.watched(self.base.name, configs):
            merged = self._merged(config, kwargs)
            call = self._call(config, args, grid, merged, {**named, **merged})
            try:
                times = bench(call, quantiles=_QUANTILES)
                trials.append(Trial(config, _times(times)))
            except SKIPPED as error:
                trials.append(Trial.failed(config, error))
        return trials

    def _bench(self, gpu: int | None) -> Callable[..., Any]:
        """Return what times a call: the caller's own, or what the device has."""
        if self.do_bench is not None:
            return self.do_bench
        budget: dict[str, Any] = {"warmup": self.warmup_ms, "rep": self.rep_ms}
        if gpu is None:
            return partial(wall_clock, **budget)
        return partial(on_gpu, device=gpu, by_graph=self.use_cuda_graph, **budget)

    def _call(
        self,
        config: Config,
        args: Sequence[Any],
        grid: Any,
        merged: Mapping[str, Any],
        named: dict[str, Any],
    ) -> Callable[[], None]:
        def call() -> None:
            if config.pre_hook is not None:
                config.pre_hook(named)
            self.pre_hook(named)
            try:
                self.fn.run(*args, grid=grid, **merged)
            except Exception as error:
                try:
                    self.post_hook(named, exception=error)
                finally:
                    raise error  # whatever the hook makes of it
            self.post_hook(named, exception=None)

        return call

    def _reset(self, named: Mapping[str, Any], reset_only: bool = False) -> None:
        for name in self.reset_to_zero:
            clear(named[name], name)
        if not reset_only:
            self._saved = {name: copied(named[name], name) for name in self.restore_value}

    def _restore(self, named: Mapping[str, Any], exception: Exception | None) -> None:
        for name, saved in self._saved.items():
            put_back(named[name], saved, name)
        self._saved = {}

    def _pruned(self, named: Mapping[str, Any], kwargs: Mapping[str, Any]) -> list[Config]:
        configs = self.configs
        if early := self.pruning.get("early_config_prune"):
            positional = {name: value for name, value in named.items() if name not in kwargs}
            configs = list(early(configs, positional, **kwargs))
            if not configs:
                raise LaunchError(
                    f"{self.base.name}: early_config_prune left no configuration",
                    found="an empty list",
                    accepted=["at least one of the configurations"],
                )
        model = self.pruning.get("perf_model")
        count = self._top_k()
        if model is None or len(configs) <= count:
            return configs
        return sorted(configs, key=lambda config: model(**{**named, **config.all_kwargs()}))[:count]

    def _top_k(self) -> int:
        top = self.pruning.get("top_k", 1.0)
        if isinstance(top, float) and 0 < top <= 1.0:
            return max(int(len(self.configs) * top), 1)
        if isinstance(top, int) and top > 0:
            return top
        raise LaunchError(
            f"{self.base.name}: top_k of prune_configs_by is out of range",
            found=repr(top),
            accepted=["a count from 1", "a share above 0.0 up to 1.0"],
        )

    def _checked(self, configs: Sequence[Config]) -> list[Config]:
        """Return the configurations, which set what the kernel or the compiler knows.

        Raises: LaunchError: not a list of them, or one with an unknown name.
        """
        known = (*self.arg_names, *ALL_OPTIONS)
        found = [] if isinstance(configs, Config) else list(configs)
        if isinstance(configs, Config) or not all(isinstance(each, Config) for each in found):
            raise LaunchError(
                f"{self.base.name}: autotune takes a list of configurations",
                found=repr(configs)[:80],
                accepted=["[weft.Config({…}), …]"],
            )
        for name in (name for config in found for name in config.kwargs):
            if name not in known:
                raise LaunchError(
                    f"{self.base.name}: a configuration of autotune sets what is no parameter",
                    found=name,
                    accepted=self.arg_names,
                    hint=did_you_mean(name, known),
                )
        return found

    def _require_callable(self, name: str, given: object) -> None:
        if name != "top_k" and given is not None and not callable(given):
            raise LaunchError(
                f"{self.base.name}: {name} of autotune is a function", found=repr(given)[:80]
            )

    def _known(self, names: Sequence[str], what: str) -> list[str]:
        if isinstance(names, str):
            raise LaunchError(
                f"{self.base.name}: {what} of autotune is a list of names",
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

    def _pruning(self, given: Mapping[str, Any]) -> dict[str, Any]:
        for name in given:
            if name not in _PRUNING:
                raise LaunchError(
                    f"{self.base.name}: prune_configs_by has an unknown entry",
                    found=name,
                    accepted=_PRUNING,
                    hint=did_you_mean(name, _PRUNING),
                )
        return dict(given)


def _times(found: Any) -> Timing:
    """Return what a do_bench gives as its quantiles: several, or one number for all."""
    given = tuple(found) if isinstance(found, Sequence) else (found,)
    return tuple(float(each) for each in (*given, *given[-1:] * 2)[: max(3, len(given))])


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
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool = False,
) -> Callable[[Any], Autotuner]:
    """Choose meta-parameters by measuring; the arguments are Triton's.

    Args: configs: what to try.  key: parameters whose values need a choice of their own.
          prune_configs_by: "early_config_prune" (configs, arguments, **kwargs) → configs;
              "perf_model" (**arguments) → estimated time, with "top_k" configurations kept.
          reset_to_zero, restore_value: arrays to clear before, or put back after, each run.
          pre_hook (arguments, reset_only=…), post_hook (arguments, exception=…): in their place.
          do_bench: (call, quantiles=…) → times; the device's clock in ms if not given.
          warmup, rep: ms that are spent before and while measuring.
          use_cuda_graph: measure on a GPU by CUDA graphs, without the cost of launching.
          cache_results: keep the times on disk, for other processes on such a device; not if a
              configuration has a pre_hook.
    Returns: a decorator.
    Raises: LaunchError: names that are no parameters, when decorating.
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
