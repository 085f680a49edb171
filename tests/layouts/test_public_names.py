"""The public names of `weft.layouts`, and the modules that importing it does not load."""

from __future__ import annotations

import subprocess
import sys

import pytest

import weft.layouts

HEAVY = ("xdsl", "llvmlite", "numpy", "typer", "rich", "weft.ir", "weft.targets")
SCRIPT = """
import sys
import weft.layouts
from weft.layouts import BlockedEncoding, LinearLayout, parse
parse("#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], "
      "order = [0]}>").linear((256,)).pseudoinvert()
early = set(sys.modules)
from weft.layouts import *
late = set(sys.modules)
print(",".join(sorted(early)))
print(",".join(sorted(late)))
"""


def loaded() -> list[set[str]]:
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    return [set(line.split(",")) for line in process.stdout.splitlines()]


def test_the_import_is_light() -> None:
    early, late = loaded()
    assert not [name for name in HEAVY if name in early]
    assert "weft.layouts.plans" not in early
    # Loading every name does not load the compiler either.
    assert "weft.layouts.plans" in late
    assert not [name for name in ("xdsl", "llvmlite", "weft.ir", "weft.passes") if name in late]


def test_every_listed_name_exists() -> None:
    for name in weft.layouts.__all__:
        assert getattr(weft.layouts, name) is not None
        assert name in dir(weft.layouts)
    assert len(weft.layouts.__all__) == len(set(weft.layouts.__all__))
    assert callable(weft.layouts.coalescing_report)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'conversoin'"):
        _ = weft.layouts.conversoin
