"""Compile a kernel to TTGIR, recording decisions and the layouts of each value.

recording = record_passes(kernel, "cuda:90", signature="*fp16:16, …")
recording.module                    # the final TTGIR
recording.history.of(value)         # its layouts, pass by pass, with reasons
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.compiler.options import CompileOptions, options_for
from weft.compiler.remaining_stages import find_stage, remaining_passes
from weft.compiler.signature import Signature
from weft.decisions import Decision, collecting
from weft.errors import WeftError
from weft.explain.layout_history import LayoutHistory
from weft.ir.builtin import ModuleOp
from weft.ir.placeholder_layouts import has_placeholder_layouts
from weft.kernel.compile import compile
from weft.kernel.kernel_interface import kernel_of
from weft.passes import Pass, run_pipeline
from weft.pipelines import GLUON, stages
from weft.targets import Target, target

__all__ = ["PassObserver", "Recording", "record_passes"]

PassObserver = Callable[[Pass | None, ModuleOp], None]
"""Is called with a pass and the module after it; with None and the module before all passes."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A kernel after its passes, with what they recorded.

    Attributes:
        module: The module after the last pass.
        chip: The target.
        options: The compile options.
        is_gluon: Whether the kernel's author wrote the layouts.
        history: The layouts of each value, pass by pass.
        decisions: What the passes decided.
    """

    module: ModuleOp
    chip: Target
    options: CompileOptions
    is_gluon: bool
    history: LayoutHistory
    decisions: tuple[Decision, ...]


def record_passes(
    kernel: object,
    target_name: str,
    *,
    stop_after: str = "final",
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
    options: Mapping[str, object] | None = None,
    observe: PassObserver | None = None,
) -> Recording:
    """Compile a kernel to the end of a stage, recording its decisions.

    Args:
        kernel: A kernel of `weft.jit` or of Triton's jit, or the path of a file of TTIR, or of the
            IR that Gluon's front end emits.
        target_name: "cuda:90", ….
        stop_after: "convert", "layout", "loops" or "final"; a Gluon kernel has "gluon" only.
        signature: As of `weft.compile`.
        constexprs: As of `weft.compile`.
        options: Compile options.
        observe: Is called before all passes, and after each.

    Raises:
        WeftError: A stage without layouts, and all errors of `weft.compile`.
    """
    chip = target(target_name)
    if stop_after in ("source", "ttir"):
        raise WeftError(
            "there are no layouts yet", found=stop_after, accepted=["convert", "layout", "final"]
        )
    checked = options_for(chip, options or {})
    is_file = isinstance(kernel, str | Path)
    compiled = compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=chip,
        stop_after="source",
        options=options,
    )
    kind = next(iter(compiled.asm))  # a file of TTIR has passed the stage of that name
    module = compiled.module(kind)
    is_gluon = has_placeholder_layouts(module) if is_file else kernel_of(kernel).is_gluon
    pipeline = stages(chip, checked, is_gluon=is_gluon)
    if observe is not None:
        observe(None, module)
    if kind == "source" and not is_gluon:
        run_pipeline(find_stage(pipeline, "ttir").passes, module, after=observe)
    # TTIR has no layouts, so the history starts with the pass that follows it. In the IR of a Gluon
    # kernel they are the author's.
    if is_gluon:
        # "final" is the default, which callers need not change for Gluon.
        passes = find_stage(pipeline, GLUON if stop_after == "final" else stop_after).passes
    else:
        passes = remaining_passes(module, stop_after, chip, checked)
    with collecting() as decisions:
        history = LayoutHistory(decisions)
        if is_gluon:
            history.record_source(module)

        def after(pass_: Pass, module: ModuleOp) -> None:
            history.record_pass(pass_, module)
            if observe is not None:
                observe(pass_, module)

        run_pipeline(passes, module, after=after)
    return Recording(module, chip, checked, is_gluon, history, tuple(decisions))
