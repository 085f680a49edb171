"""`weft.jit`: a Python function becomes a kernel that is launched with `kernel[grid](…)`.

    @weft.jit
    def add(x, y, out, n, BLOCK: tl.constexpr): …

    add[(cdiv(n, 1024),)](x, y, out, n, BLOCK=1024, num_warps=8)

A launch binds the arguments, reads the specialisation off them (specialise.py), compiles once per
specialisation and set of options, and runs on the GPU that the arrays are on (gpu.py), or on the
embedded CPU device (launch.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast, overload

from weft.compiler.fingerprint import Captured, fingerprint
from weft.compiler.kernel_location import definition
from weft.errors import Location, SignatureError, UnsupportedError, did_you_mean
from weft.language.kernel_function import KernelFunction
from weft.launch.interception import Watch

if TYPE_CHECKING:
    from weft.compiler.artifact import Artifact
    from weft.kernel.launch_cache import Dispatch
    from weft.launch.drivers.cpu import Program
    from weft.launch.drivers.cuda.kernel import GpuProgram

__all__ = [
    "JITFunction",
    "KernelInterface",
    "Launchable",
    "jit",
    "kernel_of",
]

Names = Iterable[str | int] | None


class Launchable:
    """Anything that `[grid]` may be written after: a kernel, an autotuner, a heuristic."""

    fn: Any

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Launch with `grid`; see JITFunction.run."""
        raise NotImplementedError

    def warmup(self, *args: Any, grid: Any, **kwargs: Any) -> Any:
        """Compile for these arguments and do not run."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """Return the launch on `grid`: sizes, or a function from the arguments to sizes."""
        return partial(self.run, grid=grid, warmup=False)


KernelInterface = Launchable  # as Triton calls it


class JITFunction(KernelFunction, Launchable):
    """Hold a kernel and what was compiled of it.

    Args: fn: a Python function.  do_not_specialize, do_not_specialize_on_alignment: parameters
          by name or index.  debug: check device_assert and integer overflow in every launch.
          noinline: keep calls of it from other kernels as calls.  repr: from a specialisation
          (its .fn, .signature, .constants, .attrs) to the name of the compiled function.
          version, launch_metadata: kept for profilers that ask for them.
    Raises: UnsupportedError: `fn` is not a Python function.
            SignatureError: do_not_specialize names no parameter.
    """

    def __init__(
        self,
        fn: FunctionType,
        *,
        version: object = None,
        do_not_specialize: Names = None,
        do_not_specialize_on_alignment: Names = None,
        debug: bool | None = None,
        noinline: bool | None = None,
        repr: Callable[[Any], str] | None = None,
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
        self.debug = bool(debug)
        self.launch_metadata = launch_metadata
        self.pre_run_hooks: list[Callable[..., object]] = []
        self.cache: dict[tuple[object, ...], Program | GpuProgram] = {}
        self._artifacts: dict[tuple[object, ...], Artifact] = {}
        self._captured = Captured(self)
        for given in (do_not_specialize, do_not_specialize_on_alignment):
            self._check_names(given or ())

    @cached_property
    def _dispatch(self) -> Dispatch:
        """What launches again quickly; to compile a kernel, nothing of it need be loaded."""
        from weft.kernel.launch_cache import Dispatch

        return Dispatch(self, self._captured, self._launch, self.pre_run_hooks)

    @property
    def arg_names(self) -> list[str]:
        """Return the names of the parameters, as Triton calls them."""
        return list(self.parameter_names)

    @property
    def cache_key(self) -> str:
        """Return a digest of the sources of the kernel and of what it calls."""
        return fingerprint(self)

    @property
    def device_caches(self) -> dict[int | None, tuple[dict[object, Program | GpuProgram]]]:
        """Return what was compiled, by the number of the GPU; None is the embedded CPU device."""
        found: dict[int | None, tuple[dict[object, Program | GpuProgram]]] = {}
        for (*key, device), program in list(self.cache.items()):
            (programs,) = found.setdefault(cast("int | None", device), ({},))
            programs[tuple(key)] = program
        return found

    def add_pre_run_hook(self, hook: Callable[..., object]) -> None:
        """Call `hook` with the arguments of every launch before it."""
        self.pre_run_hooks.append(hook)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """Return the launch on `grid`: sizes, or a function from the arguments to sizes."""
        if Watch.by is None:
            return partial(self._dispatch.launch, grid)
        by = Watch.by
        return lambda *args, **kwargs: by(self, grid, args, kwargs)

    def run(
        self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any
    ) -> Program | GpuProgram:
        """Launch on the GPU that the arrays are on, or on the embedded CPU device.

        Args: args, kwargs: the kernel's arguments and compile options such as num_warps.
              grid: one to three sizes, or a function from the arguments by name to sizes.
              warmup: compile only; an element type may then stand for an array of it.
        Returns: the compiled kernel.
        Raises: LaunchError: arguments, options or grid that do not fit; names the parameter.
                CompilationError: the kernel's source; OutOfBoundsError: an access outside.
        """
        if not warmup:
            launch = self._dispatch.launch
            return (
                launch(grid, *args, **kwargs) if Watch.by is None else self[grid](*args, **kwargs)
            )
        from weft.launch.binding import bind
        from weft.launch.devices import opened, stand_ins

        values, options = bind(self, args, kwargs)
        return self._program(opened(stand_ins(self, values)), options, used=False)

    def _launch(
        self, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Program | GpuProgram:
        """Launch without a look at what was launched before."""
        from weft.launch.binding import bind
        from weft.launch.devices import opened
        from weft.launch.drivers.cpu import Program, grid_sizes

        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        values, options = bind(self, args, kwargs)
        values = opened(values)
        sizes = grid_sizes(self, grid, values | options)
        program = self._program(values, options)
        program.launch(sizes, values)
        if not isinstance(program, Program):
            self._dispatch.remember(args, kwargs, program)
        return program

    def _program(
        self, values: dict[str, Any], options: dict[str, Any], used: bool = True
    ) -> Program | GpuProgram:
        """Return what is compiled for arguments.

        Args: used: take torch's GPU for a launch without arrays only if the program has used it.
        """
        from weft.kernel.specialization import specialise
        from weft.launch.devices import arrays_of, current_gpu, gpu_of
        from weft.launch.drivers.cpu import check_devices, prepare

        gpu = gpu_of(values)
        if gpu is None:
            check_devices(values)
            if not any(True for _ in arrays_of(values)):
                gpu = current_gpu(used)
        signature = specialise(self, list(values.values()))
        key = (signature.key, tuple(sorted(options.items())), self._captured.key)
        program = self.cache.get((*key, gpu))
        if program is None:
            given = {"debug": self.debug} | options
            if gpu is None:
                program = prepare(self, signature, given)
            else:
                from weft.launch.drivers.cuda.kernel import prepare_for_gpu

                program = prepare_for_gpu(self, signature, given, gpu, self._artifacts, key)
            self.cache[*key, gpu] = program
        return program

    def _check_names(self, given: Iterable[str | int]) -> None:
        for name in given:
            if name not in self.parameter_names and name not in range(len(self.parameters)):
                raise SignatureError(
                    f"{self.name}: do_not_specialize names no parameter",
                    location=definition(self),
                    found=name,
                    accepted=self.parameter_names,
                    hint=did_you_mean(str(name), self.parameter_names),
                )


@overload
def jit(fn: FunctionType | Any, /) -> JITFunction: ...
@overload
def jit(
    *,
    version: object = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable[..., object] | None = None,
    do_not_specialize: Sequence[str | int] | None = None,
    do_not_specialize_on_alignment: Sequence[str | int] | None = None,
    debug: bool | None = None,
    noinline: bool | None = None,
) -> Callable[[Any], JITFunction]: ...
def jit(fn: Any = None, /, **options: Any) -> Any:
    """Make a kernel of a Python function, or of an existing kernel of Triton.

    `@weft.jit` and `@weft.jit(do_not_specialize=["n"], …)`; the arguments are JITFunction's.

    Raises: UnsupportedError: not a Python function.
    """
    if fn is None:
        return lambda function: jit(function, **options) if options else jit(function)
    if isinstance(fn, JITFunction):
        return fn
    if isinstance(fn, FunctionType):
        return JITFunction(fn, **options)
    if not isinstance(fn, KernelFunction):
        fn = KernelFunction.of(fn)
    return JITFunction(fn.fn, **(_inherited(fn) | options))


def _inherited(function: KernelFunction) -> dict[str, Any]:
    return {
        "noinline": function.noinline,
        "repr": function.naming,
        "do_not_specialize": [each.name for each in function.parameters if each.do_not_specialize],
        "do_not_specialize_on_alignment": [
            each.name for each in function.parameters if each.do_not_specialize_on_alignment
        ],
    }


def kernel_of(kernel: Any) -> KernelFunction:
    """Return the kernel inside an autotuner, a heuristic, or any wrapping of the two.

    Raises: UnsupportedError: there is no kernel in it.
    """
    inner = kernel
    while isinstance(inner, Launchable) and not isinstance(inner, KernelFunction):
        inner = inner.fn
    if isinstance(inner, FunctionType):
        raise UnsupportedError(
            f"{inner.__name__} is a plain Python function",
            location=Location(inner.__code__.co_filename, inner.__code__.co_firstlineno),
            accepted=["a function decorated with weft.jit", "a triton JITFunction"],
            hint="decorate it with @weft.jit",
        )
    return KernelFunction.of(inner)
