"""Collect everything that a page shows of one compile of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weft.codegen.backend.nvdisasm import disassemble
from weft.compiler.machine_code import emit_llvm, lower_ttgir
from weft.compiler.options import CompileOptions, options_for
from weft.errors import CodegenError, LayoutError, WeftError
from weft.explain.advice.trials import try_edits
from weft.explain.advice.workbench import Workbench
from weft.explain.assembled_card import assemble_card
from weft.explain.inventory import launch_attributes
from weft.explain.json_report import as_object
from weft.explain.kernel_optimum import optimum_of_kernel, optimum_of_module
from weft.explain.kernel_report import MAX_TRIALS, parse_module_with_layouts
from weft.explain.labels import Labels
from weft.explain.model import Report
from weft.explain.module_report import build_report
from weft.explain.recorded_passes import record_passes
from weft.ir.builtin import ModuleOp
from weft.layouts.shared_memory import SharedMemory
from weft.report.layout_pictures import LayoutPictures, optimum_pictures
from weft.report.memory_pictures import bank_maps, global_accesses
from weft.report.model import PassStep, Text, View
from weft.report.pass_steps import StepRecorder
from weft.report.shared_buffers import shared_memory
from weft.report.source_files import read_sources
from weft.report.texts import PlaceTable, code_texts, module_text
from weft.targets import Target, target

if TYPE_CHECKING:
    from weft.compiler.signature import Signature

__all__ = ["view_of", "view_of_module"]

_ASSEMBLY = {"cuda": "ptx", "hip": "amdgcn"}


def view_of(
    kernel: object,
    target_name: str | None,
    label: str,
    *,
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
    options: Mapping[str, object] | None = None,
    trials: int = MAX_TRIALS,
    optimum: bool = False,
) -> tuple[View, Report]:
    """Compile a kernel, or read a dump, and collect what a page shows of it.

    Args:
        kernel: A kernel of `weft.jit` or of Triton's jit, or the path of a file of IR.
        target_name: "cuda:90", …; None for IR with layouts, which names its target.
        label: What to call the view.
        signature: As of `weft.compile`.
        constexprs: As of `weft.compile`.
        options: Compile options.
        trials: The number of compiles that the edits of findings may take.
        optimum: Whether to find the optimum of the layouts, which may take minutes.

    Returns:
        The view, and the report of `weft explain` that it contains.

    Raises:
        WeftError: There is no target, and all errors of `weft.compile`.
    """
    shown_options = {name: str(value) for name, value in (options or {}).items()}
    if isinstance(kernel, str | Path):
        module = parse_module_with_layouts(Path(kernel))
        if module is not None:
            return view_of_module(
                module,
                label,
                target_name=target_name,
                shown_options=shown_options,
                optimum=optimum,
            )
    if target_name is None:
        raise WeftError(
            "a target is needed to compile for",
            accepted=["--target hip:gfx942", "--target cuda:90"],
        )
    table = PlaceTable()
    recorder = StepRecorder(table)
    recording = record_passes(
        kernel,
        target_name,
        signature=signature,
        constexprs=constexprs,
        options=options,
        observe=recorder.observe,
    )
    card = assemble_card(recording.module, recording.options)
    report = build_report(recording.module, recording.history, recording.decisions, card=card)
    if trials and not recording.is_gluon:
        bench = Workbench.of(kernel, recording.chip, options or {}, signature, constexprs)
        report = replace(report, findings=try_edits(report.findings, bench, trials=trials))
    if optimum:
        best = optimum_of_kernel(
            kernel, recording, signature=signature, constexprs=constexprs, options=options
        )
        report = replace(report, optimum=best)
    steps = recorder.steps(recording.decisions)
    texts = _ir_texts(steps, recording.module, table)
    view = _view(
        recording.module,
        recording.chip,
        recording.options,
        report,
        label,
        table,
        shown_options,
        texts,
        steps,
    )
    return view, report


def view_of_module(
    module: ModuleOp,
    label: str,
    *,
    target_name: str | None = None,
    options: CompileOptions | None = None,
    shown_options: Mapping[str, str] = MappingProxyType({}),
    optimum: bool = False,
) -> tuple[View, Report]:
    """Collect the view of TTGIR whose passes were not observed.

    Args:
        module: The module; it names its target.
        label: What to call the view.
        target_name: The target that it must have; None for any.
        options: The compile options for its machine code; the target's defaults if None.
        shown_options: Options to show.
        optimum: Whether to find the optimum of the layouts, which may take minutes.

    Raises:
        PassError: The IR has layouts for another target.
    """
    from weft.compiler.remaining_stages import check_target

    if target_name is not None:
        check_target(module, target(target_name))
    table = PlaceTable()
    launch = launch_attributes(module)
    chip = target(launch.target)
    chosen = options or options_for(chip, {"num_warps": launch.num_warps})
    report = build_report(module, card=assemble_card(module, chosen))
    if optimum:
        report = replace(report, optimum=optimum_of_module(module))
    texts = (module_text("ttgir", module, table),)
    return _view(module, chip, chosen, report, label, table, dict(shown_options), texts, ()), report


def _ir_texts(steps: tuple[PassStep, ...], module: ModuleOp, table: PlaceTable) -> tuple[Text, ...]:
    """Choose the TTIR, which is the last text without layouts, and print the TTGIR."""
    texts = [step.text for step in steps if step.text is not None]
    ttir = [text for text in texts if not any("ttg.num-warps" in line for line in text.lines)]
    final = module_text("ttgir", module, table)
    return (*(Text("ttir", text.lines, text.places) for text in ttir[-1:]), final)


def _view(
    module: ModuleOp,
    chip: Target,
    options: CompileOptions,
    report: Report,
    label: str,
    table: PlaceTable,
    shown_options: dict[str, str],
    texts: tuple[Text, ...],
    steps: tuple[PassStep, ...],
) -> View:
    notes: list[str] = []
    code: tuple[Text, ...] = ()
    buffers = None
    try:
        code = _machine_code(module, options, chip, table, notes)
        buffers = shared_memory(module, chip, table)
    except CodegenError as error:
        notes.append(f"no machine code: {error}")
    labels = Labels(module)
    layouts = LayoutPictures(module, labels)
    return View(
        label=label,
        kernel=report.kernel,
        target=report.target,
        options=shown_options,
        places=table.places,
        sources=read_sources(table.places),
        texts=(*texts, *code),
        steps=steps,
        report=as_object(report),
        layouts=layouts.pictures,
        global_accesses=tuple(global_accesses(module, layouts)),
        bank_maps=tuple(bank_maps(module, _shared_memory_of(chip))),
        shared_memory=buffers,
        notes=tuple(notes),
        optimum_layouts=() if report.optimum is None else tuple(optimum_pictures(report.optimum)),
    )


def _machine_code(
    module: ModuleOp, options: CompileOptions, chip: Target, table: PlaceTable, notes: list[str]
) -> tuple[Text, ...]:
    """Compile a module to LLVM IR, assembly and, if a disassembler is installed, SASS."""
    llvm = lower_ttgir(module, options)
    name = _ASSEMBLY[chip.backend]
    sass = None
    if chip.backend == "cuda":
        try:
            sass = disassemble(emit_llvm(llvm, "cubin"))
        except CodegenError as error:
            notes.append(f"no SASS: {error.message}")
        else:
            if sass is None:
                notes.append("no SASS: there is no nvdisasm; a CUDA toolkit has one")
    assembly = emit_llvm(llvm, name).decode()
    # Triton's tools show a kernel as LLVM sees it; the text with debug info is that one.
    return code_texts(emit_llvm(llvm, "llir").decode(), (name, assembly), sass, table)


def _shared_memory_of(chip: Target) -> SharedMemory | None:
    try:
        return chip.shared_memory
    except LayoutError:
        return None  # the target has no rows on shared memory
