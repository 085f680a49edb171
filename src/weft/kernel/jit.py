"""`weft.jit`: make a kernel of a Python function, launched with `kernel[grid](…)`.

    @weft.jit
    def add(x, y, out, n, BLOCK: tl.constexpr): …

    add[(weft.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024, num_warps=8)

A launch binds the arguments, specializes the kernel for them (specialization.py), compiles once per
specialization and set of options, and runs on the GPU that the arrays are on, or on the embedded
CPU device (weft.launch.drivers). Repeated launches on a GPU skip all of this (launch_cache.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import FunctionType
from typing import Any, TypedDict, Unpack, cast, overload

from weft import knobs
from weft.compiler.artifact import Artifact
from weft.compiler.fingerprint import CapturedGlobals, Function, fingerprint
from weft.compiler.kernel_location import definition_location
from weft.compiler.signature import Signature
from weft.errors import did_you_mean, warn_ignored
from weft.kernel.async_compile import FutureKernel, active_mode
from weft.kernel.compile_hooks import call_hook
from weft.kernel.device_caches import DeviceCaches
from weft.kernel.kernel_interface import KernelInterface
from weft.kernel.kernel_key import options_key
from weft.kernel.launch_cache import LaunchCache
from weft.kernel.picklable_function import PicklableFunction
from weft.kernel.specialization import specialize
from weft.kernel.specialization_data import read_specialization, register, target_of
from weft.language.kernel_function import KernelFunction, Parameter, is_foreign
from weft.launch.argument_views import view_arguments, warmup_arguments
from weft.launch.binding import bind
from weft.launch.devices import arrays_in, current_gpu, gpu_of_arrays
from weft.launch.drivers.cpu import CpuKernel, check_all_on_host, compile_for_cpu
from weft.launch.drivers.gpu_kernel import GpuKernel, compile_for_gpu
from weft.launch.grid import grid_sizes
from weft.launch.interception import Interception

__all__ = ["JITFunction", "LoadedKernel", "jit"]

ParameterNames = Iterable[str | int] | None
LoadedKernel = CpuKernel | GpuKernel
Options = tuple[tuple[str, object], ...]
"""Names and values of compile options, sorted."""
NameKernel = Callable[[Any], str]
"""Maps a specialization (its .fn, .signature, .constants) to the name of the compiled kernel."""


class JitOptions(TypedDict, total=False):
    """The options of `weft.jit`; see JITFunction."""

    version: object
    do_not_specialize: ParameterNames
    do_not_specialize_on_alignment: ParameterNames
    debug: bool | None
    noinline: bool | None
    repr: NameKernel | None
    launch_metadata: Callable[..., object] | None


class JITFunction(PicklableFunction, KernelInterface[FunctionType]):
    """A kernel with its compiled specializations.

    Args:
        fn: A Python function.
        version: Has no effect, as in Triton; a value warns.
        do_not_specialize: Parameters, by name or index, that are not specialized at all.
        do_not_specialize_on_alignment: Parameters that are not specialized on divisibility by 16.
        debug: Keep device_assert and check integer overflow in every launch.
        noinline: Keep calls of this function from other kernels as calls.
        repr: Maps a specialization (its .fn, .signature, .constants) to the compiled kernel's name.
        launch_metadata: Maps grid, metadata and arguments of a launch to metadata for hooks.

    Attributes:
        pre_run_hooks: Functions that are called with the arguments of every launch before it.
        cache: The loaded kernels by specialization, options, captured globals, settings and GPU.

    Raises:
        UnsupportedError: `fn` is not a Python function.
    """

    def __init__(
        self,
        fn: FunctionType,
        version: object = None,
        do_not_specialize: ParameterNames = None,
        do_not_specialize_on_alignment: ParameterNames = None,
        debug: bool | None = None,
        noinline: bool | None = None,
        repr: NameKernel | None = None,
        launch_metadata: Callable[..., object] | None = None,
    ) -> None:
        super().__init__(
            fn,
            noinline=bool(noinline),
            do_not_specialize=do_not_specialize or (),
            do_not_specialize_on_alignment=do_not_specialize_on_alignment or (),
            naming=repr,
        )
        self.version = version
        if version is not None:
            reason = "a kernel is compiled again if its source changes"
            location = definition_location(self)
            warn_ignored(f"version={version!r} of jit has no effect: {reason}", location)
        self.debug = bool(debug)
        self.launch_metadata = launch_metadata
        self.pre_run_hooks: list[Callable[..., object]] = []
        self.cache: dict[
            tuple[str, Options, object, object, int | None], LoadedKernel | FutureKernel
        ] = {}
        self._artifacts: dict[tuple[object, ...], Artifact] = {}
        self._globals = CapturedGlobals(self)
        self._launch_cache = LaunchCache(
            self, self._globals, self._launch_uncached, self.pre_run_hooks
        )
        register(self)
        for names in (do_not_specialize, do_not_specialize_on_alignment):
            self._warn_of_unknown(names or ())

    @property
    def arg_names(self) -> list[str]:
        """The names of the parameters, as Triton calls them."""
        return list(self.parameter_names)

    @property
    def params(self) -> tuple[Parameter, ...]:
        """The parameters, as Triton calls them."""
        return self.parameters

    @property
    def constexprs(self) -> list[int]:
        """The indices of the parameters that are constants."""
        return [each.index for each in self.parameters if each.is_constexpr]

    @property
    def do_not_specialize(self) -> list[str]:
        """The parameters that are not specialized."""
        return [each.name for each in self.parameters if each.do_not_specialize]

    @property
    def do_not_specialize_on_alignment(self) -> list[str]:
        """The parameters that are not specialized on divisibility by 16."""
        return [each.name for each in self.parameters if each.do_not_specialize_on_alignment]

    def repr(self, _: object) -> str:
        """Get the name of the kernel for a specialization."""
        return self.qualified_name if self.naming is None else self.naming(_)

    def _unsafe_update_src(self, new_src: str) -> None:
        """Replace the source text of the function; the kernel is compiled again."""
        super()._unsafe_update_src(new_src)
        self.device_caches.clear()
        CapturedGlobals.expire_all()

    @property
    def cache_key(self) -> str:
        """A digest of the sources of the kernel and of its callees, and of their line numbers."""
        return fingerprint(self, positions=True)

    @property
    def device_caches(self) -> DeviceCaches:
        """The loaded kernels by the number of the GPU; None is the embedded CPU device."""
        return DeviceCaches(self.cache, self._forget_artifacts)

    def _forget_artifacts(self) -> None:
        self._launch_cache.kernels.clear()
        self._artifacts.clear()

    def preload(self, specialization_data: str) -> LoadedKernel | FutureKernel | None:
        """Compile for the specialization of a launch in another process.

        Args:
            specialization_data: What `knobs.runtime.jit_cache_hook` got there, in `compile`.

        Raises:
            PreloadError: It is for another kernel or target.
        """
        gpu = current_gpu(initialized_only=False)
        signature, options = read_specialization(self, specialization_data, target_of(gpu))
        return self._load_specialized(signature, options, gpu, is_warmup=True)

    def add_pre_run_hook(self, hook: Callable[..., object]) -> None:
        """Call `hook` with the arguments of every launch before it."""
        self.pre_run_hooks.append(hook)

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        """Get the launch on `grid`: sizes, or a function from the arguments to sizes."""
        handler = Interception.handler
        if handler is None and not self.pre_run_hooks:
            return partial(self._launch_cache.launch, grid)
        if handler is None:
            # The cache binds arguments to parameters; hooks receive them as they were passed.
            return lambda *args, **kwargs: self._launch_uncached(grid, args, kwargs)
        return lambda *args, **kwargs: handler(self, grid, args, kwargs)

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> LoadedKernel:
        """Launch on the GPU that the arrays are on, or on the embedded CPU device.

        Args:
            args: The kernel's arguments.
            grid: One to three sizes, or a function from the arguments by name to sizes.
            warmup: Compile only. An element type may then take the place of an array.
            kwargs: The kernel's arguments, and compile options such as num_warps.

        Returns:
            The compiled kernel.

        Raises:
            LaunchError: Arguments, options or a grid that do not fit.
            CompilationError: A mistake in the kernel, with its source location.
            OutOfBoundsError: An access outside of an array, on the CPU device.
        """
        if not warmup:
            return cast("LoadedKernel", self[grid](*args, **kwargs))
        values, options = bind(self, args, kwargs)
        values = view_arguments(warmup_arguments(self, values))
        return cast("LoadedKernel", self._load(values, options, initialized_only=False))

    def warmup(self, *args: object, grid: object, **kwargs: object) -> LoadedKernel:
        """Compile for these arguments without launching; see `run`."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def _launch_uncached(
        self, grid: object, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> LoadedKernel | None:
        """Launch on the full path, and add the launch to the launch cache."""
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        values, options = bind(self, args, kwargs)
        values = view_arguments(values)
        sizes = grid_sizes(self, grid, values | options)
        loaded = self._load(values, options)
        if isinstance(loaded, FutureKernel):
            loaded = cast("LoadedKernel", loaded.result())
        if loaded is None:  # a hook refused to compile it
            return None
        loaded.launch(sizes, values)
        if isinstance(loaded, GpuKernel):
            self._launch_cache.add(args, kwargs, loaded)
        return loaded

    def _load(
        self,
        values: dict[str, object],
        options: Mapping[str, object],
        initialized_only: bool = True,
    ) -> LoadedKernel | FutureKernel | None:
        """Get the kernel that is compiled and loaded for some arguments.

        Args:
            values: The arguments by parameter.
            options: Compile options by name.
            initialized_only: For a launch without arrays, take torch's GPU only if the program has
                used it already.
        """
        gpu = gpu_of_arrays(values)
        if gpu is None:
            check_all_on_host(values)
            if next(arrays_in(values), None) is None:
                gpu = current_gpu(initialized_only)
        # As in Triton, the knob has precedence over the launch.
        options = {**options, "debug": knobs.runtime.debug or options.get("debug", self.debug)}
        signature = specialize(self, list(values.values()))
        return self._load_specialized(signature, options, gpu, is_warmup=not initialized_only)

    def _load_specialized(
        self, signature: Signature, options: Mapping[str, object], gpu: int | None, is_warmup: bool
    ) -> LoadedKernel | FutureKernel | None:
        """Get the kernel that is compiled and loaded for a signature; None if a hook refused it."""
        functions = (value for _, value in signature.constants if isinstance(value, Function))
        captured = (self._globals.key, *self._globals.keys_of(functions))
        settings = knobs.CompileSettings.current()
        key = (signature.key, options_key(options), captured, settings)
        loaded = self.cache.get((*key, gpu))
        if loaded is not None:
            return loaded
        call = (self, signature, options, gpu, is_warmup)
        if call_hook(knobs.runtime.jit_cache_hook, *call):
            return None

        def compile_() -> LoadedKernel:
            if gpu is None:
                return compile_for_cpu(self, signature, options)
            return compile_for_gpu(self, signature, options, gpu, self._artifacts, key)

        def finish(loaded: LoadedKernel) -> None:
            self.cache[*key, gpu] = loaded
            call_hook(knobs.runtime.jit_post_compile_hook, *call)

        mode = active_mode.get()
        if mode is None:
            loaded = compile_()
            finish(loaded)
            return loaded
        future = mode.submit((self, *key, gpu), compile_, finish)
        future.signature = signature  # what device_caches reads without waiting
        self.cache[*key, gpu] = future
        return future

    def _warn_of_unknown(self, names: Iterable[str | int]) -> None:
        """Warn of names that are no parameters: Triton ignores them, and packages have some."""
        for name in names:
            if name not in self.parameter_names and name not in range(len(self.parameters)):
                reason = "the kernel has no such parameter"
                message = f"{self.name}: {name} in do_not_specialize has no effect: {reason}"
                hint = did_you_mean(str(name), self.parameter_names)
                warn_ignored(f"{message}; {hint}" if hint else message, definition_location(self))


