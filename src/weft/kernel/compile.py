"""`weft.compile`: a kernel, or IR in a file, through the stages of a target.

    source ──front end──▶ ttir ──passes──▶ ttir ──convert, layout, loops, final──▶ ttgir

Every kind of IR leaves its module behind; its text is printed when it is first asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from weft.compiler.annotations import read_signature
from weft.compiler.ast_to_ttir import function_name, lower_kernel
from weft.compiler.fingerprint import fingerprint
from weft.compiler.metadata import Metadata
from weft.compiler.options import CompileOptions, options_for
from weft.compiler.signature import Signature
from weft.errors import WeftError, did_you_mean
from weft.kernel.compiled_kernel import CompiledKernel
from weft.kernel.jit import kernel_of
from weft.launch.devices import current_target
from weft.targets import Target
from weft.targets import target as find_target

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp
    from weft.pipelines import Stage

__all__ = ["compile"]

SOURCE = "source"
_FILES = {".ttir": "ttir", ".ttgir": "ttgir", ".mlir": "ttir"}


def compile(
    kernel: Any,
    *,
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
    attrs: Mapping[Any, Sequence[Sequence[object]]] | None = None,
    target: str | Target | None = None,
    stop_after: str | None = None,
    options: Mapping[str, Any] | None = None,
    **more: Any,
) -> CompiledKernel:
    """Compile a kernel for a chip; no GPU is needed.

    Args: kernel: of weft.jit or of Triton's jit, or the path of a .ttir or .ttgir file.
          signature, constexprs, attrs: see Signature.of; without a signature, the annotations
          of the parameters are read.
          target: "cuda:90", "hip:gfx942", … or a Target; None: the device that launches go to.
          stop_after: name of a stage, "ttir", "convert", "layout", "loops" or "final"; "source"
          is what the front end makes, "ttgir" the end of the pipeline.
          options, more: num_warps, num_stages, num_ctas, …: see CompileOptions.
    Returns: the compiled kernel.
    Raises: SignatureError, LaunchError (options), UnknownTargetError; CompilationError with the
            place in the kernel; ParseError, PassError.
    """
    if target is None:
        chip = current_target()
    else:
        chip = target if isinstance(target, Target) else find_target(str(target))
    checked = options_for(chip, {**(options or {}), **more})
    if isinstance(kernel, str | Path):
        return _compile_file(Path(kernel), chip, checked, stop_after)
    function = kernel_of(kernel)
    read = read_signature(function, signature, constexprs, attrs)
    module = lower_kernel(function, read, chip, checked)
    digest = _digest(fingerprint(function), read, read.attrs, chip, checked)
    modules = _run_stages(module, SOURCE, chip, checked, stop_after)
    return CompiledKernel(modules, _metadata(modules, chip, checked, str(read), digest))


def _compile_file(
    path: Path, chip: Target, options: CompileOptions, stop_after: str | None
) -> CompiledKernel:
    """Go on from IR in a file, at the stage that its name says."""
    from weft.ir.text import parse_module
    from weft.ir.verifier import verify

    stage = _FILES.get(path.suffix)
    if stage is None:
        raise WeftError(
            "neither a kernel nor a file of IR", found=str(path), accepted=["a kernel", *_FILES]
        )
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise WeftError("cannot read the file", found=f"{path}: {error.strerror}") from None
    module = parse_module(text, str(path))
    verify(module)
    if stage == "ttgir":
        options = _options_of_module(module, path, chip, options)
    modules = _run_stages(module, stage, chip, options, stop_after)
    digest = _digest(text, chip, options)
    return CompiledKernel(modules, _metadata(modules, chip, options, "", digest))


def _options_of_module(
    module: ModuleOp, path: Path, chip: Target, options: CompileOptions
) -> CompileOptions:
    """Return the options with what TTGIR says of itself, which is made for one chip."""
    attributes = module.attributes
    made_for = getattr(attributes.get("ttg.target"), "data", chip.name)
    if made_for != chip.name:
        raise WeftError(
            f"{path} is not made for {chip}",
            found=f"target={chip}",
            accepted=[f"target={made_for}"],
        )
    found: dict[str, int] = {}
    for name, attribute in (("num_warps", "ttg.num-warps"), ("num_ctas", "ttg.num-ctas")):
        value = getattr(attributes.get(attribute), "value", None)
        if value is not None:
            found[name] = value.data
    return replace(options, **found)


def _run_stages(
    module: ModuleOp, start: str, chip: Target, options: CompileOptions, stop_after: str | None
) -> dict[str, ModuleOp]:
    """Run the stages ahead of IR of kind `start` up to `stop_after`; keep a module of each kind.

    What the front end makes is kept only if it is where compilation stops. TTGIR in a file does
    not say how far it has come, so none is ahead of it.
    """
    from weft.ir.rewriting import clone
    from weft.passes import run_pipeline
    from weft.pipelines import stages

    ahead = _stages_to(stages(chip, options), start, stop_after)
    modules = {start: module}
    kind = start
    for stage in ahead:
        if stage.ir != kind and modules.pop(SOURCE, None) is None:
            module = cast("ModuleOp", clone(module, {}))
        run_pipeline(stage.passes, module)
        kind = stage.ir
        modules[kind] = module
    return modules


def _stages_to(stages: tuple[Stage, ...], start: str, stop_after: str | None) -> tuple[Stage, ...]:
    """Return the stages from IR of kind `start` to a stage, or to the end of a kind of IR."""
    ends = {SOURCE: 0} | {stage.name: number for number, stage in enumerate(stages, 1)}
    ends |= {stage.ir: number for number, stage in enumerate(stages, 1)}
    first = ends[start]
    stop = stop_after or stages[-1].ir
    reachable = [name for name, end in ends.items() if end > first or name == start]
    if stop not in reachable:
        raise WeftError(
            f"no stage {stop}" + (f" after {start}" if stop in ends else ""),
            found=stop,
            accepted=reachable,
            hint=did_you_mean(stop, reachable),
        )
    return stages[first : ends[stop]]


def _digest(*parts: object) -> str:
    from weft import __version__

    return hashlib.sha256("\0".join(map(str, (__version__, *parts))).encode()).hexdigest()


def _metadata(
    modules: Mapping[str, ModuleOp],
    chip: Target,
    options: CompileOptions,
    signature: str,
    digest: str,
) -> Metadata:
    return Metadata(
        name=function_name(next(iter(modules.values()))),
        target=str(chip),
        backend=chip.backend,
        arch=chip.arch,
        warp_size=chip.warp_size,
        num_warps=options.num_warps,
        num_ctas=options.num_ctas,
        num_stages=options.num_stages,
        options=options,
        signature=signature,
        hash=digest,
    )
