"""`triton.backends.compiler`: the description of a target, and the compile options of its kind.

options = CUDABackend(GPUTarget("cuda", 90, 32)).parse_options({"num_warps": 8})
options.num_warps, options.supported_fp8_dtypes
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from inspect import Parameter
from typing import Any, ClassVar, cast

from weft.compat.unsupported import unsupported_names
from weft.compiler.architecture import override_architecture
from weft.compiler.cache import toolchain_version
from weft.compiler.gpu_target import GPUTarget
from weft.compiler.options import (
    ALL_OPTIONS,
    UNSUPPORTED,
    CompileOptions,
    is_available,
    options_for,
    unsupported_option,
)
from weft.compiler.source_language import Language
from weft.errors import LaunchError, UnsupportedError, did_you_mean, warn_ignored
from weft.launch.arrays import address
from weft.targets import Target
from weft.targets import target as find_target

__all__ = [
    "BackendOptions",
    "BaseBackend",
    "CPUOptions",
    "GPUOptions",
    "GPUTarget",
    "Language",
    "accepted_options",
    "stage_method",
    "unsupported_stage",
]

__getattr__ = unsupported_names(
    "triton.backends.compiler", "docs/guides/add_a_target.md: a chip is a folder of facts"
)


class BackendOptions:
    """The compile options of a back end; `__dict__` has them all."""

    def hash(self) -> str:
        """Compute a digest of the options."""
        text = "_".join(f"{name}-{value}" for name, value in sorted(self.__dict__.items()))
        return hashlib.sha256(text.encode()).hexdigest()


class GPUOptions(BackendOptions):
    """The compile options of a back end of GPUs, which are checked when they are created."""

    num_warps: int
    extern_libs: Any

    def __post_init__(self) -> None:
        """Turn the libraries into pairs, and check the number of warps.

        Raises:
            LaunchError: It is not a power of two.
        """
        object.__setattr__(self, "extern_libs", tuple(dict(self.extern_libs or {}).items()))
        warps = self.num_warps
        if warps <= 0 or warps & (warps - 1):
            raise LaunchError("num_warps must be a power of 2", found=f"num_warps={warps}")


@dataclass(frozen=True)
class CPUOptions(BackendOptions):
    """The compile options that kernels on the embedded CPU device read.

    Attributes:
        num_warps: Warps of a block.
        num_ctas: Blocks of a cluster.
        num_stages: Stages of software-pipelined loops.
        debug: Keep device_assert.
        sanitize_overflow: Check integer overflow in debug mode.
        backend_name: "cpu".
        arch: "cpu".
        warp_size: 1.
    """

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    debug: bool = False
    sanitize_overflow: bool = True
    backend_name: str = "cpu"
    arch: str = "cpu"
    warp_size: int = 1


class BaseBackend:
    """The compile options and the specialization rules of a kind of device.

    Attributes:
        name: The back end of its targets.
        binary_ext: The stage whose output a driver loads.
        options_class: Its compile options.
        supports_native_tensor_specialization: Whether arrays are specialized by alignment alone.
        target: The target.
    """

    name: ClassVar[str] = ""
    binary_ext: ClassVar[str] = ""
    options_class: ClassVar[type[BackendOptions]] = CPUOptions
    supports_native_tensor_specialization: ClassVar[bool] = True

    def __init__(self, target: GPUTarget) -> None:
        self.target = target

    @classmethod
    def supports_target(cls, target: GPUTarget) -> bool:
        """Check whether a target is of this kind."""
        return target.backend == cls.name

    def hash(self) -> str:
        """Get a text that changes with the compiler and the target."""
        return f"{toolchain_version()}-{self.target}"

    def parse_options(self, opts: Mapping[str, object]) -> Any:
        """Check compile options and fill in the target's defaults; see `accepted_options`."""
        chip = override_architecture(find_target(str(self.target)), opts.get("arch"))
        options = options_for(chip, accepted_options(self, opts))
        values = options.as_dict() | self.facts(chip)
        names = [each.name for each in fields(cast("Any", self.options_class)) if each.init]
        return self.options_class(**{name: values[name] for name in names})

    def add_stages(self, stages: object, options: object, language: object = None) -> None:
        """Refuse to list the stages as functions.

        Raises:
            UnsupportedError: Always.
        """
        raise unsupported_stage("add_stages")

    def get_target_name(self, options: Any) -> str:
        """Get the name of the target that options compile for: "cuda:90"."""
        return f"{self.target.backend}:{str(options.arch).removeprefix('sm')}"

    def pack_metadata(self, metadata: Any) -> tuple[int, ...]:
        """Get the metadata that a launcher of Triton's reads."""
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    def load_dialects(self, ctx: object) -> None:
        """Do nothing: weft's dialects are always loaded."""

    def get_codegen_implementation(self, options: object) -> dict[str, object]:
        """Get the front end's functions of the target; weft has none."""
        return {}

    def get_module_map(self) -> dict[str, object]:
        """Get the modules of the target's device library by their general name."""
        from weft.language.extra import libdevice

        return {"triton.language.extra.libdevice": libdevice}

    @staticmethod
    def parse_attr(desc: str) -> list[list[object]]:
        """Translate the letters of a specialization: D for a multiple of 16."""
        return [["tt.divisibility", 16]] if "D" in desc else []

    @staticmethod
    def get_int_specialization(arg: int, **kwargs: object) -> str:
        """Get the letters of an integer argument."""
        return "D" if arg % 16 == 0 and kwargs.get("align", False) else ""

    @staticmethod
    def get_tensor_specialization(arg: Any, **kwargs: object) -> str:
        """Get the letters of an array argument."""
        return "D" if address(arg) % 16 == 0 and kwargs.get("align", False) else ""

    def facts(self, chip: Target) -> dict[str, object]:
        """List the options of Triton's that weft takes from the target."""
        return {
            "backend_name": chip.backend,
            "arch": f"sm{chip.arch}" if chip.backend == "cuda" else chip.arch,
            "warp_size": chip.threads_per_warp,
            "supported_fp8_dtypes": chip.supported_fp8_dtypes,
            "deprecated_fp8_dot_operand_dtypes": chip.deprecated_fp8_dot_operand_dtypes,
            "default_dot_input_precision": chip.default_dot_input_precision,
            "allowed_dot_input_precisions": chip.allowed_dot_input_precisions,
            "max_num_imprecise_acc_default": chip.max_num_imprecise_acc_default,
            "ptx_version": None,
            "instrumentation_mode": "",
        }


