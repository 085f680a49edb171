"""Passes over the IR, and pipelines of them written as text.

    run_pipeline(parse_pipeline("inline,canonicalize,cse"), module)

The folder of a pass is the IR that it reads; `registry` says where each one is, `pipeline` runs
lists of them, which `pipeline_text` reads, and `rewrite` is the machinery that they share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr
from weft.passes.on_demand import named
from weft.passes.pipeline import PassTiming, run_pipeline, verify_each
from weft.passes.registry import REGISTRY, Pass, describe, load, pass_class

if TYPE_CHECKING:
    from weft.passes.pipeline_text import parse_pipeline

__all__ = [
    "REGISTRY",
    "Pass",
    "PassTiming",
    "describe",
    "load",
    "named",
    "parse_pipeline",
    "pass_class",
    "run_pipeline",
    "verify_each",
]

__getattr__ = lazy_getattr(__name__, {"parse_pipeline": "weft.passes.pipeline_text:parse_pipeline"})
