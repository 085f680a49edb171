"""Write the input and the pipeline of each stage, if TRITON_REPRODUCER_PATH names a prefix.

    TRITON_REPRODUCER_PATH=/tmp/bug      /tmp/bug.make_ttir.repro.mlir, …make_ttgir…, …make_llir…

`weft opt --run-reproducer` and `triton-opt --run-reproducer` run a stage again on its input. The
pipeline of the last one is the name of Triton's lowering alone, which only triton-opt has.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from weft.targets import Target

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp
    from weft.passes import Pass

__all__ = ["write_lowering_reproducer", "write_stage_reproducer"]

VARIABLE = "TRITON_REPRODUCER_PATH"


def write_stage_reproducer(stage: str, module: ModuleOp, passes: Iterable[Pass]) -> None:
    """Write the reproducer of the passes of a stage.

    Args:
        stage: The kind of IR that they produce: "ttir" or "ttgir".
        module: The module before them.
        passes: The passes.

    Raises:
        WeftError: The file cannot be written.
    """
    if os.environ.get(VARIABLE):
        from weft.passes.pipeline_text import format_pipeline

        _write(stage, module, format_pipeline(tuple(passes)))


def write_lowering_reproducer(module: ModuleOp, chip: Target) -> None:
    """Write the reproducer of the lowering of a TTGIR module to LLVM IR.

    Raises:
        WeftError: The file cannot be written.
    """
    lowering = f"convert-triton-gpu-to-llvm{{compute-capability={chip.arch}}}"
    if chip.backend == "hip":
        lowering = f"convert-triton-amdgpu-to-llvm{{gfx-arch={chip.arch}}}"
    if os.environ.get(VARIABLE):
        _write("llir", module, f"builtin.module({lowering})")


def _write(stage: str, module: ModuleOp, pipeline: str) -> None:
    from weft.ir.text import print_module
    from weft.passes.reproducer import write_reproducer

    path = os.environ[VARIABLE]
    if path != "-":
        path = f"{path}.make_{stage}.repro.mlir"
    write_reproducer(path, print_module(module, locations=True), pipeline, verify_each=True)
