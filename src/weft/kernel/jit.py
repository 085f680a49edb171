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
from typing import Any, Generic, TypedDict, TypeVar, Unpack, cast, overload

from weft.compiler.artifact import Artifact
from weft.compiler.fingerprint import CapturedGlobals, fingerprint
from weft.compiler.kernel_location import definition_location
from weft.errors import Location, SignatureError, UnsupportedError, did_you_mean, warn_ignored
from weft.kernel.launch_cache import LaunchCache
from weft.kernel.specialization import specialize
from weft.language.kernel_function import KernelFunction, is_foreign
from weft.launch.argument_views import view_arguments, warmup_arguments
from weft.launch.binding import bind
from weft.launch.devices import arrays_in, current_gpu, gpu_of_arrays
from weft.launch.drivers.cpu import CpuKernel, check_all_on_host, compile_for_cpu
from weft.launch.drivers.cuda.kernel import CudaKernel, compile_for_gpu
from weft.launch.grid import grid_sizes
from weft.launch.interception import Interception

__all__ = ["JITFunction", "KernelInterface", "LoadedKernel", "jit", "kernel_of"]

Inner = TypeVar("Inner")
ParameterNames = Iterable[str | int] | None
LoadedKernel = CpuKernel | CudaKernel
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


class KernelInterface(Generic[Inner]):
    """Anything that is launched with `[grid]`: a kernel, an autotuner, heuristics."""

    fn: Inner

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> object:
        """Launch with `grid`; see JITFunction.run."""
        raise NotImplementedError

    def warmup(self, *args: object, grid: object, **kwargs: object) -> object:
        """Compile for these arguments without launching; see JITFunction.run.

        Returns:
            The loaded kernel; of an autotuner a list of them, one for each configuration.
        """
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        """Get the launch on `grid`: sizes, or a function from the arguments to sizes."""
        return partial(self.run, grid=grid, warmup=False)


class JITFunction(KernelFunction, KernelInterface[FunctionType]):
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
        cache: The loaded kernels by specialization, options, captured globals and GPU.

    Raises:
        UnsupportedError: `fn` is not a Python function.
        SignatureError: do_not_specialize names an unknown parameter.
    """

    def __init__(
        self,
        fn: FunctionType,
        *,
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
        self.cache: dict[tuple[object, ...], LoadedKernel] = {}
        self._artifacts: dict[tuple[object, ...], Artifact] = {}
        self._globals = CapturedGlobals(self)
        self._launch_cache = LaunchCache(
            self, self._globals, self._launch_uncached, self.pre_run_hooks
        )
        for names in (do_not_specialize, do_not_specialize_on_alignment):
            self._check_parameters(names or ())

    @property
    def arg_names(self) -> list[str]:
        """The names of the parameters, as Triton calls them."""
        return list(self.parameter_names)

    @property
    def cache_key(self) -> str:
        """A digest of the sources of the kernel and of its callees."""
        return fingerprint(self)

    @property
    def device_caches(self) -> dict[int | None, tuple[dict[object, LoadedKernel]]]:
        """The loaded kernels by the number of the GPU; None is the embedded CPU device."""
        caches: dict[int | None, tuple[dict[object, LoadedKernel]]] = {}
        for (*key, gpu), loaded in list(self.cache.items()):
            (kernels,) = caches.setdefault(cast("int | None", gpu), ({},))
            kernels[tuple(key)] = loaded
        return caches

    def add_pre_run_hook(self, hook: Callable[..., object]) -> None:
        """Call `hook` with the arguments of every launch before it."""
        self.pre_run_hooks.append(hook)

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        """Get the launch on `grid`: sizes, or a function from the arguments to sizes."""
        handler = Interception.handler
        if handler is None:
            return partial(self._launch_cache.launch, grid)
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
        return self._load(values, options, initialized_only=False)

    def warmup(self, *args: object, grid: object, **kwargs: object) -> LoadedKernel:
        """Compile for these arguments without launching; see `run`."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def _launch_uncached(
        self, grid: object, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> LoadedKernel:
        """Launch on the full path, and add the launch to the launch cache."""
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        values, options = bind(self, args, kwargs)
        values = view_arguments(values)
        sizes = grid_sizes(self, grid, values | options)
        loaded = self._load(values, options)
        loaded.launch(sizes, values)
        if isinstance(loaded, CudaKernel):
            self._launch_cache.add(args, kwargs, loaded)
        return loaded

    def _load(
        self,
        values: dict[str, object],
        options: Mapping[str, object],
        initialized_only: bool = True,
    ) -> LoadedKernel:
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
        signature = specialize(self, list(values.values()))
        key = (signature.key, tuple(sorted(options.items())), self._globals.key)
        loaded = self.cache.get((*key, gpu))
        if loaded is None:
            all_options = {"debug": self.debug, **options}
            if gpu is None:
                loaded = compile_for_cpu(self, signature, all_options)
            else:
                loaded = compile_for_gpu(self, signature, all_options, gpu, self._artifacts, key)
            self.cache[*key, gpu] = loaded
        return loaded

    def _check_parameters(self, names: Iterable[str | int]) -> None:
        for name in names:
            if name not in self.parameter_names and name not in range(len(self.parameters)):
                raise SignatureError(
                    f"{self.name}: do_not_specialize names an unknown parameter",
                    location=definition_location(self),
                    found=name,
                    accepted=self.parameter_names,
                    hint=did_you_mean(str(name), self.parameter_names),
                )


@overload
def jit(fn: object, /) -> JITFunction: ...
@overload
def jit(**options: Unpack[JitOptions]) -> Callable[[object], JITFunction]: ...
def jit(
    fn: object = None, /, **options: Unpack[JitOptions]
) -> JITFunction | Callable[[object], JITFunction]:
    """Make a kernel of a Python function, or of a Triton kernel.

    Used as `@weft.jit` or `@weft.jit(do_not_specialize=["n"], …)`.

    Args:
        fn: The function.
        options: The keyword arguments of JITFunction.

    Raises:
        UnsupportedError: Not a Python function.
    """
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


def kernel_of(kernel: object) -> KernelFunction:
    """Unwrap the kernel inside of autotuners and heuristics.

    Raises:
        UnsupportedError: There is none.
    """
    inner = kernel
    while isinstance(inner, KernelInterface) and not isinstance(inner, KernelFunction):
        inner = inner.fn
    if isinstance(inner, FunctionType):
        raise UnsupportedError(
            f"{inner.__name__} is a plain Python function",
            location=Location(inner.__code__.co_filename, inner.__code__.co_firstlineno),
            accepted=["a function decorated with weft.jit", "a triton JITFunction"],
            hint="decorate it with @weft.jit",
        )
    return KernelFunction.of(inner)
