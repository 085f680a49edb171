"""Print the IR before each pass, if the environment variable MLIR_ENABLE_DUMP requests it.

    MLIR_ENABLE_DUMP=1        of every module
    MLIR_ENABLE_DUMP=add      of modules with a function `add`

Headings and form are MLIR's; a dump is a whole module, on standard error.
"""

from __future__ import annotations

import os
import sys

from weft.ir.builtin import ModuleOp
from weft.ir.text import print_module
from weft.passes.registry import Pass
from weft.passes.titles import title

__all__ = ["dump_before", "is_dumped"]

VARIABLE = "MLIR_ENABLE_DUMP"
_ON = ("1", "true", "on", "yes", "y")
_OFF = ("", "0", "false", "off", "no", "n")


def is_dumped(module: ModuleOp) -> bool:
    """Check whether the environment requests dumps of a module."""
    text = os.environ.get(VARIABLE, "")
    if text.strip().lower() in _OFF:
        return False
    if text.strip().lower() in _ON:
        return True
    return any(
        getattr(op.properties.get("sym_name"), "data", None) == text for op in module.body.block.ops
    )


def dump_before(pass_: Pass, module: ModuleOp) -> None:
    """Print a module before a pass."""
    scope = "('builtin.module' operation)"
    heading = f"// -----// IR Dump Before {title(pass_)} ({pass_.name}) {scope} //----- //"
    print(f"{heading}\n{print_module(module, names=True).rstrip()}\n\n", file=sys.stderr)
