"""The files of rows: each says what the table says of it, and is loaded when it is needed."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from weft.interpreter import registry
from weft.interpreter.registry import FAMILIES, row_of


def test_the_table_is_what_the_files_say():
    for family in FAMILIES:
        importlib.import_module(f"weft.interpreter.ops.{family}")
    found: dict[str, set[str]] = {}
    for name, row in registry._ROWS.items():
        found.setdefault(row.compile.__module__.rpartition(".")[2], set()).add(name)
    assert {family: set(names.split()) for family, names in FAMILIES.items()} == found


def test_two_meanings_of_one_operation_are_an_error():
    assert row_of("tt.splat") is not None
    with pytest.raises(ValueError, match=r"tt\.splat has two meanings"):
        registry.pure("tt.splat")(lambda op: None)


def test_a_launch_loads_what_it_needs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport numpy as np\nimport weft\nimport weft.language as tl\n"
        "@weft.jit\n"
        "def double(x, BLOCK: tl.constexpr):\n"
        "    at = x + tl.arange(0, BLOCK)\n"
        "    tl.store(at, tl.load(at) * 2)\n"
        "x = np.ones(64, np.float32)\n"
        "double[(1,)](x, BLOCK=64)\n"
        "assert (x == 2).all()\n"
        "print(*(name.rpartition('.')[2] for name in sys.modules"
        " if name.startswith('weft.interpreter.ops.')), 'rich' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"memory", "floats", "shape", "False"} <= loaded
    assert not loaded & {"extern", "hardware_dots", "dot", "reduction", "assembly", "True"}
