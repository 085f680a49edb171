"""Reproducers: a module with the pipeline that failed on it, in one file.

    {-#
      external_resources: {
        mlir_reproducer: {
          pipeline: "builtin.module(tritongpu-coalesce,cse)",
          disable_threading: true,
          verify_each: true
        }
      }
    #-}

MLIR writes such files with --mlir-pass-pipeline-crash-reproducer, and a compilation with
TRITON_REPRODUCER_PATH; `weft opt --run-reproducer` runs the pipeline of the file.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from weft.errors import ParseError, WeftError
from weft.passes.pipeline_text import parse_pipeline
from weft.passes.registry import Pass

__all__ = ["Reproducer", "read_reproducer", "write_reproducer"]

_REPRODUCER = re.compile(r"\{-#.*?\bmlir_reproducer\s*:\s*\{(.*)#-\}", re.DOTALL)
_PIPELINE = re.compile(r'\bpipeline\s*:\s*("(?:[^"\\]|\\.)*")')
_VERIFIES = re.compile(r"\bverify_each\s*:\s*(true|false)\b")


@dataclass(frozen=True, slots=True)
class Reproducer:
    """What a reproducer runs.

    Attributes:
        passes: The passes.
        verify_each: Whether the IR is verified after every pass.
    """

    passes: tuple[Pass, ...]
    verify_each: bool


def read_reproducer(text: str) -> Reproducer:
    """Read the pipeline of a reproducer.

    Args:
        text: The text of the file.

    Raises:
        ParseError: The text has no reproducer.
        UnknownPassError: Its pipeline has a pass that weft does not have.
    """
    section = _REPRODUCER.search(text)
    pipeline = None if section is None else _PIPELINE.search(section[1])
    if section is None or pipeline is None:
        raise ParseError(
            "the file has no reproducer",
            accepted=['{-# external_resources: {mlir_reproducer: {pipeline: "…"}} #-}'],
        )
    verifies = _VERIFIES.search(section[1])
    return Reproducer(
        parse_pipeline(json.loads(pipeline[1])), verifies is None or verifies[1] == "true"
    )


def write_reproducer(path: str, module_text: str, pipeline: str, *, verify_each: bool) -> None:
    """Write a reproducer.

    Args:
        path: The path of the file; "-" for standard error.
        module_text: The module before the passes.
        pipeline: The passes, as `format_pipeline` writes them.
        verify_each: Whether the IR is verified after every pass.

    Raises:
        WeftError: The file cannot be written.
    """
    verifies = "true" if verify_each else "false"
    lines = (
        module_text.rstrip("\n"),
        "",
        "{-#",
        "  external_resources: {",
        "    mlir_reproducer: {",
        f"      pipeline: {json.dumps(pipeline)},",
        "      disable_threading: true,",
        f"      verify_each: {verifies}",
        "    }",
        "  }",
        "#-}",
    )
    if path == "-":
        print("\n".join(lines), file=sys.stderr)
        return
    try:
        Path(path).write_text("\n".join(lines) + "\n")
    except OSError as error:
        raise WeftError(f"cannot write the reproducer: {error.strerror}", found=path) from error
