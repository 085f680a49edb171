"""Explain a kernel or a file of IR: compile it, collecting decisions, and read both.

The compiler is imported inside functions, as `weft explain FILE.ttgir` needs only the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.compiler.signature import Signature
    from weft.explain.card_model import Card
    from weft.explain.model import Report
    from weft.explain.shared_memory_limit import SharedMemoryNeed
    from weft.ir.builtin import ModuleOp
    from weft.targets import Target

MAX_TRIALS = 16
"""The compiles that the edits of one kernel may take, if a caller does not say it."""

__all__ = ["MAX_TRIALS", "explain", "parse_module_with_layouts"]


def explain(
    kernel: object,
    *,
    target: str | None = None,
    stop_after: str = "final",
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
    trials: int = MAX_TRIALS,
    assemble: bool = False,
    optimum: bool = False,
    **options: object,
) -> Report:
    """Report the layout of each tensor of a kernel, the reason for it, and its costs.

    Args:
        kernel: A kernel of `weft.jit` or of Triton's jit, or the path of a .ttir, .ttgir or .mlir
            file. IR with layouts is not compiled; reasons are then derived from the IR.
        target: "hip:gfx942", …; None for IR with layouts, which names its target.
        stop_after: The stage to report on: "convert", "layout", "loops" or "final".
        signature: As of `weft.compile`.
        constexprs: As of `weft.compile`.
        trials: The number of compiles that the edits of findings may take; 0 tries none. Edits are
            tried on final IR of kernels that weft compiles, without layouts of their author.
        assemble: Whether to compile to machine code, so that the card has registers and spills.
        optimum: Whether to find the optimum of the layouts, which may take a minute.
        options: Compile options.

    Raises:
        PassError: The IR has layouts for another target.
        WeftError: There is no target, the file cannot be read, or the stage has no layouts; and
            all errors of `weft.compile`.
    """
    if isinstance(kernel, str | Path):
        module = parse_module_with_layouts(Path(kernel))
        if module is not None:
            return _report_module(module, target, assemble=assemble, optimum=optimum)
    if target is None:
        raise WeftError(
            "a target is needed to compile for",
            accepted=["--target hip:gfx942", "--target cuda:90"],
        )
    report = _compile_and_report(
        kernel,
        target,
        stop_after,
        signature,
        constexprs,
        options,
        assemble=assemble,
        optimum=optimum,
    )
    if stop_after != "final" or trials <= 0 or not report.findings or _is_gluon(kernel):
        return report
    return _with_edits(report, kernel, target, signature, constexprs, options, trials)


def _is_gluon(kernel: object) -> bool:
    from weft.kernel.kernel_interface import kernel_of

    return not isinstance(kernel, str | Path) and kernel_of(kernel).is_gluon


def _with_edits(
    report: Report,
    kernel: object,
    target_name: str,
    signature: str | Mapping[str, object] | Signature | None,
    constexprs: Mapping[Any, object] | None,
    options: Mapping[str, object],
    trials: int,
) -> Report:
    """Try the edits of the findings of a report."""
    from weft.explain.advice.trials import try_edits
    from weft.explain.advice.workbench import Workbench
    from weft.targets import target

    bench = Workbench.of(kernel, target(target_name), options, signature, constexprs)
    return replace(report, findings=try_edits(report.findings, bench, trials=trials))


def parse_module_with_layouts(path: Path) -> ModuleOp | None:
    """Parse and verify a file of TTGIR; None for IR that passes have yet to give layouts."""
    from weft.ir.placeholder_layouts import has_placeholder_layouts
    from weft.ir.text import parse_module
    from weft.ir.verifier import verify

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise WeftError("cannot read the file", found=f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WeftError(
            "the file is not text", found=path, accepted=["a text file in UTF-8"]
        ) from None
    module = parse_module(text, str(path))
    if "ttg.num-warps" not in module.attributes or has_placeholder_layouts(module):
        return None
    verify(module)
    return module


def _report_module(
    module: ModuleOp, target_name: str | None, *, assemble: bool, optimum: bool
) -> Report:
    from weft.compiler.remaining_stages import check_target
    from weft.explain.module_report import build_report
    from weft.targets import target

    if target_name is not None:
        check_target(module, target(target_name))
    if "ttg.target" not in module.attributes:
        raise WeftError('missing module attribute "ttg.target"')
    report = build_report(module, card=_card(module, {}, assemble=assemble))
    if not optimum:
        return report
    from weft.explain.kernel_optimum import optimum_of_module

    return replace(report, optimum=optimum_of_module(module))


def _compile_and_report(
    kernel: object,
    target_name: str,
    stop_after: str,
    signature: str | Mapping[str, object] | Signature | None,
    constexprs: Mapping[Any, object] | None,
    options: Mapping[str, object],
    *,
    assemble: bool,
    optimum: bool,
) -> Report:
    from weft.explain.module_report import build_report
    from weft.explain.recorded_passes import record_passes
    from weft.kernel.compile import compile

    recording = record_passes(
        kernel,
        target_name,
        stop_after=stop_after,
        signature=signature,
        constexprs=constexprs,
        options=options,
    )

    def ttir() -> ModuleOp:
        return compile(
            kernel,
            signature=signature,
            constexprs=constexprs,
            target=recording.chip,
            stop_after="ttir",
            options=options,
        ).module("ttir")

    # The one stage of a Gluon kernel, "gluon", is its final one.
    is_final = stop_after == "final" or recording.is_gluon
    need = None
    if is_final and not recording.is_gluon:
        need = _shared_memory_need(recording.module, recording.chip, options, ttir)
    card = None
    if is_final:
        card = _card(recording.module, options, assemble=assemble)
    report = build_report(recording.module, recording.history, recording.decisions, need, card)
    if not optimum:
        return report
    from weft.explain.kernel_optimum import optimum_of_kernel

    best = optimum_of_kernel(
        kernel,
        recording,
        stop_after=stop_after,
        signature=signature,
        constexprs=constexprs,
        options=options,
    )
    return replace(report, optimum=best)


def _card(module: ModuleOp, options: Mapping[str, object], *, assemble: bool) -> Card:
    """Build the card of a module.

    Args:
        module: Final TTGIR, or a dump of any stage with layouts.
        options: Compile options.
        assemble: Whether to compile it, for its registers.
    """
    from weft.compiler.options import options_for
    from weft.explain.assembled_card import assemble_card
    from weft.explain.card import build_card
    from weft.explain.inventory import launch_attributes
    from weft.targets import target

    if not assemble:
        return build_card(module)
    return assemble_card(module, options_for(target(launch_attributes(module).target), options))


def _shared_memory_need(
    module: ModuleOp, chip: Target, options: Mapping[str, object], ttir: Callable[[], ModuleOp]
) -> SharedMemoryNeed | None:
    """Count the shared memory of a kernel, and prepare to count it with other stages.

    Args:
        module: The kernel's final TTGIR.
        chip: The target.
        options: Compile options.
        ttir: Compiles the kernel to TTIR again.

    Returns:
        The need; None if an operation of the kernel cannot be lowered.
    """
    from weft.compiler.machine_code import count_shared_bytes
    from weft.compiler.options import options_for
    from weft.compiler.remaining_stages import remaining_passes
    from weft.explain.shared_memory_limit import SharedMemoryNeed
    from weft.ir import attributes, types
    from weft.ir.builtin import IntegerAttr
    from weft.ir.loop_attributes import NUM_STAGES
    from weft.passes import run_pipeline

    @cache  # several loads and loops ask for the same number of stages
    def count(choose: Callable[[int, int], int], stages: int) -> int | None:
        trial = ttir()
        for op in trial.walk():
            if isinstance(loop_stages := op.attributes.get(NUM_STAGES), IntegerAttr):
                number = choose(loop_stages.value.data, stages)
                op.attributes[NUM_STAGES] = attributes.integer(number, types.i32)
        number = choose(options_for(chip, options).num_stages, stages)
        trial_options = options_for(chip, {**options, "num_stages": number})
        try:
            run_pipeline(remaining_passes(trial, "final", chip, trial_options), trial)
        except WeftError:
            return None
        return count_shared_bytes(trial)

    needed = count_shared_bytes(module)
    if needed is None:
        return None
    fewer, more = partial(count, min), partial(count, max)
    return SharedMemoryNeed(str(chip), chip.lds_bytes, needed, fewer, more)
