"""`knobs.runtime.add_stages_inspection_hook` is called as Triton calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weft.compat.as_triton import IMPORT_PATH

pytestmark = pytest.mark.oracle

_SCRIPT = Path(__file__).with_name("scripts") / "record_stages.py"


def record(tmp_path: Path, *paths: str) -> list[str]:
    """Run the script that records the calls of a hook and of the stages."""
    paths = (*paths, *os.environ.get("PYTHONPATH", "").split(os.pathsep))
    folders = {name: str(tmp_path) for name in ("WEFT_CACHE_DIR", "TRITON_CACHE_DIR")}
    environment = os.environ | folders | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, str(_SCRIPT)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def test_calls_of_the_hook_and_of_the_stages(tmp_path):
    triton = record(tmp_path / "triton")
    weft = record(tmp_path / "weft", str(IMPORT_PATH))
    assert len(triton) == 2 * 7
    if not any("cubin" in line for line in weft):  # no ptxas
        triton = [line.replace(" cubin", "") for line in triton if not line.startswith("cubin")]
    assert weft == triton