def unsupported_stage(name: str) -> UnsupportedError:
    """Create the error for a method that runs Triton's own pass manager on its own modules."""
    return UnsupportedError(
        f"weft has no {name} of a back end",
        found=name,
        accepted=["weft.compile(kernel, target=…).asm has the output of each stage"],
        hint="weft.pipelines lists the stages and their passes; weft opt runs them",
    )


def stage_method(name: str, parameters: str) -> Callable[..., None]:
    """Create a method of a back end that raises the error of `unsupported_stage`.

    Args:
        name: The method.
        parameters: Its parameters, separated by spaces.
    """

    def refuse(*args: object, **kwargs: object) -> None:
        raise unsupported_stage(name)

    kind = Parameter.POSITIONAL_OR_KEYWORD
    refuse.__name__, refuse.__doc__ = name, f"Raise UnsupportedError: weft has no {name}."
    signature = inspect.Signature([Parameter(each, kind) for each in parameters.split()])
    refuse.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    return refuse


def accepted_options(backend: BaseBackend, options: Mapping[str, object]) -> dict[str, object]:
    """Select the options that weft has for a target.

    Triton's `parse_options` drops all others. weft does so where they have no other value than the
    target's or the default, and warns or raises an error where they have.

    Raises:
        LaunchError: An option of Triton's that weft does not support, with another value.
    """
    chip = find_target(str(backend.target))
    accepted: dict[str, object] = {}
    for name, value in options.items():
        is_default = value is None or (name, value) in _defaults(backend, chip)
        if name in ALL_OPTIONS and is_available(name, chip.backend):
            accepted[name] = value
        elif name in UNSUPPORTED and not is_default:
            raise unsupported_option(name)
        elif not is_default:
            hint = did_you_mean(name, ALL_OPTIONS)
            reason = f"it is no option of {chip.backend}" + (f" ({hint})" if hint else "")
            warn_ignored(f"{name}={value!r} has no effect on {chip}: {reason}")
    return accepted


def _defaults(backend: BaseBackend, chip: Target) -> list[tuple[str, object]]:
    return [*CompileOptions().as_dict().items(), *backend.facts(chip).items()]
