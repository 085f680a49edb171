"""Load an example as a Python module."""

from __future__ import annotations

import importlib.util
import sys
import types
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = (
    "vector_add",
    "softmax",
    "layer_norm",
    "layer_norm_backward",
    "cross_entropy",
    "rotary_embedding",
    "transpose",
    "histogram",
    "prefix_scan",
    "matmul",
    "matmul_block_pointer",
    "matmul_descriptor",
    "matmul_fp8",
    "matmul_mxfp4",
    "attention",
)
GLUON_EXAMPLES = ("gluon_transpose",)


@cache
def load(name: str) -> types.ModuleType:
    """Return the module of examples/<name>.py."""
    spec = importlib.util.spec_from_file_location(f"examples_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
