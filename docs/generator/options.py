"""docs/reference/options.md: compile options, knobs and environment variables."""

from __future__ import annotations

from msgspec.structs import fields

from docs.generator.docstrings import parse
from docs.generator.markdown import code, field_annotations, page, table
from weft import knobs
from weft.compiler.options import UNSUPPORTED, CompileOptions, options_for
from weft.errors import LaunchError
from weft.knobs.unsupported import REFUSED_VARIABLES
from weft.targets import derived_targets, known_targets, target

__all__ = ["ENVIRONMENT", "render"]

_CHIPS = {"cuda": "cuda:90", "hip": "hip:gfx942"}
# Options whose default is a fact of the chip.
_OF_CHIP = ("num_warps", "num_stages")

GROUPS = (
    "runtime",
    "cache",
    "compilation",
    "autotuning",
    "language",
    "nvidia",
    "amd",
    "proton",
    "build",
    "redis",
)
ENVIRONMENT: dict[str, tuple[str, str]] = {
    "WEFT_CACHE_DIR": (
        "`$XDG_CACHE_HOME/weft`, `~/.cache/weft`",
        "Directory of compiled kernels and autotuning results (`knobs.cache.dir`).",
    ),
    "WEFT_PRINT_AUTOTUNING": (
        "`0`",
        "Print the measurements of each configuration (`knobs.autotuning.print`).",
    ),
    "WEFT_CACHE_AUTOTUNING": (
        "`0`",
        "Store autotuning results on disk (`knobs.autotuning.cache`).",
    ),
    "WEFT_DISABLE_LINE_INFO": (
        "`0`",
        "Leave source lines out of machine code (`knobs.compilation.disable_line_info`).",
    ),
    "WEFT_ALWAYS_COMPILE": (
        "`0`",
        "Do not read the disk cache (`knobs.compilation.always_compile`).",
    ),
    "WEFT_LAYOUTS": (
        "`heuristic`",
        "Default of the launch option `layouts` (`knobs.compilation.layouts`).",
    ),
    "WEFT_DEBUG": ("`0`", "The default of the launch option `debug` (`knobs.runtime.debug`)."),
    "WEFT_F32_DEFAULT": (
        "that of the chip",
        "Default `input_precision` of `tl.dot` (`knobs.language.fp32_default`).",
    ),
    "WEFT_DEFAULT_FP_FUSION": (
        "`1`",
        "Default of the launch option `enable_fp_fusion` (`knobs.language.default_fp_fusion`).",
    ),
    "WEFT_PROFILER_DISABLE": ("`0`", "Profile nothing (`knobs.proton.disable`)."),
    "WEFT_AS_TRITON": (
        "`0`",
        "Let `import triton` find weft, for `weft` subcommands and pytest; after "
        "`python -m weft.compat install`, for any start of Python.",
    ),
    "WEFT_ENABLE_DIAGNOSTICS": (
        "unset",
        "`warnings` prints the warnings of passes, `remarks` their remarks too; also read as "
        "`MLIR_ENABLE_DIAGNOSTICS`. `weft opt` always prints both.",
    ),
    "WEFT_PTXAS": (
        "the newest one that supports the chip",
        "Path of `ptxas`. Without it, weft searches NVIDIA's wheels, `CUDA_HOME`, `CUDA_PATH`, "
        "`/usr/local/cuda*`, `PATH` and Triton's wheel.",
    ),
    "WEFT_DEVICE_LIBRARIES": (
        "the installed ones",
        "Folders with `libdevice.10.bc`, `ocml.bc` and `ockl.bc`, separated as in `PATH`. Without "
        "it, weft searches `CUDA_HOME`, `CUDA_PATH`, `ROCM_PATH`, `HIP_PATH`, the usual folders, "
        "and the wheels of NVIDIA, ROCm and Triton.",
    ),
    "WEFT_LIBHIP": (
        "torch's copy, then ROCm's",
        "Path of `libamdhip64.so`, the HIP runtime that launches kernels on AMD GPUs.",
    ),
    "WEFT_HIP_USE_ASYNC_COPY": (
        "unset",
        "Copy from global to shared memory without registers in pipelined loops on AMD "
        "(`knobs.amd.use_async_copy`).",
    ),
    "WEFT_HIP_USE_BLOCK_PINGPONG": (
        "unset: on gfx942, and on gfx950 with asynchronous copies",
        "Schedule loops with dots for two warps per SIMD (`knobs.amd.use_block_pingpong`).",
    ),
    "WEFT_HIP_USE_IN_THREAD_TRANSPOSE": (
        "unset: where LDS has no transposing read",
        "Transpose dot operands in registers (`knobs.amd.use_in_thread_transpose`).",
    ),
    "WEFT_AMDGCN_USE_BUFFER_OPS": (
        "`1`",
        "Access global memory by buffer instructions where offsets fit "
        "(`knobs.amd.use_buffer_ops`).",
    ),
    "WEFT_AMDGCN_USE_BUFFER_ATOMICS": (
        "`1`",
        "The same for atomic operations (`knobs.amd.use_buffer_atomics`).",
    ),
    "WEFT_AMDGCN_ANALYZE_SMALL_TENSOR_RANGE": (
        "`0`",
        "Decide by the range of the offsets even for arguments below 2 GiB "
        "(`knobs.amd.buffer_ops_analyze_small_tensor_range`).",
    ),
}
"""Environment variable → (default, effect)."""