@overload
def jit(fn: object, /) -> JITFunction: ...
@overload
def jit(**options: Unpack[JitOptions]) -> Callable[[object], JITFunction]: ...
def jit(
    fn: object = None,
    *,
    version: object = None,
    repr: NameKernel | None = None,
    launch_metadata: Callable[..., object] | None = None,
    do_not_specialize: ParameterNames = None,
    do_not_specialize_on_alignment: ParameterNames = None,
    debug: bool | None = None,
    noinline: bool | None = None,
) -> JITFunction | Callable[[object], JITFunction]:
    """Make a kernel of a Python function, or of a Triton kernel.

    Used as `@weft.jit` or `@weft.jit(do_not_specialize=["n"], …)`.

    Args:
        fn: The function.
        version: As of JITFunction, like the others.
        repr: As of JITFunction.
        launch_metadata: As of JITFunction.
        do_not_specialize: As of JITFunction.
        do_not_specialize_on_alignment: As of JITFunction.
        debug: As of JITFunction.
        noinline: As of JITFunction.

    Raises:
        UnsupportedError: Not a Python function.
    """
    arguments: dict[str, object] = {
        "version": version,
        "repr": repr,
        "launch_metadata": launch_metadata,
        "do_not_specialize": do_not_specialize,
        "do_not_specialize_on_alignment": do_not_specialize_on_alignment,
        "debug": debug,
        "noinline": noinline,
    }
    options = cast("JitOptions", {k: value for k, value in arguments.items() if value is not None})
    if fn is None:
        return lambda function: _jit(function, options)
    return _jit(fn, options)


def _jit(fn: object, options: JitOptions) -> JITFunction:
    if isinstance(fn, JITFunction):
        return fn
    if isinstance(fn, FunctionType):
        return JITFunction(fn, **options)
    function = KernelFunction.of(fn)
    return JITFunction(function.fn, **(_options_of(function, fn) | options))


def _options_of(function: KernelFunction, decorated: object) -> JitOptions:
    """Collect the options that a kernel function was decorated with.

    Args:
        function: The kernel function.
        decorated: The same, or Triton's kernel, or what Triton's decorators made of it.
    """
    while is_foreign(decorated) and not isinstance(getattr(decorated, "fn", None), FunctionType):
        decorated = getattr(decorated, "fn", None)
    return {
        "debug": getattr(decorated, "debug", None),
        "launch_metadata": getattr(decorated, "launch_metadata", None),
        "noinline": function.noinline,
        "repr": function.naming,
        "do_not_specialize": [each.name for each in function.parameters if each.do_not_specialize],
        "do_not_specialize_on_alignment": [
            each.name for each in function.parameters if each.do_not_specialize_on_alignment
        ],
    }
