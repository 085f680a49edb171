"""Passes over the IR, and pipelines of them written as text.

    run_pipeline(parse_pipeline("inline,canonicalize,cse"), module)

The folder of a pass is the IR that it reads; `registry` says where each one is, `pipeline`
parses and runs lists of them, `rewrite` is the machinery that they share.
"""

from __future__ import annotations

from weft.passes.on_demand import named
from weft.passes.pipeline import PassTiming, parse_pipeline, run_pipeline, verify_each
from weft.passes.registry import REGISTRY, Pass, describe, load, pass_class

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
