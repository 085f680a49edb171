"""The public door, and what must not be found in the repository."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import weft

ROOT = Path(__file__).parents[1]
TEXTS = {".py", ".md", ".toml", ".txt", ".mlir", ".expect", ""}
MACHINE_PATH = re.compile(r"(?<![\w.-])/(work|farm|root|home)/")


def tracked() -> list[Path]:
    """Return the text files that belong to the project."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listed.stdout.splitlines() or [str(p.relative_to(ROOT)) for p in ROOT.rglob("*.*")]
    return [ROOT / name for name in names if Path(name).suffix in TEXTS and (ROOT / name).is_file()]


def test_the_door_is_small():
    assert len(weft.__all__) <= 20
    assert len(set(weft.__all__)) == len(weft.__all__)


def test_everything_at_the_door_is_there():
    for name in weft.__all__:
        assert getattr(weft, name) is not None


def test_no_path_of_a_machine():
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert not found


def test_version_is_that_of_the_package():
    assert f'version = "{weft.__version__}"' in (ROOT / "pyproject.toml").read_text()
