"""Triton's whole pipeline to final TTGIR, at any options. Nothing here imports weft."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from triton.backends.compiler import Language

from tests.oracle import reference

_load = cache(reference.load_as_triton)


def compile_to_ttgir(
    path: Path,
    index: int,
    target_name: str,
    options: dict[str, object],
    *,
    locations: bool = False,
) -> dict[str, str]:
    """Compile entry `index` of a kernel file's CASES.

    Args:
        path: The kernel file.
        index: The entry of its CASES.
        target_name: "cuda:90".
        options: Launch options that replace those of the entry.
        locations: Print the texts with source locations.

    Returns:
        The texts "ttir" and "ttgir" after these stages.
    """
    chip = reference.target(target_name)
    module_of_kernels: types.ModuleType = _load(path)
    item = reference.case(module_of_kernels, index)
    item = dataclasses.replace(item, options=item.options | options)
    module, backend, parsed = reference.front(item, chip)
    stages: dict[str, Callable[..., Any]] = {}
    backend.add_stages(stages, parsed, Language.TRITON)
    metadata: dict[str, object] = {"target": chip, **parsed.__dict__}
    texts: dict[str, str] = {}
    for stage in ("ttir", "ttgir"):
        module = stages[stage](module, metadata)
        texts[stage] = str(module) if locations else module.str_nodebug()
    return texts
