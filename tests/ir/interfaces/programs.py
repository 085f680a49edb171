"""IR shared by the interface tests."""

from __future__ import annotations

from pathlib import Path

from tests.ir.dialect_files import MODULES
from weft.ir.builtin import ModuleOp, Operation, StringAttr
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

CONTROL_FLOW = Path(__file__).parent / "control_flow.mlir"
RECORDED = {"control_flow": CONTROL_FLOW.read_text(), **MODULES}


def control_flow() -> tuple[ModuleOp, dict[str, Operation]]:
    """Parse `control_flow.mlir`.

    Returns:
        The module, which the caller keeps alive, and its operations by their `label`.
    """
    module = parse_module(CONTROL_FLOW.read_text())
    labels = ((op.attributes.get("label"), op) for op in walk(module))
    return module, {label.data: op for label, op in labels if isinstance(label, StringAttr)}
