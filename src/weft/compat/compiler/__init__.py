"""`triton.compiler`: compile a kernel and its signature given as one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.compat.backends import backends
from weft.compat.backends.compiler import BaseBackend, GPUTarget, Language, accepted_options
from weft.compat.compiler.compiled_kernel import AsmDict, CompiledKernel
from weft.compat.compiler.sources import ASTSource, IRSource
from weft.compat.errors import CompilationError, OutOfResources
from weft.compat.runtime import driver
from weft.compat.runtime.cache import (
    get_cache_key,
    get_cache_manager,
    get_dump_manager,
    get_override_manager,
    triton_key,
)
from weft.compat.tools.disasm import get_sass
from weft.compat.unsupported import unsupported_names
from weft.compiler.architecture import override_architecture
from weft.compiler.options import options_for
from weft.compiler.signature import Signature
from weft.errors import SignatureError, UnknownTargetError
from weft.kernel.compile import compile as weft_compile
from weft.kernel.compiled_kernel import CompiledKernel as WeftCompiledKernel
from weft.kernel.kernel_interface import kernel_of
from weft.lazy_attributes import lazy_getattr
from weft.targets import Target
from weft.targets import target as find_target

if TYPE_CHECKING:
    from weft.ir.operation_views import ModuleView

__all__ = [
    "ASTSource",
    "AsmDict",
    "CompilationError",
    "CompiledKernel",
    "GPUTarget",
    "IRSource",
    "Language",
    "LazyDict",
    "OutOfResources",
    "backends",
    "compile",
    "filter_traceback",
    "get_cache_key",
    "get_cache_manager",
    "get_dump_manager",
    "get_override_manager",
    "get_sass",
    "make_backend",
    "max_shared_mem",
    "parse",
    "triton_key",
]

_MODULES = {
    "code_generator": "weft.compat.compiler.code_generator",
    "compiler": "weft.compat.compiler",
    "errors": "weft.compat.errors",
}
_load = lazy_getattr(__name__, _MODULES)
_refuse = unsupported_names(
    "triton.compiler", "weft.compile(kernel, signature=…, target=…).asm has the IR of every stage"
)


def __getattr__(name: str) -> object:
    return _load(name) if name in _MODULES else _refuse(name)


class LazyDict:
    """Values by name, some of which are computed when they are asked for.

    Attributes:
        data: The values.
        extras: Functions with their arguments, which compute more values.
    """

    def __init__(self, data: dict[str, object]) -> None:
        self.data = data
        self.extras: list[tuple[Callable[..., Mapping[str, object]], tuple[object, ...]]] = []

    def get(self) -> dict[str, object]:
        """Compute all values."""
        for function, args in self.extras:
            self.data |= function(*args)
        self.extras.clear()
        return self.data

    def add(self, func: Callable[..., Mapping[str, object]], args: tuple[object, ...]) -> None:
        """Add a function that computes more values."""
        self.extras.append((func, args))


def filter_traceback(e: BaseException) -> None:
    """Leave an error as it is: weft's errors of kernels have no frames of the front end."""


def parse(full_name: str, ext: str, context: object) -> str | bytes | ModuleView:
    """Read the output of a stage from a file: IR as a module, assembly as text, code as bytes.

    Args:
        full_name: The path.
        ext: The stage: "ttgir", "ptx", "cubin", ….
        context: Has no effect; weft's IR has no context.
    """
    file = Path(full_name)
    if ext in ("ttir", "ttgir"):
        return IRSource(full_name).module
    return file.read_bytes() if ext in ("cubin", "hsaco") else file.read_text()


def max_shared_mem(device: int) -> int:
    """Get the bytes of shared memory that a block of a GPU can have."""
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


def compile(
    src: object,
    target: str | Target | GPUTarget | None = None,
    options: Mapping[str, object] | None = None,
    _env_vars: Mapping[str, str] | None = None,
    **arguments: Any,
) -> CompiledKernel | WeftCompiledKernel:
    """Compile an `ASTSource`, an `IRSource`, or anything that `weft.compile` takes.

    Args:
        src: The kernel with its signature, or what `weft.compile` takes as its first argument.
        target: A target by its name or as an object; None for that of `driver.active`, the device
            that launches go to unless a program has set another.
        options: Compile options by name. For an `ASTSource`, one that the target does not have
            warns or is an error, unless it has the value of the target.
        _env_vars: Environment variables that the hash and the metadata of the result contain;
            Triton's code depends on them. None for those of weft's settings.
        arguments: As of `weft.compile`.

    Returns:
        A kernel with Triton's attributes, loaded on its first use, for an `ASTSource`; else that of
        `weft.compile`.

    Raises:
        SignatureError: An `ASTSource` together with another signature.
        LaunchError: An option of Triton's that weft does not support.
        WeftError: As `weft.compile`.
    """
    device: str | Target | None
    if isinstance(target, GPUTarget):
        device = override_architecture(find_target(str(target)))
    else:
        device = target
    if isinstance(src, IRSource):
        return weft_compile(src.path, target=device, options=options, **arguments)
    if not isinstance(src, ASTSource):
        return weft_compile(src, target=device, options=options, **arguments)
    if arguments.keys() & {"signature", "constexprs", "attrs"}:
        raise SignatureError(
            "an ASTSource has its own signature", found="another signature, or constants"
        )
    if device is None:
        device = override_architecture(find_target(str(driver.active.get_current_target())))
    elif not isinstance(device, Target):
        device = find_target(device)
    kernel = kernel_of(src.fn)
    signature = Signature.of(kernel, src.signature, src.constexprs, src.attrs)
    backend = make_backend(GPUTarget(device.backend, device.arch, device.threads_per_warp))
    values = accepted_options(backend, {**(options or {}), **src.parse_options(), **arguments})
    device = override_architecture(device, values.pop("arch", None))
    checked = options_for(device, values)
    return CompiledKernel(src, kernel, signature, checked, device, _env_vars or {})


def make_backend(target: GPUTarget) -> BaseBackend:
    """Get the back end of a target.

    Raises:
        UnknownTargetError: There is none.
    """
    for backend in backends.values():
        if backend.compiler.supports_target(target):
            return backend.compiler(target)
    raise UnknownTargetError(
        f"0 compatible backends for target ({target.backend}) ({list(backends)}). "
        "There should only be one.",
        found=target.backend,
        accepted=[each.compiler.name for each in backends.values()],
    )
