"""No tracked text file names a path of the machine it was written on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT_SUFFIXES = {".py", ".md", ".toml", ".txt", ".mlir", ".expect", ""}
MACHINE_PATH = re.compile(r"(?<![\w.-])/(work|farm|root|home)/")


def text_files() -> list[Path]:
    """List the text files of the repository; all files where it is not a git checkout."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listing.stdout.splitlines() or [str(p.relative_to(ROOT)) for p in ROOT.rglob("*.*")]
    paths = [ROOT / name for name in names if Path(name).suffix in TEXT_SUFFIXES]
    return [path for path in paths if path.is_file()]


def test_no_path_of_a_machine():
    lines = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in text_files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert not lines
