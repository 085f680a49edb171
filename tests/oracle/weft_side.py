"""Compile the kernels and IR texts of the comparison with weft."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import weft
from weft.compiler.options import options_for
from weft.compiler.remaining_stages import remaining_passes
from weft.errors import LaunchError
from weft.explain.inventory import Inventory, inventory
from weft.ir.text import parse_module, print_module
from weft.passes import REGISTRY, parse_pipeline, run_pipeline
from weft.targets import target as lookup


@cache
def load(path: Path) -> types.ModuleType:
    """Execute a kernel file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def has_pass(name: str) -> bool:
    """Check whether weft has a pass of this name."""
    return name in REGISTRY


def run_passes(text: str, pipeline: str) -> str:
    """Run a pipeline, in the form pass{option=value …},pass, on IR text."""
    module = parse_module(text)
    run_pipeline(parse_pipeline(pipeline), module)
    return print_module(module)


def inventory_of(text: str) -> Inventory:
    """List the layouts and conversions of an IR text."""
    return inventory(parse_module(text))


def run_stage(text: str, stage: str, target: str, options: Mapping[str, object]) -> str:
    """Run the stages of a target from `convert` through `stage` on TTIR.

    Args:
        text: The TTIR.
        stage: The last stage.
        target: The target.
        options: The launch options, as in CASES.
    """
    chip = lookup(target)
    module = parse_module(text)
    passes = remaining_passes(module, stage, chip, options_for(chip, applicable(target, options)))
    run_pipeline(passes, module)
    return print_module(module)


def case_options(path: Path, index: int, target: str) -> dict[str, object]:
    """Read the options of entry `index` of a kernel file's CASES that apply to a target.

    Triton ignores the options of other back ends, and weft refuses them.
    """
    return applicable(target, load(path).CASES[index][3])


def applicable(target: str, options: Mapping[str, object]) -> dict[str, object]:
    """Select the options that a target has."""
    result: dict[str, object] = {}
    for key, value in options.items():
        with suppress(LaunchError):  # an option of another back end
            options_for(lookup(target), {key: None})
            result[key] = value
    return result


def stage(
    path: Path,
    index: int,
    target: str,
    stop_after: str,
    others: Mapping[str, object] = MappingProxyType({}),
) -> str:
    """Compile entry `index` of a kernel file's CASES up to a stage and print its IR.

    Args:
        path: The kernel file.
        index: The entry of CASES.
        target: The target.
        stop_after: The kind of IR: "source" for that of the front end, "ttir" or "ttgir".
        others: Options that replace those of the entry.
    """
    kernel, signature, constexprs, *_ = load(path).CASES[index]
    options: dict[str, Any] = case_options(path, index, target) | dict(others)
    compiled = weft.compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=target,
        stop_after=stop_after,
        **options,
    )
    return compiled.asm[stop_after]
