"""The files of lowerings: each says what the table says of it, and is loaded when it is needed."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from weft.codegen.lowering import registry
from weft.codegen.lowering.registry import MODULES, load_lowerings


def test_the_table_is_what_the_files_say():
    for module in MODULES:
        importlib.import_module(f"weft.codegen.lowering.{module}")
    found: dict[str, set[str]] = {}
    for name, lower in registry._ROWS.items():
        found.setdefault(lower.__module__.removeprefix("weft.codegen.lowering."), set()).add(name)
    assert {module: set(names.split()) for module, names in MODULES.items()} == found
    names = [name for names in MODULES.values() for name in names.split()]
    assert len(names) == len(set(names))


def test_two_lowerings_of_one_operation_are_an_error():
    load_lowerings(["tt.splat"])
    with pytest.raises(ValueError, match=r"tt\.splat has two lowerings"):
        registry.lowers("tt.splat")(lambda low, op: None)


def test_a_kernel_loads_what_it_needs():
    code = (
        "import sys\nfrom tests.examples.loading import load\nimport weft\n"
        "from weft.compiler.machine_code import lowered\n"
        "kernel, signature, constexprs, options, *_ = load('softmax').CASES[0]\n"
        "made = weft.compile(kernel, signature=signature, constexprs=constexprs,"
        " target='cuda:90', **options)\n"
        "lowered(made.module('ttgir'), made.metadata.options)\n"
        "print(*(name.rpartition('.')[2] for name in sys.modules"
        " if name.startswith('weft.codegen.lowering.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"global_memory", "reduce", "elementwise", "math"} <= loaded
    assert not loaded & {"dot", "dot_mma", "dot_wgmma", "tma", "atomics", "scan", "buffer"}
