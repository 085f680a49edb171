"""Compile options: names, defaults and ranges.

    num_warps=8, num_stages=3       every target
    maxnreg=128                     cuda only
    waves_per_eu=2, kpack=2         hip only

A kernel on the embedded CPU device accepts the options of every back end, since programs launch the
same kernels on GPUs. They are checked and have no effect there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeGuard, cast

from msgspec import Struct, structs

from weft import knobs
from weft.errors import LaunchError, OptionError, did_you_mean, warn_ignored
from weft.knobs.unsupported import UnsupportedSetting, unsupported_settings, warn_of_variables
from weft.targets import Target

__all__ = [
    "ALL_OPTIONS",
    "CPU",
    "IR_SUFFIXES",
    "MAX_WARPS",
    "UNSUPPORTED",
    "CompileOptions",
    "is_available",
    "library_paths",
    "options_for",
    "unsupported_option",
    "unsupported_setting",
]

CPU = "cpu"
MAX_WARPS = 64  # of a block, on any chip
IR_SUFFIXES = (".ttir", ".ttgir", ".llir", ".ptx", ".amdgcn")
"""The kinds of files that `ir_override` takes."""
_MAX_CTAS = 16
_MAX_THREADS = 1024  # of a block


class CompileOptions(Struct, frozen=True):
    """The compile options of all back ends; those of other back ends keep their defaults.

    Attributes:
        num_warps: Warps of a block.
        num_ctas: Blocks of a cluster.
        num_stages: Stages of software-pipelined loops; 1 does not pipeline.
        layouts: "heuristic" for the layouts that Triton's passes choose; "refined" for these after
            weft's own passes, which never raise the counted cost; "optimal" for the cheapest ones
            by the counts of weft.optimum, which needs the extra `optimum` and may take a minute.
        debug: Keep device_assert, and check integer overflow unless `sanitize_overflow` is False.
        sanitize_overflow: Check integer overflow in debug mode.
        enable_fp_fusion: Contract a·b + c to fused multiply-add.
        launch_cooperative_grid: Launch so that all programs run at once, for grid-wide barriers.
        maxnreg: Largest number of registers per thread; None for no limit (cuda).
        launch_pdl: Start before the previous kernel of the stream ends: programmatic dependent
            launch (cuda).
        waves_per_eu: Wavefronts per execution unit that register allocation aims at; 0 to let LLVM
            choose (hip).
        matrix_instr_nonkdim: m and n of MFMA, 4, 16 or 32; 0 to choose (hip).
        kpack: Consecutive MFMA steps along k whose operands a lane loads at once, 1 or 2 (hip).
        allow_flush_denorm: Let f32 arithmetic flush denormal numbers to zero (hip).
        schedule_hint: Comma-separated scheduling hints: "attention" interleaves the instructions
            of loops with chained dots, "memory-bound-attention" selects a scheduler that hides
            latency; "none" for LLVM's default (hip).
        use_async_copy: Copy from global to shared memory without registers in pipelined loops;
            None for no (hip).
        use_block_pingpong: Schedule loops with dots for two warps per SIMD, of which one computes
            while the other accesses memory; None for the chip's default (hip).
        use_in_thread_transpose: Transpose dot operands in registers; None for the chip's default
            (hip).
        use_buffer_ops: Access global memory by buffer instructions where offsets fit (hip).
        use_buffer_atomics: The same for atomic operations, with `use_buffer_ops` (hip).
        buffer_ops_analyze_small_tensor_range: Decide by the range of the offsets even for
            arguments below 2 GiB, with `use_buffer_ops` (hip).
        enable_reflect_ftz: Let f32 functions of libdevice, square roots and powers of two flush
            denormal numbers to zero (cuda).
        extern_libs: Bitcode files by name: {"libdevice": path} in place of the vendor's library;
            a file of another name defines functions that `tl.extern_elementwise` calls.
        ptx_options: More arguments of ptxas, separated by spaces; None for
            `knobs.nvidia.ptxas_options` (cuda).
        ir_override: A file .ttir, .ttgir, .llir, .ptx or .amdgcn in place of what that stage
            returns.
        arch: The chip to compile for in place of the device's: "sm80", "gfx942".
    """

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    layouts: str = "heuristic"
    debug: bool = False
    sanitize_overflow: bool = True
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    maxnreg: int | None = None
    launch_pdl: bool = False
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    allow_flush_denorm: bool = False
    schedule_hint: str = "none"
    use_async_copy: bool | None = None
    use_block_pingpong: bool | None = None
    use_in_thread_transpose: bool | None = None
    use_buffer_ops: bool = True
    use_buffer_atomics: bool = True
    buffer_ops_analyze_small_tensor_range: bool = False
    enable_reflect_ftz: bool = True
    extern_libs: tuple[tuple[str, str], ...] = ()
    ptx_options: str | None = None
    ir_override: str | None = None
    arch: str | None = None

    @property
    def schedule_hints(self) -> tuple[str, ...]:
        """The parts of `schedule_hint` other than "none", in lower case."""
        return tuple(hint for hint in self.schedule_hint.lower().split(",") if hint != "none")

    def as_dict(self) -> dict[str, object]:
        """Map each option to its value."""
        return structs.asdict(self)


ALL_OPTIONS: tuple[str, ...] = CompileOptions.__struct_fields__

# The back ends of options that not every back end has.
_BACKENDS = {
    "maxnreg": ("cuda",),
    "launch_pdl": ("cuda",),
    "waves_per_eu": ("hip",),
    "matrix_instr_nonkdim": ("hip",),
    "kpack": ("hip",),
    "allow_flush_denorm": ("hip",),
    "schedule_hint": ("hip",),
    "use_async_copy": ("hip",),
    "use_block_pingpong": ("hip",),
    "use_in_thread_transpose": ("hip",),
    "use_buffer_ops": ("hip",),
    "use_buffer_atomics": ("hip",),
    "buffer_ops_analyze_small_tensor_range": ("hip",),
    "enable_reflect_ftz": ("cuda",),
    "ptx_options": ("cuda",),
}

_FACT = "weft takes it from the target"
_TARGET = "the target of a compile names it: weft.compile(kernel, target=…)"
UNSUPPORTED = {
    "allowed_dot_input_precisions": _FACT,
    "backend_name": _TARGET,
    "default_dot_input_precision": "pass input_precision to tl.dot",
    "deprecated_fp8_dot_operand_dtypes": _FACT,
    "instrumentation_mode": "the simulator finds data races: docs/guides/reading_machine_code.md",
    "max_num_imprecise_acc_default": "pass max_num_imprecise_acc to tl.dot",
    "ptx_version": _FACT,
    "supported_fp8_dtypes": _FACT,
    "warp_size": _FACT,
}
"""The options of Triton's back ends that weft does not support: what to do instead."""

