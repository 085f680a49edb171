"""`weft.compile`: take a kernel, or IR in a file, through the stages of a target.

    source ──front end──▶ ttir ──passes──▶ ttir ──convert, layout, loops, final──▶ ttgir

The result keeps a module of every kind of IR, and prints it on first access.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from msgspec.structs import replace

from weft.compiler.annotations import read_signature
from weft.compiler.architecture import override_architecture
from weft.compiler.ast_to_ttir import ast_to_ttir, kernel_symbol
from weft.compiler.fingerprint import fingerprint
from weft.compiler.ir_locations import takes_locations_from_file, use_ir_locations
from weft.compiler.ir_override import overriding_module
from weft.compiler.metadata import KernelMetadata
from weft.compiler.options import CompileOptions, options_for
from weft.compiler.signature import Attributes, Constants, Signature
from weft.errors import WeftError, did_you_mean
from weft.ir import text as ir_text
from weft.ir.attributes import integer, string
from weft.ir.builtin import ModuleOp
from weft.ir.placeholder_layouts import has_placeholder_layouts
from weft.ir.rewriting import clone
from weft.ir.types import i32
from weft.ir.verifier import verify
from weft.kernel.compiled_kernel import CompiledKernel
from weft.kernel.kernel_interface import kernel_of
from weft.launch.devices import current_target
from weft.passes import run_pipeline
from weft.pipelines import Stage, stages
from weft.targets import Target
from weft.targets import target as find_target
from weft.version import __version__

__all__ = ["compile"]

SOURCE = "source"  # the IR as the front end emits it
_FILE_KINDS = {".ttir": "ttir", ".ttgir": "ttgir", ".mlir": "ttir"}


def compile(
    kernel: object,
    *,
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Constants | None = None,
    attrs: Attributes | None = None,
    target: str | Target | None = None,
    stop_after: str | None = None,
    options: Mapping[str, object] | None = None,
    **more: object,
) -> CompiledKernel:
    """Compile a kernel for a target; no GPU is needed.

    Args:
        kernel: A kernel of `weft.jit` or of Triton's jit, or the path of a .ttir or .ttgir file.
        signature: "*fp16:16, i32, 128", a dictionary of types by parameter, or a Signature; None to
            use the annotations of the parameters.
        constexprs: Values of constexpr arguments by name, position or path.
        attrs: [attribute, value] pairs by name, position or path.
        target: "cuda:90", "hip:gfx942", … or a Target; None for the device that launches go to.
        stop_after: A stage: "ttir", "convert", "layout", "loops" or "final"; or "source" for the
            front end's output or the IR of a file as it is, "ttgir" for the end of the pipeline.
        options: Compile options by name; see CompileOptions.
        more: More compile options.

    Raises:
        SignatureError: The signature does not fit the kernel.
        LaunchError: An option does not fit.
        UnknownTargetError: There is no such target.
        CompilationError: A mistake in the kernel, with its source location.
        ParseError: The file is not IR.
        PassError: IR that a pass does not support.
    """
    if target is None:
        chip = current_target()
    else:
        chip = target if isinstance(target, Target) else find_target(str(target))
    values = {**(options or {}), **more}
    if values.get("arch") is not None:
        chip = override_architecture(chip, values["arch"])
    checked = options_for(chip, values)
    if isinstance(kernel, str | Path):
        return _compile_file(Path(kernel), chip, checked, stop_after)
    function = kernel_of(kernel)
    read = read_signature(function, signature, constexprs, attrs)
    module = ast_to_ttir(function, read, chip, checked)
    digest = _digest(fingerprint(function), read, read.attrs, chip, checked)
    pipeline = stages(chip, checked, is_gluon=function.is_gluon)
    modules = _run_stages(module, SOURCE, pipeline, stop_after, checked, digest)
    return _compiled_kernel(modules, chip, checked, str(read), digest)


def _compile_file(
    path: Path, chip: Target, options: CompileOptions, stop_after: str | None
) -> CompiledKernel:
    """Compile IR in a file, from the stage that its suffix or its layouts name."""
    kind = _FILE_KINDS.get(path.suffix)
    if kind is None:
        raise WeftError(
            "cannot compile this file", found=str(path), accepted=["a kernel", *_FILE_KINDS]
        )
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise WeftError("cannot read the file", found=f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WeftError(
            "the file is not text", found=path, accepted=["a text file in UTF-8"]
        ) from None
    module = ir_text.parse_module(text, str(path), ignores_locations=takes_locations_from_file())
    verify(module)
    is_gluon = has_placeholder_layouts(module)
    if kind == "ttgir" or is_gluon:
        options = _module_options(module, path, chip, options)
    pipeline = stages(chip, options, is_gluon=is_gluon)
    digest = _digest(text, chip, options)
    start = SOURCE if is_gluon else kind
    modules = _run_stages(module, start, pipeline, stop_after, options, digest)
    return _compiled_kernel(modules, chip, options, "", digest)


def _module_options(
    module: ModuleOp, path: Path, chip: Target, options: CompileOptions
) -> CompileOptions:
    """Replace the options that the attributes of a TTGIR module determine; set missing ones."""
    attributes = module.attributes
    module_target = getattr(attributes.get("ttg.target"), "data", chip.name)
    if module_target != chip.name:
        raise WeftError(
            f"{path} is compiled for {module_target}",
            found=f"target={chip}",
            accepted=[f"target={module_target}"],
        )
    # Triton reads these with defaults, and compiles for the target of the call.
    attributes.setdefault("ttg.target", string(chip.name))
    attributes.setdefault("ttg.num-ctas", integer(options.num_ctas, i32))
    attributes.setdefault("ttg.threads-per-warp", integer(chip.threads_per_warp, i32))
    numbers: dict[str, int] = {}
    for name, attribute in (("num_warps", "ttg.num-warps"), ("num_ctas", "ttg.num-ctas")):
        value = getattr(attributes.get(attribute), "value", None)
        if value is not None:
            numbers[name] = value.data
    return replace(options, **numbers)


def _output(module: ModuleOp, kind: str, options: CompileOptions, digest: str) -> ModuleOp:
    """Take the output of a kind of IR from `ir_override`, and its locations from its text."""
    module = overriding_module(options, kind) or module
    use_ir_locations(module, kind, kernel_symbol(module), lambda: digest)
    return module


def _run_stages(
    module: ModuleOp,
    start: str,
    pipeline: tuple[Stage, ...],
    stop_after: str | None,
    options: CompileOptions,
    digest: str,
) -> dict[str, ModuleOp]:
    """Run the stages after IR of kind `start` up to `stop_after`.

    TTGIR in a file does not record the stages that it has passed, so none follows it.

    Returns:
        A module of each kind of IR. The front end's output is among them only if compilation stops
        there.
    """
    modules = {start: module}
    kind = start
    for stage in _stages_to(pipeline, start, stop_after):
        # A new kind of IR starts from a copy, unless it replaces the front end's output.
        if stage.ir != kind and modules.pop(SOURCE, None) is None:
            module = cast("ModuleOp", clone(module, {}))
        run_pipeline(stage.passes, module)
        kind = stage.ir
        if stage is [each for each in pipeline if each.ir == kind][-1]:
            module = _output(module, kind, options, digest)
        modules[kind] = module
    return modules


def _stages_to(stages: tuple[Stage, ...], start: str, stop_after: str | None) -> tuple[Stage, ...]:
    """List the stages from IR of kind `start` to a stage, or to the end of a kind of IR."""
    if stop_after == SOURCE:
        return ()
    # Name of a stage or a kind of IR → the number of stages up to its end.
    ends = {SOURCE: 0} | {stage.name: number for number, stage in enumerate(stages, 1)}
    ends |= {stage.ir: number for number, stage in enumerate(stages, 1)}
    first = ends[start]
    stop = stop_after or stages[-1].ir
    reachable = [name for name, end in ends.items() if end > first or name == start]
    if stop not in reachable:
        after = f" after {start}" if stop in ends else ""
        raise WeftError(
            f"unknown stage {stop}{after}",
            found=stop,
            accepted=reachable,
            hint=did_you_mean(stop, reachable),
        )
    return stages[first : ends[stop]]


def _digest(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, (__version__, *parts))).encode()).hexdigest()


def _compiled_kernel(
    modules: Mapping[str, ModuleOp],
    chip: Target,
    options: CompileOptions,
    signature: str,
    digest: str,
) -> CompiledKernel:
    name = kernel_symbol(next(iter(modules.values())))
    return CompiledKernel(modules, KernelMetadata.of(name, chip, options, signature, digest))