def render() -> str:
    """Render the page."""
    return page(
        "Options, knobs and environment variables",
        "What changes how kernels are compiled and launched.",
        _compile_options(),
        _launch_keywords(),
        _knobs(),
        _environment(),
    )


def _compile_options() -> str:
    effects = parse(CompileOptions).sections["Attributes"]
    types = field_annotations(CompileOptions)
    rows: list[list[str]] = []
    for field in fields(CompileOptions):
        backends = [name for name, chip in _CHIPS.items() if _is_available(field.name, chip)]
        default = "a fact of the chip" if field.name in _OF_CHIP else code(repr(field.default))
        accepted = ", ".join(map(str, _accepted(field.name)))
        kind = code(types[field.name])
        rows.append(
            [code(field.name), " ".join(backends), kind, accepted, default, effects[field.name]]
        )
    return "\n\n".join(
        [
            "## Compile options",
            "Keywords of a launch (`kernel[grid](…, num_warps=8)`), of `weft.compile` and of "
            "`weft.Config`; `--option NAME=VALUE` on the command line. An option that the back end "
            "does not have is an error, except on the CPU device, which accepts the options of all "
            "back ends and ignores them. An option that has no effect on a chip warns once.",
            table(("option", "back ends", "type", "accepted", "default", "effect"), rows),
            _chip_defaults(),
            "These options of Triton's back ends are refused:",
            table(("option", "instead"), [[code(name), UNSUPPORTED[name]] for name in UNSUPPORTED]),
        ]
    )  # fmt: skip


def _is_available(option: str, chip: str) -> bool:
    try:
        options_for(target(chip), {option: None})
    except LaunchError:
        return False
    return True


def _accepted(option: str) -> tuple[object, ...]:
    """List what an option accepts, as the error of a wrong value does."""
    try:
        options_for(target("cpu"), {option: object()})
    except LaunchError as error:
        return error.accepted
    return ()


def _chip_defaults() -> str:
    """Tabulate the defaults that differ between chips, with the chips that have them."""
    groups: dict[tuple[int, int, int], list[str]] = {}
    for name in (*known_targets(), *derived_targets()):
        chip = target(name)
        values = (chip.default_num_warps, chip.default_num_stages, chip.max_num_ctas)
        groups.setdefault(values, []).append(name)
    rows = [[*map(str, values), " ".join(map(code, names))] for values, names in groups.items()]
    return table(("`num_warps`", "`num_stages`", "largest `num_ctas`", "chips"), rows)


def _launch_keywords() -> str:
    return """## Keywords of `weft.jit`

`@weft.jit` and `@weft.jit(do_not_specialize=["n"], …)` take Triton's keywords; see
[`weft.JITFunction`](api.md#weftjitfunction). `kernel.warmup(…, grid=grid)` compiles without
launching."""


def _knobs() -> str:
    rows: list[list[str]] = []
    ignored: list[list[str]] = []
    refused: list[list[str]] = []
    for group in GROUPS:
        cls = type(getattr(knobs, group))
        effects = parse(cls).sections.get("Attributes", {})
        for name, member in vars(cls).items():
            if name not in effects:
                continue
            if reason := getattr(member, "ignored", ""):
                ignored.append([code(f"weft.knobs.{group}.{name}"), reason])
                continue
            if reason := getattr(member, "refused", ""):
                refused.append([code(f"weft.knobs.{group}.{name}"), reason])
                continue
            variables = " ".join(map(code, getattr(member, "names", ())))
            rows.append([code(f"weft.knobs.{group}.{name}"), variables, effects.get(name, "")])
    return "\n\n".join(
        [
            "## Knobs",
            "Attributes of `weft.knobs`, under the names of `triton.knobs`. An assigned value has "
            "precedence over the environment variables, which are read at each access, in the "
            "listed order. Assigning an unknown knob is an error.",
            table(("knob", "environment variables", "effect"), rows),
            "These knobs of Triton have no effect; assigning one warns.",
            table(("knob", "instead"), ignored),
            "These knobs of Triton would change the code. weft lacks their effect, so that "
            "compilation with one is an error; so it is with the environment variables "
            f"{' and '.join(map(code, REFUSED_VARIABLES))}. `weft.knobs.runtime.interpret` "
            "concerns launches on GPUs only.",
            table(("knob", "instead"), refused),
        ]
    )  # fmt: skip


def _environment() -> str:
    rows = [[code(name), default, effect] for name, (default, effect) in ENVIRONMENT.items()]
    return "\n\n".join(
        [
            "## Environment variables",
            "A flag is on for `1`, `true`, `on`, `yes` and off for `0`, `false`, `off`, `no` or "
            "nothing.",
            table(("variable", "default", "effect"), rows),
        ]
    )