# Options whose defaults are the knobs of the same names.
_KNOBS = tuple(name for name in _BACKENDS if name.startswith(("use_", "buffer_ops_")))

# The groups of knobs that compilation for a back end reads; "" for other environment variables.
_KNOB_GROUPS = {
    CPU: ("cache", "compilation", "redis"),
    "cuda": ("", "cache", "compilation", "nvidia", "redis"),
    "hip": ("", "amd", "cache", "compilation", "redis"),
}

_LAYOUTS = ("heuristic", "refined", "optimal")
_SCHEDULE_HINTS = ("none", "attention", "memory-bound-attention")

_Check = Callable[[object], bool]


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _power_of_two(maximum: int) -> _Check:
    return lambda value: _is_int(value) and 0 < value <= maximum and value.bit_count() == 1


def _at_least(minimum: int) -> _Check:
    return lambda value: _is_int(value) and value >= minimum


def _is_schedule_hint(value: object) -> bool:
    return isinstance(value, str) and all(
        hint in _SCHEDULE_HINTS for hint in value.lower().split(",")
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_ir_file(value: object) -> bool:
    return isinstance(value, str | Path) and Path(value).suffix in IR_SUFFIXES


def _are_libraries(value: object) -> bool:
    try:
        return all(isinstance(text, str) for pair in library_paths(value) for text in pair)
    except (TypeError, ValueError):
        return False


def library_paths(value: object) -> tuple[tuple[str, str], ...]:
    """Convert the value of `extern_libs`, a dictionary or pairs, to pairs of name and path."""
    pairs: Any = cast("Any", value).items() if isinstance(value, Mapping) else value or ()
    return tuple((name, path) for name, path in pairs)


# Option: its check, and the accepted values in text. Options without a row are flags.
_CHECKS: dict[str, tuple[_Check, str]] = {
    # More threads than a block may have are OutOfResourcesError, which the autotuner expects.
    "num_warps": (_power_of_two(_MAX_THREADS), "1, 2, 4, 8, 16, 32, 64"),
    "num_ctas": (_power_of_two(_MAX_CTAS), "1, 2, 4, 8, 16"),
    "num_stages": (_at_least(0), "an int from 0"),
    "layouts": (lambda value: value in _LAYOUTS, ", ".join(_LAYOUTS)),
    "maxnreg": (lambda value: value is None or _at_least(1)(value), "an int from 1, None"),
    "waves_per_eu": (_at_least(0), "an int from 0"),
    "matrix_instr_nonkdim": (lambda value: value in (0, 4, 16, 32), "0, 4, 16, 32"),
    "kpack": (lambda value: _is_int(value) and value in (1, 2), "1, 2"),
    "schedule_hint": (_is_schedule_hint, ", ".join(_SCHEDULE_HINTS)),
    "extern_libs": (_are_libraries, '{"libdevice": "…/libdevice.10.bc"}'),
    "ptx_options": (_is_text, "a text"),
    "ir_override": (_is_ir_file, "a file .ttir, .ttgir, .llir, .ptx or .amdgcn"),
    "arch": (_is_text, "a text"),
}
_FLAG_CHECK: tuple[_Check, str] = (lambda value: isinstance(value, bool), "True, False")
_IR_STAGES = ("ttir", "ttgir")
_MISSING_STAGES = {
    CPU: (".llir", ".ptx", ".amdgcn"),
    "cuda": (".amdgcn",),
    "hip": (".ptx",),
}
_POWERS_OF_TWO = ("num_warps", "num_ctas")
_CONVERSIONS: dict[str, Callable[[object], object]] = {
    "extern_libs": library_paths,
    "ir_override": str,
}


def options_for(chip: Target, values: Mapping[str, object]) -> CompileOptions:
    """Check options for a chip and fill in its defaults.

    Args:
        chip: The chip to compile for.
        values: Value of each option by name; None selects the default: the knob of the same
            name, if there is one, else the chip's.

    Raises:
        LaunchError: An unknown option, an option of another back end, a value out of range, or a
            knob that weft does not support.
        WeftError: An environment variable of a knob has an unknown value.
    """
    _check_settings(chip.backend)
    checked: dict[str, object] = {
        "num_warps": chip.default_num_warps,
        "num_stages": chip.default_num_stages,
        "enable_fp_fusion": knobs.language.default_fp_fusion,
        "layouts": knobs.compilation.layouts,
    }
    _check_value("layouts", checked["layouts"], chip.backend)
    if chip.backend == "hip":
        checked |= {name: getattr(knobs.amd, name) for name in _KNOBS}
    if chip.backend == "cuda":
        checked["ptx_options"] = knobs.nvidia.ptxas_options
    available = [name for name in ALL_OPTIONS if is_available(name, chip.backend)]
    for name, value in values.items():
        if name not in available:
            raise _unknown_option(name, available, chip.name)
        if value is not None:
            _check_value(name, value, chip.backend)
            checked[name] = _CONVERSIONS[name](value) if name in _CONVERSIONS else value
    options = CompileOptions(**checked)  # pyright: ignore[reportArgumentType]  # checked by name
    if chip.backend != CPU and options.num_ctas > chip.max_num_ctas:
        required = " requires NVIDIA SM90+ (Hopper)" if chip.backend == "cuda" else " not supported"
        raise OptionError(
            f"num_ctas > 1{required}: {chip} does not support clusters of "
            f"{options.num_ctas} blocks",
            found=f"num_ctas={options.num_ctas}",
            accepted=[f"num_ctas={n}" for n in (1, 2, 4, 8, 16) if n <= chip.max_num_ctas],
        )
    if chip.backend == "cuda" and knobs.nvidia.disable_ptxas_opt:
        level = f"{options.ptx_options or ''} --opt-level 0"
        options = structs.replace(options, ptx_options=level.strip())
    if Path(options.ir_override or "").suffix in _MISSING_STAGES[chip.backend]:
        raise OptionError(
            f"{chip} has no such stage as the file of ir_override", found=options.ir_override
        )
    return _without_ignored(chip, options)


def _check_settings(backend: str) -> None:
    """Check that no knob asks for an effect that weft lacks, and warn of ignored variables.

    Raises:
        LaunchError: One does, or `use_ir_loc` names no stage of IR.
    """
    groups = _KNOB_GROUPS[backend]
    for setting in unsupported_settings(groups):
        raise unsupported_setting(setting)
    _check_ir_stage()
    warn_of_variables(groups)


def _check_ir_stage() -> None:
    stage = knobs.compilation.use_ir_loc
    if stage and stage not in _IR_STAGES:
        raise LaunchError(
            "knobs.compilation.use_ir_loc (USE_IR_LOC) must name a stage of IR",
            found=stage,
            accepted=_IR_STAGES,
            hint=did_you_mean(stage, _IR_STAGES),
        )


def unsupported_setting(setting: UnsupportedSetting) -> LaunchError:
    """Create the error for a knob or an environment variable that weft does not support."""
    return LaunchError(
        f"Triton's {setting.kind} {setting.name} is not supported",
        found=setting.found,
        hint=setting.hint,
    )


def _without_ignored(chip: Target, options: CompileOptions) -> CompileOptions:
    """Warn of options that have no effect on a chip, and reset them."""
    # Option: its greatest value with an effect, and the reason.
    ignored: dict[str, tuple[int, str]] = {}
    if chip.backend == "cuda" and not chip.has_dependent_launch:
        ignored["launch_pdl"] = (False, "programmatic dependent launch needs compute capability 90")
    if chip.backend == "hip" and not chip.has_mfma:
        reason = "it is an option of MFMA instructions, and the chip has none"
        ignored |= {"kpack": (1, reason), "matrix_instr_nonkdim": (0, reason)}
    elif chip.backend == "hip":
        ignored["kpack"] = (chip.max_kpack, "one MFMA instruction already reads 16 bytes per lane")
    ignored = {name: row for name, row in ignored.items() if getattr(options, name) > row[0]}
    for name, (_, reason) in ignored.items():
        value = getattr(options, name)
        warn_ignored(f"{name}={value!r} has no effect on {chip}: {reason}")
    return structs.replace(options, **{name: value for name, (value, _) in ignored.items()})


def is_available(name: str, backend: str) -> bool:
    """Check whether a back end has an option."""
    return backend in (CPU, *_BACKENDS.get(name, (backend,)))


def _check_value(name: str, value: object, backend: str) -> None:
    is_valid, accepted = _CHECKS.get(name, _FLAG_CHECK)
    if not is_valid(value):
        rule = "must be a power of 2" if name in _POWERS_OF_TWO else "is out of range"
        raise OptionError(
            f"{name} {rule}", found=f"{name}={value!r}", accepted=accepted.split(", ")
        )


def unsupported_option(name: str, kernel: str = "") -> LaunchError:
    """Create the error for an option of Triton's that weft does not support.

    Args:
        name: The option, of UNSUPPORTED.
        kernel: The name of the kernel that is launched with it, if any.
    """
    prefix = f"{kernel}: " if kernel else ""
    return LaunchError(
        f"{prefix}Triton's compile option {name} is not supported",
        found=name,
        accepted=ALL_OPTIONS,
        hint=UNSUPPORTED[name],
    )


def _unknown_option(name: str, available: list[str], target: str) -> LaunchError:
    if name in UNSUPPORTED:
        return unsupported_option(name)
    backends = _BACKENDS.get(name)
    if backends is None:
        return LaunchError(
            f"unknown compile option {name}",
            found=name,
            accepted=available,
            hint=did_you_mean(name, available),
        )
    return LaunchError(
        f"compile option {name} is for {' and '.join(backends)}; the target is {target}",
        found=name,
        accepted=available,
    )
