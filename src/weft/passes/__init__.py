"""Passes over the IR, and pipelines of passes.

    run_pipeline(parse_pipeline("inline,canonicalize,cse"), module)

common    passes over TTIR and TTGIR
ttir      passes over TTIR, and its conversion to TTGIR
ttgir     passes over TTGIR for every GPU
nvidia    passes over TTGIR for NVIDIA GPUs
amd       passes over TTGIR for AMD GPUs
rewrite   the rewrite drivers and patterns that passes share

`registry` maps the name of each pass to its class; importing this package imports no pass.
"""

from __future__ import annotations

from weft.passes.pipeline import PassTiming, run_pipeline, verify_each
from weft.passes.pipeline_text import parse_pipeline
from weft.passes.registry import REGISTRY, Pass, describe, load, pass_class

__all__ = [
    "REGISTRY",
    "Pass",
    "PassTiming",
    "describe",
    "load",
    "parse_pipeline",
    "pass_class",
    "run_pipeline",
    "verify_each",
]
