"""Explain a kernel or a file of IR: compile it, collecting decisions, and read both.

The compiler is imported inside functions, as `weft explain FILE.ttgir` needs only the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.decisions import collecting
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.compiler.signature import Signature
    from weft.explain.model import Report
    from weft.explain.shared_memory_limit import SharedMemoryNeed
    from weft.ir.builtin import ModuleOp
    from weft.targets import Target

__all__ = ["explain"]


def explain(
    kernel: object,
    *,
    target: str | None = None,
    stop_after: str = "final",
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
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
        options: Compile options.

    Raises:
        PassError: The IR has layouts for another target.
        WeftError: There is no target, the file cannot be read, or the stage has no layouts; and
            all errors of `weft.compile`.
    """
    if isinstance(kernel, str | Path):
        module = _parse_module_with_layouts(Path(kernel))
        if module is not None:
            return _report_module(module, target)
    if target is None:
        raise WeftError(
            "a target is needed to compile for",
            accepted=["--target hip:gfx942", "--target cuda:90"],
        )
    return _compile_and_report(kernel, target, stop_after, signature, constexprs, options)


def _parse_module_with_layouts(path: Path) -> ModuleOp | None:
    """Parse and verify a file of TTGIR; None for TTIR, which has no layouts."""
    from weft.ir.text import parse_module
    from weft.ir.verifier import verify

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise WeftError("cannot read the file", found=f"{path}: {error.strerror}") from None
    module = parse_module(text, str(path))
    if "ttg.num-warps" not in module.attributes:
        return None
    verify(module)
    return module


def _report_module(module: ModuleOp, target_name: str | None) -> Report:
    from weft.compiler.remaining_stages import check_target
    from weft.explain.module_report import build_report
    from weft.targets import target

    if target_name is not None:
        check_target(module, target(target_name))
    if "ttg.target" not in module.attributes:
        raise WeftError('missing module attribute "ttg.target"')
    return build_report(module)


def _compile_and_report(
    kernel: object,
    target_name: str,
    stop_after: str,
    signature: str | Mapping[str, object] | Signature | None,
    constexprs: Mapping[Any, object] | None,
    options: Mapping[str, object],
) -> Report:
    from weft.compiler.options import options_for
    from weft.compiler.remaining_stages import remaining_passes
    from weft.explain.layout_history import LayoutHistory
    from weft.explain.module_report import build_report
    from weft.kernel.compile import compile
    from weft.passes import run_pipeline
    from weft.targets import target

    chip = target(target_name)
    if stop_after in ("source", "ttir"):
        raise WeftError(
            "there are no layouts yet", found=stop_after, accepted=["convert", "layout", "final"]
        )

    def ttir() -> ModuleOp:
        return compile(
            kernel,
            signature=signature,
            constexprs=constexprs,
            target=chip,
            stop_after="ttir",
            options=options,
        ).module("ttir")

    module = ttir()
    # TTIR has no layouts, so the history starts with the pass that follows it.
    passes = remaining_passes(module, stop_after, chip, options_for(chip, options))
    with collecting() as decisions:
        history = LayoutHistory(decisions)
        run_pipeline(passes, module, after=history.record_pass)
    need = None
    if stop_after == "final":
        need = _shared_memory_need(module, chip, options, ttir)
    return build_report(module, history, decisions, need)


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
