"""What `weft.layouts` offers, and what it does not load for it."""

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
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    return [set(line.split(",")) for line in done.stdout.splitlines()]


def test_the_import_is_light() -> None:
    early, late = loaded()
    assert not [name for name in HEAVY if name in early]
    assert "weft.layouts.plans" not in early
    # Everything at once needs none of the compiler either.
    assert "weft.layouts.plans" in late
    assert not [name for name in ("xdsl", "llvmlite", "weft.ir", "weft.passes") if name in late]


def test_everything_listed_is_there() -> None:
    for name in weft.layouts.__all__:
        assert getattr(weft.layouts, name) is not None
        assert name in dir(weft.layouts)
    assert len(weft.layouts.__all__) == len(set(weft.layouts.__all__))
    assert callable(weft.layouts.coalescing_report)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'conversoin'"):
        _ = weft.layouts.conversoin
